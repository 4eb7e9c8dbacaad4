import { expect, it } from 'vitest'
import { suite } from './suite.ts'

/** The descriptions of the service for users and programs. */

const running = suite()
const textOf = async (path: string) => (await fetch(running.service.baseUrl + path)).text()

it('auth.md says what each command additionally needs, and that the refresh token stays valid', async () => {
  const walkthrough = await textOf('/auth.md')
  for (const text of [
    'FAPI 2.0 Security Profile',
    `\`aud\` the text \`${running.service.baseUrl}\``,
    'client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    'The operator adds each one',
    'public keys',
    '/api/oauth/par',
    'A refresh returns a new access token, and the refresh token stays valid.',
  ])
    expect(walkthrough).toContain(text)
  for (const text of ['client_secret', 'RS256', 'Every refresh gives a new refresh token'])
    expect(walkthrough).not.toContain(text)
})

it('the description of the API has the push and no registration', async () => {
  const { paths, components } = JSON.parse(await textOf('/openapi.json'))
  expect(Object.keys(paths)).toContain('/api/oauth/par')
  expect(Object.keys(paths)).not.toContain('/api/oauth/register')
  expect(components.securitySchemes.oauth2.description).toContain('DPoP')
})

it('the page at /docs is a public client, and cannot sign in', async () => {
  const query = new URLSearchParams({ client_id: 'docs', response_type: 'code' })
  const init = { headers: { accept: 'application/json' } }
  const answer = await fetch(`${running.service.baseUrl}/oauth/authorize?${query}`, init)
  expect([answer.status, await answer.json()]).toMatchObject([400, { reason: 'client_unknown' }])
})
