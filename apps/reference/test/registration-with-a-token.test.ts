import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'

/** A service whose operator hands out the tokens for registration. */

let service: RunningService
beforeAll(async () => {
  service = await runService({ INITIAL_ACCESS_TOKENS: 'on' })
})
afterAll(() => service.close())

const textAt = async (path: string) => (await fetch(service.baseUrl + path)).text()

it('describes registration with an initial access token and its 401 in the OpenAPI document', async () => {
  const { paths, components } = JSON.parse(await textAt('/openapi.json'))
  const { initialAccessToken, oauth2 } = components.securitySchemes
  expect(initialAccessToken).toMatchObject({ type: 'http', scheme: 'bearer' })
  expect(oauth2.description).toContain('register themselves, with an initial access token')
  const register = paths['/api/oauth/register'].post
  expect(register).toMatchObject({
    description: expect.stringContaining('With an initial access token'),
    security: [{ initialAccessToken: [] }],
    responses: { 401: { headers: { 'WWW-Authenticate': expect.anything() } } },
  })
})

it('answers a registration without a token as the document says', async () => {
  const body = JSON.stringify({ redirect_uris: ['http://127.0.0.1/cb'] })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${service.baseUrl}/api/oauth/register`, { method: 'POST', headers, body })
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
    401,
    'Bearer error="invalid_token"',
  ])
})

it('tells agents about the token in the documents for them', async () => {
  expect(await textAt('/auth.md')).toMatch(
    /gives you an initial access token[\s\S]*-H "Authorization: Bearer \$INITIAL_ACCESS_TOKEN" \\\n {2}-d/,
  )
  expect(await textAt('/llms.txt')).toContain('with an initial access token of the operator')
})
