import { describe, expect, it } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  credentials,
  redirectOf,
  register,
  requestToken,
} from './client.ts'
import { ISSUER, openService, REDIRECT_URI, VERIFIER } from './service.ts'

/** The size limits of every input, and errors that name the input and its limit. */

const long = (length: number) => 'x'.repeat(length)
const MANY_URIS = Array.from({ length: 11 }, (_, n) => `http://127.0.0.1:${n + 1}/cb`)

describe('a registration', () => {
  it.each([
    ['redirect_uris', MANY_URIS, 'redirect_uris: must be at most 10'],
    ['redirect_uris', [`${REDIRECT_URI}/${long(2048)}`], 'redirect_uris.0: must be at most 2048 characters'],
    ['redirect_uris', [REDIRECT_URI, 7], 'redirect_uris.1: Invalid input: expected string, received number'],
    ['client_name', long(201), 'client_name: must be at most 200 characters'],
    ['client_uri', `https://a.example/${long(2048)}`, 'client_uri: must be at most 2048 characters'],
    ['logo_uri', `https://a.example/${long(2048)}`, 'logo_uri: must be at most 2048 characters'],
    ['scope', long(4001), 'scope: must be at most 4000 characters'],
    ['grant_types', Array(21).fill('authorization_code'), 'grant_types: must be at most 20'],
    ['response_types', [long(101)], 'response_types.0: must be at most 100 characters'],
    ['contacts', Array(11).fill('a@a.example'), 'contacts: must be at most 10'],
    ['contacts', [long(201)], 'contacts.0: must be at most 200 characters'],
    ['software_id', long(201), 'software_id: must be at most 200 characters'],
    ['software_version', long(201), 'software_version: must be at most 200 characters'],
  ])('with too much %s is refused', async (member, value, description) => {
    const json = { redirect_uris: [REDIRECT_URI], [member]: value }
    const response = await openService().send('POST', '/api/oauth/register', { json })
    const error = member === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata'
    expect([response.status, bodyOf(response)]).toEqual([400, { error, error_description: description }])
  })

  it.each([
    ['redirect_uris', MANY_URIS.slice(1)],
    ['redirect_uris', [`http://127.0.0.1/${long(2031)}`]],
    ['client_name', long(200)],
    ['client_uri', `https://a.example/${long(2030)}`],
    ['contacts', Array(10).fill(long(200))],
  ])('with as much %s as there may be is taken', async (member, value) => {
    const json = { redirect_uris: [REDIRECT_URI], [member]: value }
    expect((await openService().send('POST', '/api/oauth/register', { json })).status).toBe(201)
  })
})

describe('an authorization request', () => {
  it.each([
    ['nonce', 'invalid_request'],
    ['scope', 'invalid_request'],
    ['code_challenge', 'invalid_request'],
    ['prompt', 'invalid_request'],
    ['id_token_hint', 'invalid_request'],
    ['login_hint', 'invalid_request'],
    ['ui_locales', 'invalid_request'],
  ])('with a %s of more than 4000 characters goes back to the client', async (name, error) => {
    const service = openService()
    const { clientId: client_id } = await register(service)
    const answer = redirectOf(await authorize(service, authorizationQuery(client_id, { [name]: long(4001) })))
    expect(answer).toMatchObject({ error, error_description: `${name}: must be at most 4000 characters` })
    expect(answer.state).toBe('a state')
  })

  it('with a state too long to carry goes back to the client without it', async () => {
    const service = openService()
    const { clientId: client_id } = await register(service)
    const answer = redirectOf(await authorize(service, authorizationQuery(client_id, { state: long(8193) })))
    const error_description = 'state: must be at most 8192 characters'
    expect(answer).toEqual({ error: 'invalid_request', error_description, iss: ISSUER })
  })

  it('may have at most 20 resources, each of 4000 characters', async () => {
    const service = openService()
    const { clientId: client_id } = await register(service)
    const query = authorizationQuery(client_id)
    for (const [resources, description] of [
      ['&resource=https://a.example'.repeat(21), 'resource: must be at most 20'],
      [`&resource=${long(4001)}`, 'resource.0: must be at most 4000 characters'],
    ])
      expect(redirectOf(await authorize(service, query + resources)).error_description).toBe(description)
  })

  it('takes a state and a nonce of 4000 characters', async () => {
    const service = openService()
    const { clientId: client_id } = await register(service)
    const query = authorizationQuery(client_id, { state: long(4000), nonce: long(4000) })
    expect((await authorize(service, query)).body).toBe('consent')
  })
})

describe('a token request', () => {
  const code = { grant_type: 'authorization_code', code_verifier: VERIFIER, code: 'code' }
  const refresh = { grant_type: 'refresh_token', refresh_token: 'token' }
  it.each([
    [{ ...code, code: long(4001) }, 'code: must be at most 4000 characters'],
    [{ ...code, redirect_uri: long(4001) }, 'redirect_uri: must be at most 4000 characters'],
    [{ ...code, code_verifier: long(129) }, 'code_verifier: must be 43 to 128 unreserved characters'],
    [{ ...refresh, refresh_token: long(4001) }, 'refresh_token: must be at most 4000 characters'],
    [{ ...refresh, scope: long(4001) }, 'scope: must be at most 4000 characters'],
    [{ ...refresh, grant_type: long(4001) }, 'grant_type: must be at most 4000 characters'],
    [{ ...refresh, client_id: long(513) }, 'client_id: must be at most 512 characters'],
    [{ ...refresh, client_secret: long(201) }, 'client_secret: must be at most 200 characters'],
  ])('of too much is refused: %#', async (form, description) => {
    const service = openService()
    const response = await requestToken(service, { ...credentials(await register(service)), ...form })
    expect([response.status, bodyOf(response)]).toEqual([
      400,
      { error: 'invalid_request', error_description: description },
    ])
  })
})
