import {
  cached,
  NO_STORE,
  OWN_FORMS,
  PROTOCOL,
  page,
  type Row,
} from '@grantkit/test-servers/security-headers'

/** The exact security headers of each route of the server: a new route needs a row. */

export const OF_CORE = { ...NO_STORE, pragma: 'no-cache' }
/** The extra header of a page that may use a passkey: browsers support none at an IP address. */
export const scripted = (https: boolean) => (https ? "script-src 'self'; connect-src 'self'; " : '')

const POST = { method: 'POST', form: { a: 'b' } }
const metadata: Row = { headers: cached(3600), cors: PROTOCOL, preflight: 204 }
const endpoint: Row = { ask: POST, status: 400, headers: OF_CORE, cors: PROTOCOL, preflight: 204 }
const asset: Row = { headers: cached(3600) }
const health: Row = { headers: NO_STORE }

const passkeyRows: Readonly<Record<string, Row>> = {
  '/assets/passkeys.js': asset,
  '/login/passkey': { headers: { ...NO_STORE, 'set-cookie': [cookie('passkey-sign-in', 300, true)] } },
  '/login/enrol': { status: 403, headers: page(OWN_FORMS) },
  '/login/enrol/passkey': { ask: POST, status: 403, headers: page(OWN_FORMS) },
  '/login/passkey-notice': { status: 303, headers: NO_STORE },
  '/account/passkeys': { status: 403, headers: NO_STORE },
}

const ADMIN_PAGES = ['', '/users', '/user', '/clients', '/client', '/initial-access-tokens', '/trail']
const adminRows = [...ADMIN_PAGES, '/why', '/why/:reference'].map(
  (path) => [`/admin${path}`, { status: 303, headers: NO_STORE }] as const,
)

/** @param https whether the server uses https: cookies are then secure and bound to the host */
export function headerRows(https: boolean): Readonly<Record<string, Row>> {
  return {
    '/': { headers: page(OWN_FORMS) },
    '/login': { headers: { ...page(scripted(https)), 'set-cookie': [cookie('sign-in', 1800, https)] } },
    '/logout': { headers: page(OWN_FORMS) },
    '/why': { headers: page(OWN_FORMS) },
    '/account': { status: 303, headers: NO_STORE },
    '/account/apps/name': { ask: POST, status: 303, headers: NO_STORE },
    '/account/password': { ask: POST, status: 303, headers: NO_STORE },
    '/account/passkeys/remove': { ask: POST, status: 303, headers: NO_STORE },
    '/account/identities/remove': { ask: POST, status: 303, headers: NO_STORE },
    '/account/sessions/end': { ask: POST, status: 303, headers: NO_STORE },
    '/account/sign-out': { ask: POST, status: 303, headers: NO_STORE },
    ...Object.fromEntries(adminRows),
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
    '/healthz': health,
    '/readyz': health,
    ...(https ? passkeyRows : {}),
  }
}

/** A cookie of the server with any value, at any port. */
export function cookie(name: string, maxAge: number, https: boolean): string {
  const [prefix, secure] = https ? ['__Host-', '; Secure'] : ['', '']
  return `${prefix}${name}=…; Max-Age=${maxAge}; Path=/; HttpOnly${secure}; SameSite=Lax`
}
