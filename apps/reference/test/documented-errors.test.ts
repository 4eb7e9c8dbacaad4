import type { Store } from '@grantkit/core'
import { afterAll, expect, it } from 'vitest'
import { runService } from './service.ts'
import { signedIn } from './tokens.ts'

/** Every row of the error table in the walkthrough: provokes the error, and checks that it looks as documented. */

const outage = { begun: false }
const service = await runService({}, storeWithSwitch)
const signed = await signedIn(service.baseUrl, 'courses:read')
afterAll(() => service.close())

/** The real store, until the outage begins. */
function storeWithSwitch(store: Store): Store {
  const find: Store['clients']['find'] = async (id) => {
    if (outage.begun) throw new Error('connection lost')
    return store.clients.find(id)
  }
  return { ...store, clients: { ...store.clients, find } }
}

const JSON_TYPE = { 'content-type': 'application/json' }
const post = (path: string, body: string | Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(service.baseUrl + path, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : new URLSearchParams(body),
  })
const get = (path: string, token: string) =>
  fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${token}` } })
const register = (metadata: object) => post('/api/oauth/register', JSON.stringify(metadata), JSON_TYPE)
const token = (form: Record<string, string>) =>
  post('/api/oauth/token', { client_id: signed.client_id, ...form })
const refresh = (form: Record<string, string>) =>
  token({ grant_type: 'refresh_token', refresh_token: signed.refresh_token, ...form })

const redirect_uris = ['http://127.0.0.1:1/cb']
/** Provocations by error and status, as in the table. */
const PROVOCATIONS: Record<string, () => Promise<Response>> = {
  'invalid_request 400': () => token({}),
  'invalid_client 401': () => token({ grant_type: 'refresh_token', client_id: 'unknown' }),
  'invalid_grant 400': () => refresh({ refresh_token: 'wrong' }),
  'unauthorized_client 400': async () => {
    const client = (await (
      await register({ redirect_uris, grant_types: ['authorization_code'] })
    ).json()) as { client_id: string }
    return refresh({ client_id: client.client_id })
  },
  'unsupported_grant_type 400': () => token({ grant_type: 'password' }),
  'invalid_scope 400': () => refresh({ scope: 'students:write' }),
  'invalid_target 400': () => refresh({ resource: 'https://elsewhere.example' }),
  'invalid_redirect_uri 400': () => register({ redirect_uris: ['https://app.example/cb'] }),
  'invalid_client_metadata 400': () =>
    register({ redirect_uris, token_endpoint_auth_method: 'private_key_jwt' }),
  'access_denied 403': () => post('/api/courses', '{}', JSON_TYPE),
  'invalid_token 401': () => get('/api/courses', 'wrong'),
  'insufficient_scope 403': () => get('/api/students', signed.access_token),
  'temporarily_unavailable 503': () => {
    outage.begun = true
    return refresh({}).finally(() => {
      outage.begun = false
    })
  },
  'temporarily_unavailable 429': async () => {
    let response = await register({ redirect_uris })
    while (response.status === 201) response = await register({ redirect_uris })
    return response
  },
}

it('every documented error can be provoked, and looks as it is documented', async () => {
  const walkthrough = await (await fetch(`${service.baseUrl}/auth.md`)).text()
  const rows = [...walkthrough.matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm)].map(([, error = '', status]) => ({
    error,
    status: Number(status),
  }))
  expect(rows.map(({ error, status }) => `${error} ${status}`).sort()).toEqual(
    Object.keys(PROVOCATIONS).sort(),
  )
  for (const { error, status } of rows) {
    const response = await PROVOCATIONS[`${error} ${status}`]?.()
    expect(response?.status, error).toBe(status)
    // An error of the school alone has no reference.
    const { reference = '', ...body }: Record<string, string> = (await response?.json()) ?? {}
    expect(body).toEqual({ error, error_description: expect.stringMatching(/^[A-Z]|^[\w[\]]+[: ]/) })
    expect(body.error_description).toContain(reference)
    if (status === 503) expect(response?.headers.get('retry-after')).toBe('1')
    if (status === 429) expect(response?.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/)
    const challenged = error === 'invalid_token' || error === 'insufficient_scope'
    expect(response?.headers.has('www-authenticate'), error).toBe(challenged)
  }
})
