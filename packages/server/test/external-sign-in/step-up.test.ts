import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'
import { openWithApplication } from './application.ts'

/** STEP_UP=on at a server whose application signs its users in: the application says how strong a sign-in was. */

async function open(STEP_UP = 'on') {
  const { application, client, server } = await openWithApplication({}, { STEP_UP })
  const authorize = (acr_values: string) =>
    client.authorize({ scope: 'openid', code_challenge: 'c'.repeat(43), acr_values }, 'allow')
  return { application, client, events: server.events, authorize }
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
