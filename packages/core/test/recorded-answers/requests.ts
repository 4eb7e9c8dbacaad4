/** The requests of a correct client. A story can change any part of them. */

export interface Ask {
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string
  /** The address of the caller. */
  readonly from?: string
}

/** A list is a repeated parameter, `undefined` leaves it out. */
export type Given = Readonly<Record<string, string | readonly string[] | undefined>>

export interface Credentials {
  readonly client_id: string
  readonly client_secret?: string | undefined
}

export const REDIRECT_URI = 'http://127.0.0.1:7001/callback'
/** The pair of RFC 7636 appendix B. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
export const ALICE = 'user=alice'

export function encoded(given: Given): string {
  const pairs = Object.entries(given).flatMap(([name, values]) =>
    values === undefined ? [] : [values].flat().map((value) => [name, value] as [string, string]),
  )
  return String(new URLSearchParams(pairs))
}

export function get(path: string, headers: Ask['headers'] = {}, query = ''): Ask {
  return { method: 'GET', path, query, headers }
}

export function form(path: string, given: Given, headers: Ask['headers'] = {}): Ask {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return { method: 'POST', path, headers: { ...type, ...headers }, body: encoded(given) }
}

export function json(path: string, value: unknown): Ask {
  const headers = { 'content-type': 'application/json' }
  return { method: 'POST', path, headers, body: JSON.stringify(value) }
}

export function authorizationQuery({ client_id }: Credentials, changed: Given = {}): string {
  return encoded({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT_URI,
    scope: 'openid profile courses:read',
    state: 'a state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...changed,
  })
}

export function authorization(client: Credentials, changed: Given = {}, cookie = ALICE): Ask {
  const headers = cookie === '' ? {} : { cookie }
  return get('/oauth/authorize', headers, authorizationQuery(client, changed))
}

export function registration(metadata: object): Ask {
  return json('/api/oauth/register', { redirect_uris: [REDIRECT_URI], ...metadata })
}

export function redemption(client: Credentials, code: string, changed: Given = {}): Ask {
  return form('/api/oauth/token', {
    grant_type: 'authorization_code',
    ...client,
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...changed,
  })
}

export function refreshing(client: Credentials, refresh_token: string, changed: Given = {}): Ask {
  return form('/api/oauth/token', { grant_type: 'refresh_token', ...client, refresh_token, ...changed })
}

export function revocation(client: Credentials, token: string, changed: Given = {}): Ask {
  return form('/api/oauth/revoke', { ...client, token, ...changed })
}

export function introspection(client: Credentials, token: string, changed: Given = {}): Ask {
  return form('/api/oauth/introspect', { ...client, token, ...changed })
}

export function userinfo(token: string): Ask {
  return get('/api/oauth/userinfo', { authorization: `Bearer ${token}` })
}
