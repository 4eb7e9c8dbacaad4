import { formBrowser, testClient } from '@grantkit/testkit/client'
import { decodeJwt } from 'jose'
import { expect, it, onTestFinished } from 'vitest'
import { externalSignIn } from '../../src/external-sign-in/options.ts'
import { type Application, startApplication } from './application.ts'
import { KEY, serverWithUsers } from './server-with-users.ts'
import { throughApplication } from './through-application.ts'

/** STEP_UP=on at a server whose application signs its users in: the application says how strong a sign-in was. */

async function open(STEP_UP = 'on') {
  const { promise, resolve } = Promise.withResolvers<Application>()
  const server = await serverWithUsers(
    async (baseUrl) => {
      const application = await startApplication(baseUrl)
      onTestFinished(application.close)
      resolve(application)
      return externalSignIn({ url: application.url, key: KEY })
    },
    { STEP_UP },
  )
  const application = await promise
  const { baseUrl, events } = server
  const send = throughApplication(new URL(application.url).origin)
  const browser = formBrowser({ origin: baseUrl, typed: { none: '' }, send })
  const client = await testClient(baseUrl, { browser, metadata: { client_name: 'Notes app' } })
  const authorize = (acr_values: string) =>
    client.authorize({ scope: 'openid', code_challenge: 'c'.repeat(43), acr_values }, 'allow')
  return { application, client, events, authorize }
}

it('sends the demand of the client there, and gives the class and methods of the application to the client', async () => {
  const { application, client } = await open()
  application.user = { sub: 'alice', acr: 'phr', amr: ['hwk', 'user'] }
  const { id_token = '' } = await client.tokens('openid', { acr_values: 'gold phr' })
  expect(decodeJwt(id_token)).toMatchObject({ acr: 'phr', amr: ['hwk', 'user'] })
  expect(application.requests).toEqual([expect.objectContaining({ acr_values: 'phr' })])
})

it.each([{ acr: 'pwd' }, {}])(
  'refuses the code if the application says %o of a demanded passkey',
  async (said) => {
    const { application, authorize } = await open()
    application.user = { sub: 'alice', ...said }
    expect(await authorize('phr')).toMatchObject({ error: 'unmet_authentication_requirements' })
  },
)

it('signs nobody in with a class that does not exist, and the log has its name', async () => {
  const { application, events, authorize } = await open()
  application.user = { sub: 'alice', acr: 'gold' }
  await expect(authorize('phr')).rejects.toThrow()
  expect(events).toContainEqual({
    type: 'sign_in_failed',
    reason: 'application_invalid',
    subject: undefined,
    detail: 'acr must be one of pwd, phr',
  })
})

it('leaves the application any acr without STEP_UP, and tells clients none', async () => {
  const { application, client } = await open('off')
  application.user = { sub: 'alice', acr: 'gold', amr: 'anything' }
  const { id_token = '' } = await client.tokens('openid', { acr_values: 'phr' })
  expect(Object.keys(decodeJwt(id_token))).not.toContain('acr')
  expect(application.requests[0]).not.toHaveProperty('acr_values')
})
