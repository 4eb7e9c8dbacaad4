import type { HttpResponse } from '@grantkit/core'
import { addressOf, wellKnownAddress } from '@grantkit/core/adapter'

/** A request that the doctor makes. */
export interface Probe {
  readonly method: 'GET' | 'POST' | 'OPTIONS'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The answers of a deployment, and their time. */
export interface Evidence {
  /** The address that clients use. It must be exactly the issuer. */
  readonly baseUrl: string
  /** The resource whose metadata was requested. Default: the base URL. */
  readonly resource?: string | undefined
  /** The answers by the name of the probe; absent if it was not sent or not answered. */
  readonly answers: Readonly<Record<string, HttpResponse | undefined>>
  /** When the answers came, in epoch seconds by the doctor's clock. */
  readonly now: number
  /** An ID token of the deployment, if there is one. */
  readonly idToken?: string | undefined
}

/** A foreign page, for the questions about CORS. */
const ORIGIN = 'https://doctor.example'
/** The temporary client registers one loopback port and then uses another one (RFC 8252 7.3). */
const REGISTERED = 'http://127.0.0.1:49151/doctor'
export const REQUESTED_ORIGIN = 'http://127.0.0.1:49150'
export const REQUESTED = `${REQUESTED_ORIGIN}/doctor`
export const STATE = 'doctor+state'

/** Why checks are skipped that need one. */
export const NO_CLIENT = 'the doctor registered no client, or got no answer'

/** The client of probes for an error. No server knows it. */
const UNKNOWN_CLIENT = 'doctor'
const HTTPS_CALLBACK = `${ORIGIN}/callback`

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const BAD_BEARER = { authorization: 'Bearer doctor' }
const JSON_TYPE = { 'content-type': 'application/json' }

type Seen = Evidence['answers']
export type Metadata = Readonly<Record<string, unknown>>
/** A probe, if the answers so far allow it. */
export type Ask = (baseUrl: string, seen: Seen, resource: string) => Probe | undefined

/** The probes in order: a later one may use the answer to an earlier one. */
export const PROBES: Readonly<Record<string, Ask>> = {
  serverMetadata: (baseUrl) =>
    get(wellKnownAddress('oauth-authorization-server', baseUrl), { origin: ORIGIN }),
  openIdConfiguration: (baseUrl) => get(addressOf(baseUrl, '/.well-known/openid-configuration')),
  resourceMetadata: (_baseUrl, _seen, resource) =>
    get(wellKnownAddress('oauth-protected-resource', resource), { origin: ORIGIN }),
  keys: (_, seen) => at(seen, 'jwks_uri', (url) => get(url, { origin: ORIGIN })),
  tokenPreflight: (_, seen) => at(seen, 'token_endpoint', preflight),
  registrationPreflight: (_, seen) => at(seen, 'registration_endpoint', preflight),
  revocationPreflight: (_, seen) => at(seen, 'revocation_endpoint', preflight),
  userinfoPreflight: (_, seen) => at(seen, 'userinfo_endpoint', preflight),
  authorizePreflight: (_, seen) => at(seen, 'authorization_endpoint', preflight),
  emptyTokenRequest: (_, seen) => at(seen, 'token_endpoint', (url) => post(url, '', FORM)),
  unknownClient: (_, seen) =>
    at(seen, 'token_endpoint', (url) =>
      post(url, `grant_type=refresh_token&client_id=${UNKNOWN_CLIENT}&refresh_token=x`, FORM),
    ),
  unknownDevice: (_, seen) =>
    at(seen, 'device_authorization_endpoint', (url) =>
      post(url, `client_id=${UNKNOWN_CLIENT}&scope=openid`, FORM),
    ),
  unknownPush: (_, seen) =>
    at(seen, 'pushed_authorization_request_endpoint', (url) =>
      post(url, `client_id=${UNKNOWN_CLIENT}`, FORM),
    ),
  badBearer: (_, seen) => at(seen, 'userinfo_endpoint', (url) => get(url, BAD_BEARER)),
  badBearerAtResource: (baseUrl, _seen, resource) =>
    resource === baseUrl ? undefined : get(resource, BAD_BEARER),
  httpsRegistration: (_, seen) => registerClient(seen, [HTTPS_CALLBACK]),
}

/** Probes that register a client. The server deletes it without an approval. */
export const REGISTERING_PROBES: Readonly<Record<string, Ask>> = {
  registration: (_, seen) => registerClient(seen, [REGISTERED]),
  authorize: (_, seen) => authorize(seen, REQUESTED),
  unknownScope: (_, seen) => authorize(seen, REQUESTED, 'doctor:unknown'),
  page: (baseUrl, seen) => {
    const location = headerOf(seen.authorize, 'location')
    if (location === '' || !URL.canParse(location, baseUrl)) return undefined
    const next = new URL(location, baseUrl)
    return next.origin === new URL(baseUrl).origin ? get(next.href) : undefined
  },
}

/** A member of a JSON answer, as text. */
export function memberOf(answer: HttpResponse | undefined, name: string): string | undefined {
  const value = documentOf(answer)?.[name]
  return value === undefined ? undefined : String(value)
}

export function metadata({ answers }: Evidence): Metadata | undefined {
  return documentOf(answers.serverMetadata)
}

/** A member of the metadata that is a list, as text. */
export function listed(document: Metadata, name: string): readonly string[] {
  return [document[name] ?? []].flat().map(String)
}

export function documentOf(answer: HttpResponse | undefined): Metadata | undefined {
  try {
    const value: unknown = JSON.parse(answer?.body ?? '')
    return typeof value === 'object' && value !== null ? (value as Metadata) : undefined
  } catch {
    return undefined
  }
}

export function headerOf(answer: HttpResponse | undefined, name: string): string {
  const value = answer?.headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? '')
}

/** The fault of an answer that scripts of any origin may read. @param name of the probe */
export function allowedOriginFault(name: string, answer: HttpResponse): string | undefined {
  const allowed = headerOf(answer, 'access-control-allow-origin')
  if (allowed === '') return `${name}: the header Access-Control-Allow-Origin is missing`
  return allowed === '*' ? undefined : `${name} allows "${allowed}"`
}

function at(seen: Seen, endpoint: string, ask: (url: string) => Probe): Probe | undefined {
  const url = memberOf(seen.serverMetadata, endpoint)
  return url !== undefined && URL.canParse(url) ? ask(url) : undefined
}

/** An authorization request of the registered client. @param scope default: the first one of the metadata */
export function authorize(
  seen: Seen,
  redirect_uri: string,
  scope = memberOf(seen.serverMetadata, 'scopes_supported')?.split(',')[0] ?? 'openid',
): Probe | undefined {
  const client_id = memberOf(seen.registration, 'client_id')
  if (client_id === undefined) return undefined
  const request = {
    response_type: 'code',
    client_id,
    redirect_uri,
    scope,
    state: STATE,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }
  return at(seen, 'authorization_endpoint', (url) => get(`${url}?${new URLSearchParams(request)}`))
}

export function registerClient(seen: Seen, redirect_uris: readonly string[]): Probe | undefined {
  const body = JSON.stringify({ client_name: 'Grantkit doctor', redirect_uris })
  return at(seen, 'registration_endpoint', (url) => post(url, body, JSON_TYPE))
}

function get(url: string, headers: Probe['headers'] = {}): Probe {
  return { method: 'GET', url, headers }
}

function post(url: string, body: string, headers: Record<string, string>): Probe {
  return { method: 'POST', url, body, headers }
}

function preflight(url: string): Probe {
  return { method: 'OPTIONS', url, headers: { origin: ORIGIN, 'access-control-request-method': 'POST' } }
}
