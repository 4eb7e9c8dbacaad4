import { areas } from '../src/oauth/scopes.ts'
import type { Sent } from './raw-request.ts'

/** The exact security headers of each route: a new route needs a row. */
export interface Row {
  readonly ask?: Omit<Sent, 'path'>
  readonly status?: number
  readonly headers: Headers
  /** The headers that let scripts of other origins read the answer; without them they never may. */
  readonly cors?: Headers
  /** The status of a preflight; 405 if no request of a script needs one. */
  readonly preflight?: number
}
type Headers = Readonly<Record<string, string | readonly string[]>>

const EVERY = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
export const NO_STORE = { ...EVERY, 'cache-control': 'no-store' }
export const OF_CORE = { ...NO_STORE, pragma: 'no-cache' }
const cached = (seconds: number) => ({ ...EVERY, 'cache-control': `public, max-age=${seconds}` })

/** Style and logo are inside a page. `headers.test.ts` leaves the hash of the style out. */
export const page = (further = "form-action 'none'; ") => ({
  ...NO_STORE,
  'content-security-policy': `default-src 'none'; style-src 'sha256-…'; img-src data:; ${further}base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
})
/** The extra header of a page that may use a passkey: browsers support none at an IP address. */
export const scripted = (https: boolean) => (https ? "script-src 'self'; connect-src 'self'; " : '')
export const OWN_FORMS = "form-action 'self'; "
const viewer = {
  ...cached(3600),
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
}

const ANY_ORIGIN = { 'access-control-allow-origin': '*' }
export const PROTOCOL = {
  ...ANY_ORIGIN,
  'access-control-expose-headers': 'WWW-Authenticate, Retry-After, ETag, Grantkit-Reference',
}
export const SCHOOL = {
  ...ANY_ORIGIN,
  'access-control-expose-headers': 'WWW-Authenticate, Link, Location, ETag, Retry-After, Grantkit-Reference',
}

const POST = { method: 'POST', form: { a: 'b' } }
const metadata: Row = { headers: cached(3600), cors: PROTOCOL, preflight: 204 }
const document: Row = { headers: cached(3600), cors: ANY_ORIGIN, preflight: 405 }
const endpoint: Row = { ask: POST, status: 400, headers: OF_CORE, cors: PROTOCOL, preflight: 204 }
const asset: Row = { headers: cached(3600) }
const health: Row = { headers: NO_STORE }

/** Responses without sign-in are the same for every caller; errors are not cached. */
const schoolRows = areas.flatMap(({ name, read }): [string, Row][] => {
  const open = { cors: SCHOOL, preflight: 204 }
  const everybodys: Row = { ...open, headers: { ...cached(60), vary: 'Authorization' } }
  const refused: Row = { ...open, ask: { method: 'PUT' }, status: 405, headers: NO_STORE }
  return [
    [`/api/${name}`, read === undefined ? refused : everybodys],
    [`/api/${name}/:id`, read === undefined ? refused : { ...open, status: 404, headers: NO_STORE }],
  ]
})

const passkeyRows: Readonly<Record<string, Row>> = {
  '/assets/passkeys.js': asset,
  '/login/passkey': { headers: { ...NO_STORE, 'set-cookie': [cookie('passkey-sign-in', 300, true)] } },
  '/account/passkeys': { status: 403, headers: NO_STORE },
  '/account/passkeys/remove': { ask: POST, status: 303, headers: NO_STORE },
}

const ADMIN_PAGES = ['', '/users', '/user', '/clients', '/client', '/initial-access-tokens', '/trail']
const adminRows = [...ADMIN_PAGES, '/why', '/why/:reference'].map(
  (path) => [`/admin${path}`, { status: 303, headers: NO_STORE }] as const,
)

/** @param https whether the service uses https: cookies are then secure and bound to the host */
export function headerRows(https: boolean): Readonly<Record<string, Row>> {
  return {
    '/': { headers: page(OWN_FORMS) },
    '/login': { headers: { ...page(scripted(https)), 'set-cookie': [cookie('sign-in', 1800, https)] } },
    '/logout': { headers: page(OWN_FORMS) },
    '/why': { headers: page(OWN_FORMS) },
    '/account': { status: 303, headers: NO_STORE },
    '/account/apps/name': { ask: POST, status: 303, headers: NO_STORE },
    '/account/password': { ask: POST, status: 303, headers: NO_STORE },
    '/account/sessions/end': { ask: POST, status: 303, headers: NO_STORE },
    '/account/sign-out': { ask: POST, status: 303, headers: NO_STORE },
    ...Object.fromEntries(adminRows),
    '/assets/icon.svg': asset,
    '/assets/local-times.js': asset,
    '/oauth/authorize': { status: 400, headers: { ...page(), pragma: 'no-cache' } },
    '/oauth/consent': { ask: POST, status: 403, headers: { ...page(), pragma: 'no-cache' } },
    '/api/oauth/token': endpoint,
    '/api/oauth/revoke': endpoint,
    '/api/oauth/introspect': endpoint,
    '/api/oauth/register': { ...endpoint, ask: { method: 'POST', json: {} } },
    '/api/oauth/userinfo': { ...endpoint, ask: {}, status: 401 },
    '/api/oauth/jwks': { ...metadata, headers: cached(900) },
    '/.well-known/oauth-authorization-server': metadata,
    '/.well-known/openid-configuration': metadata,
    '/.well-known/oauth-protected-resource': metadata,
    '/.well-known/oauth-protected-resource/mcp': metadata,
    '/openapi.json': document,
    '/auth.md': document,
    '/llms.txt': document,
    '/pricing.md': document,
    '/docs': { headers: viewer },
    '/docs/:file': { status: 404, headers: NO_STORE },
    '/mcp': { ask: { method: 'POST', json: {} }, status: 403, headers: NO_STORE, preflight: 403 },
    '/healthz': health,
    '/readyz': health,
    ...(https ? passkeyRows : {}),
    ...Object.fromEntries(schoolRows),
  }
}

/** A cookie of the service with any value, at any port. */
export function cookie(name: string, maxAge: number, https: boolean): string {
  const [prefix, secure] = https ? ['__Host-', '; Secure'] : ['', '']
  return `${prefix}${name}=…; Max-Age=${maxAge}; Path=/; HttpOnly${secure}; SameSite=Lax`
}
