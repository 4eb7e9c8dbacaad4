import type { Answer } from './transcript.ts'
import type { Fields, Visitor } from './visitor.ts'

/** The steps of a client and its user through the pages. */

const REDIRECT_URI = 'http://127.0.0.1:7001/callback'
/** The pair of RFC 7636 appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

export async function register({ json }: Visitor): Promise<string> {
  const metadata = { client_name: 'Timetable <App>', redirect_uris: [REDIRECT_URI] }
  const { body } = await json('POST', '/api/oauth/register', metadata)
  return JSON.parse(body).client_id
}

export function authorizationPath(client_id: string, changed: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT_URI,
    scope: 'openid profile email courses:read courses:write',
    state: 'a state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...changed,
  })
  return `/oauth/authorize?${query}`
}

/** The fields that a page has filled in, with ticked boxes. */
export function fieldsIn({ body }: Answer): [string, string][] {
  const fields = body.matchAll(
    /<input type="(?:hidden|checkbox)" name="([^"]+)" value="([^"]*)"(?: checked)?/g,
  )
  return [...fields].map(([, name = '', value = '']) => [name, unescaped(value)])
}

export function actionIn({ body }: Answer): string {
  return unescaped(/<form method="post" action="([^"]+)"/.exec(body)?.[1] ?? '')
}

export async function signIn(visitor: Visitor, loginPath: string): Promise<Answer> {
  const page = await visitor.get(loginPath)
  const credentials: Fields = [
    ['email', 'demo@example.com'],
    ['password', 'demo'],
  ]
  return visitor.post('/login', [...fieldsIn(page), ...credentials])
}

/** Allows everything as a user who is already signed in; returns the token. */
export async function allow(visitor: Visitor, client_id: string, page: Answer): Promise<string> {
  const back = await visitor.post(actionIn(page), [...fieldsIn(page), ['decision', 'allow']])
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const { body } = await visitor.post('/api/oauth/token', {
    grant_type: 'authorization_code',
    client_id,
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
  })
  return JSON.parse(body).access_token
}

/** The whole flow, for a story about the use of a token. */
export async function tokenOf(visitor: Visitor, scope: Record<string, string> = {}): Promise<string> {
  const client = await register(visitor)
  const path = authorizationPath(client, scope)
  await signIn(visitor, '/login')
  return allow(visitor, client, await visitor.get(path))
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}
