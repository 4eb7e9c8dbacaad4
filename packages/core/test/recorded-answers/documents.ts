import type { Recording } from './recording.ts'

const METADATA = '/.well-known/oauth-authorization-server'

/** Keys and metadata, and the methods and CORS headers of every endpoint. */
export async function documentAnswers({ ask }: Recording): Promise<void> {
  const metadata = await ask('server metadata', 'GET', METADATA)
  const headers = { 'if-none-match': String(metadata.headers.etag) }
  await ask('server metadata that is known', 'GET', METADATA, { headers })
  await ask('server metadata, HEAD', 'HEAD', '/.well-known/openid-configuration')
  await ask('resource metadata', 'GET', '/.well-known/oauth-protected-resource/mcp')
  await ask('keys', 'GET', '/api/oauth/jwks')
  await ask('a document, POST', 'POST', METADATA)
  await ask('a preflight of an endpoint', 'OPTIONS', '/api/oauth/token', {
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  })
  await ask('an endpoint, GET', 'GET', '/api/oauth/token')
  await ask('a page, PUT', 'PUT', '/oauth/authorize')
}
