import type { Stories } from '../world.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']

const PATHS = [
  '/oauth/authorize',
  '/oauth/consent',
  '/api/oauth/token',
  '/api/oauth/register',
  '/api/oauth/revoke',
  '/api/oauth/introspect',
  '/api/oauth/userinfo',
  '/api/oauth/jwks',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
]

/** Every method at every path, with nothing else in the request. */
export const METHOD_STORIES: Stories = {
  'the routes and what they are for': async ({ server, note }) => {
    for (const { path, methods } of server.routes.toSorted((one, other) => (one.path < other.path ? -1 : 1)))
      note(path, methods)
  },
  ...Object.fromEntries(
    METHODS.map((method) => [
      `a bare ${method} of each path`,
      async ({ ask }) => {
        for (const path of PATHS) await ask({ method, path })
      },
    ]),
  ),
  'a preflight': () => ({
    method: 'OPTIONS',
    path: '/api/oauth/token',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    },
  }),
}
