/** What a client and the browser of its user do, over HTTP. */

const REDIRECT_URI = 'http://127.0.0.1:7001/callback'
/** The pair of RFC 7636 appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
}

export interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

/** A form that is sent, and the JSON that comes back. */
export async function post<T = Record<string, unknown>>(
  url: string,
  form: Record<string, string>,
): Promise<T & { status: number }> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  return { ...((await response.json()) as T), status: response.status }
}

export async function register(base: string): Promise<Credentials> {
  const response = await fetch(`${base}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'client_secret_post',
    }),
  })
  const { client_id, client_secret } = (await response.json()) as Credentials
  return { client_id, client_secret }
}

/** The browser: sees the consent page, allows everything, and is sent back with the code. */
export async function approve(base: string, { client_id }: Credentials, scope: string): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT_URI,
    scope,
    state: 'a state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  })
  const page = await (await fetch(`${base}/oauth/authorize?${query}`)).text()
  const ticket = /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const form = scope.split(' ').map((name): [string, string] => ['scope', name])
  const approval = await fetch(`${base}/oauth/consent?${query}`, {
    method: 'POST',
    body: new URLSearchParams([['ticket', ticket], ['decision', 'allow'], ...form]),
    redirect: 'manual',
  })
  return new URL(approval.headers.get('location') ?? '').searchParams.get('code') ?? ''
}

export function redeem(base: string, credentials: Credentials, code: string) {
  return post<Tokens>(`${base}/api/oauth/token`, {
    grant_type: 'authorization_code',
    ...credentials,
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
  })
}

export function refresh(base: string, credentials: Credentials, { refresh_token }: Tokens) {
  const form = { grant_type: 'refresh_token', ...credentials, refresh_token }
  return post<Tokens>(`${base}/api/oauth/token`, form)
}
