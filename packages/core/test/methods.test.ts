import { describe, expect, it } from 'vitest'
import { newRecording } from './recorded-answers/recording.ts'

/** The allowed methods of every route of a server with all features. OPTIONS is for CORS. */
const ALLOWED: Readonly<Record<string, string>> = {
  '/.well-known/oauth-authorization-server': 'GET, HEAD, OPTIONS',
  '/.well-known/oauth-protected-resource': 'GET, HEAD, OPTIONS',
  '/.well-known/oauth-protected-resource/mcp': 'GET, HEAD, OPTIONS',
  '/.well-known/openid-configuration': 'GET, HEAD, OPTIONS',
  '/api/oauth/device_authorization': 'POST, OPTIONS',
  '/api/oauth/ended': 'POST, OPTIONS',
  '/api/oauth/introspect': 'POST, OPTIONS',
  '/api/oauth/jwks': 'GET, HEAD, OPTIONS',
  '/api/oauth/par': 'POST, OPTIONS',
  '/api/oauth/register': 'POST, OPTIONS',
  '/api/oauth/revoke': 'POST, OPTIONS',
  '/api/oauth/token': 'POST, OPTIONS',
  '/api/oauth/userinfo': 'GET, POST, HEAD, OPTIONS',
  '/oauth/authorize': 'GET, POST, HEAD',
  '/oauth/consent': 'POST',
  '/oauth/device': 'GET, POST, HEAD',
  '/oauth/device/decision': 'POST',
  '/oauth/logout': 'GET, POST, HEAD',
  '/oauth/logout/confirm': 'POST',
}
/** It responds to every method, as a gateway sends it. */
const ANY_METHOD = '/api/oauth/verify'

describe('an unsupported method', () => {
  const { service } = newRecording()

  it.each(service.server.routes.map(({ path }) => path).filter((path) => path !== ANY_METHOD))(
    'HT-01, REQ-30, REQ-73: an unsupported method is a 405 that names the others, and scripts can read it if they may call the endpoint: %s',
    async (path) => {
      const { status, headers, body } = await service.send('PATCH', path)
      const open = headers['access-control-allow-origin'] === '*'
      expect([status, headers.allow]).toEqual([405, ALLOWED[path]])
      if (open) expect(JSON.parse(body)).toMatchObject({ error: 'invalid_request' })
      expect(open).toBe(ALLOWED[path]?.endsWith('OPTIONS'))
      expect((await service.send('OPTIONS', path)).status).toBe(open ? 204 : 405)
    },
  )
})
