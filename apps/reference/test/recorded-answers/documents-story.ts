import type { Visitor } from './visitor.ts'

const DOCUMENTS_FOR_MACHINES = [
  '/auth.md',
  '/llms.txt',
  '/pricing.md',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/api/oauth/jwks',
]

/** Third-party files, or no text. */
const ASSETS = ['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/assets/style.css', '/assets/icon.svg']

/** The documents for machines, without the description of its routes, and the assets of its pages. */
export async function documentsStory({ get, send }: Visitor): Promise<void> {
  for (const path of DOCUMENTS_FOR_MACHINES) {
    const { headers } = await get(path)
    await get(path, { 'if-none-match': headers.get('etag') ?? '' })
  }
  await send({ method: 'POST', path: '/auth.md' })
  await send({ method: 'OPTIONS', path: '/llms.txt' })
  await get('/docs')
  await get('/docs/nothing.js')
  for (const path of ASSETS) await send({ method: 'HEAD', path })
  await get('/healthz')
  await get('/readyz')
}
