import { createServer } from '@grantkit/server'
import { rawRequest } from '@grantkit/test-servers/raw-request'
import {
  ANY_ORIGIN,
  cached,
  describeHeaders,
  NO_STORE,
  OWN_FORMS,
  PROTOCOL,
  page,
  type Row,
} from '@grantkit/test-servers/security-headers'
import { expect, it } from 'vitest'
import { areas } from '../src/oauth/scopes.ts'
import { pathsOf } from './paths.ts'
import { runService } from './service.ts'
import { signedIn } from './tokens.ts'

/** The exact security headers of each route that the service adds to its server: a new route needs a row. */

const SCHOOL = {
  ...ANY_ORIGIN,
  'access-control-expose-headers': 'WWW-Authenticate, Link, Location, ETag, Retry-After, Grantkit-Reference',
}
const viewer = {
  ...cached(3600),
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
}
const document: Row = { headers: cached(3600), cors: ANY_ORIGIN, preflight: 405 }

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

const ROWS: Readonly<Record<string, Row>> = {
  '/': { headers: page(OWN_FORMS) },
  '/assets/icon.svg': { headers: cached(3600) },
  '/.well-known/oauth-protected-resource/mcp': { headers: cached(3600), cors: PROTOCOL, preflight: 204 },
  '/openapi.json': document,
  '/auth.md': document,
  '/llms.txt': document,
  '/pricing.md': document,
  '/docs': { headers: viewer },
  '/docs/:file': { status: 404, headers: NO_STORE },
  '/mcp': { ask: { method: 'POST', json: {} }, status: 403, headers: NO_STORE, preflight: 403 },
  ...Object.fromEntries(schoolRows),
}

describeHeaders(
  runService,
  () => ROWS,
  ({ https, server, expectHeaders }) => {
    it('every route of the service has a row, here or in the tests of the server', async () => {
      const { baseUrl } = server()
      const plain = await createServer(
        { baseUrl, database: 'memory:' },
        { environment: { NODE_ENV: 'test' } },
      )
      const ofServer = pathsOf(plain)
      await plain.close()
      const rows = [...ofServer, ...Object.keys(ROWS)]
      expect(pathsOf(server()).filter((path) => !rows.includes(path))).toEqual([])
    })

    it.each(['http://localhost:6274', 'own'])('an app at %s may read what MCP answers', async (from) => {
      const origin = from === 'own' ? new URL(server().baseUrl).origin : from
      const mcp = { method: 'POST', path: '/mcp', json: {}, headers: { origin } }
      await expectHeaders(mcp, 400, {
        ...NO_STORE,
        vary: 'Origin',
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'WWW-Authenticate, Grantkit-Reference',
      })
    })

    it('HT-08, D16: no header changes an address that the service names', async () => {
      const headers = {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-prefix': '/evil',
        forwarded: 'host=evil.example;proto=https',
        authorization: 'Bearer x',
      }
      for (const path of ['/', '/openapi.json', '/auth.md', '/llms.txt', '/oauth/authorize', '/api/courses'])
        expect(JSON.stringify(await rawRequest(server(), { path, headers })), path).not.toContain('evil')
    })

    // The name with https is the proxy's.
    if (!https)
      it('the API answers a token without a cache, and refuses a wrong one', async () => {
        const { access_token } = await signedIn(server().baseUrl, 'students:read')
        const call = (token: string) => ({
          path: '/api/students',
          headers: { authorization: `Bearer ${token}` },
        })
        await expectHeaders(call(access_token), 200, { ...NO_STORE, ...SCHOOL, vary: 'Authorization' })
        await expectHeaders(call('wrong'), 401, { ...NO_STORE, pragma: 'no-cache', ...SCHOOL })
      })
  },
)
