import type { Target, Workload } from './workloads.ts'

/** The requests of every workload as HTTP/1.1 text: the same client, parameters and PKCE pair (RFC 7636 appendix B) for any server. */

export const REDIRECT_URI = 'http://127.0.0.1:7001/callback'
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
export const SCOPES = ['notes:read', 'notes:write']
export const SCOPE = SCOPES.join(' ')
export const SUBJECT = 'alice'

/** Seconds. The codes of a round are made before its clock runs, which can take more than a minute. */
export const CODE_LIFETIME = 600

/** A registration request (RFC 7591 2) of a public client. */
export const CLIENT_METADATA = {
  client_name: 'A client of the benchmark',
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  scope: SCOPE,
} as const

/** The parameters of an authorization request (RFC 6749 4.1.1). */
export function authorizationRequest(client_id: string, more: Record<string, string> = {}) {
  const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' }
  const parameters = { redirect_uri: REDIRECT_URI, scope: SCOPE, state: 'af0ifjsldkj' }
  return { response_type: 'code', client_id, ...parameters, ...pkce, ...more }
}

/** The parameters of RFC 6749 4.1.3 with RFC 7636 4.5. */
export function codeForm(client_id: string, code: string) {
  const sent = { redirect_uri: REDIRECT_URI, code_verifier: VERIFIER, code }
  return { grant_type: 'authorization_code', client_id, ...sent }
}

export type Make<T> = () => Promise<T> | T

export type Tokens = { readonly access_token: string; readonly refresh_token?: string }

/** An authorization server: its paths, its client, and how to make codes and tokens of that. */
interface TokenServer {
  /** Default: `/token`. */
  readonly token?: string
  readonly clientId: string
  readonly newCode: Make<string>
  readonly newTokens: Make<Tokens>
  /** A route that a live access token opens. */
  readonly notes?: string | undefined
  readonly introspection?: {
    readonly path: string
    readonly client: { readonly client_id: string; readonly client_secret: string }
    /** Default: the grant types of the client. */
    readonly newTokens?: Make<Tokens>
  }
  readonly userinfo?: { readonly path: string; readonly newTokens: Make<Tokens> }
}

/**
 * A code (RFC 6749 4.1.3) and a refresh token (RFC 6749 6) are used once. Bearer tokens (RFC 6750 2.1) are a hundred different
 * ones in turn, as are those that are introspected with a secret in the body (RFC 7662 2.1).
 */
export function targetOf({ token = '/token', clientId, newCode, newTokens, ...more }: TokenServer): Target {
  const { notes, introspection, userinfo } = more
  return {
    workloads: {
      code: each(async () => postForm(token, codeForm(clientId, await newCode()))),
      refresh: each(async () => {
        const { refresh_token = '' } = await newTokens()
        return postForm(token, { grant_type: 'refresh_token', client_id: clientId, refresh_token })
      }),
      ...(notes !== undefined && { protected: bearerGets(notes, newTokens) }),
      ...(introspection && {
        introspect: inTurn(async () => {
          const { access_token } = await (introspection.newTokens ?? newTokens)()
          return postForm(introspection.path, { ...introspection.client, token: access_token })
        }),
      }),
      ...(userinfo && { userinfo: bearerGets(userinfo.path, userinfo.newTokens) }),
    },
    ...(notes !== undefined && { opens: bearerGet(notes) }),
  }
}

export function bearerGets(path: string, newTokens: Make<Tokens>): Workload {
  return inTurn(async () => bearerGet(path)((await newTokens()).access_token))
}

const bearerGet = (path: string) => (token: string) => get(path, { authorization: `Bearer ${token}` })

/** RFC 9126 2.1. */
export function pushedRequest(path: string, clientId: string): Workload {
  return (count) => Array<string>(count).fill(postForm(path, authorizationRequest(clientId)))
}

/** Makes them one by one: many at once would keep many sign-ins in memory. */
export function each(make: () => Promise<string>): Workload {
  return async (count) => {
    const made: string[] = []
    while (made.length < count) made.push(await make())
    return made
  }
}

const DIFFERENT = 100

/** A hundred different requests, again and again. */
export function inTurn(make: () => Promise<string>): Workload {
  let made: string[] | undefined
  return async (count) => {
    made ??= await each(make)(DIFFERENT)
    return Array.from({ length: count }, (_, index) => made?.[index % DIFFERENT] ?? '')
  }
}

export function get(path: string, headers: Record<string, string>): string {
  return message(`GET ${path}`, headers)
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export function postForm(path: string, form: Record<string, string>): string {
  const body = String(new URLSearchParams(form))
  return message(`POST ${path}`, { ...FORM, 'content-length': `${Buffer.byteLength(body)}` }, body)
}

export function postJson(path: string, body: object, headers: Record<string, string>): string {
  const text = JSON.stringify(body)
  const own = { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(text)}` }
  return message(`POST ${path}`, { ...headers, ...own }, text)
}

function message(line: string, headers: Record<string, string>, body = ''): string {
  const lines = Object.entries({ accept: '*/*', ...headers }).map(([name, value]) => `${name}: ${value}`)
  return [`${line} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

/** Adds the Host header, which depends on the port of the server. */
export function withHost(request: string, port: number): string {
  return request.replace('\r\n', `\r\nhost: 127.0.0.1:${port}\r\n`)
}
