import type { Feature } from '@grantkit/core'
import type { Client } from '@grantkit/core/feature'

/** The `client_id` of the page at `/docs`. */
const VIEWER = 'docs'

/**
 * The client with which `/docs` signs its user in: a public client of this origin. It is derived from the issuer and is
 * not stored, so it needs no registration and cannot be removed.
 */
export function viewerClient(issuer: string): Feature {
  const client: Client = {
    clientId: VIEWER,
    origin: 'integration',
    clientName: 'The page that tries the API',
    applicationType: 'web',
    redirectUris: [`${issuer}/docs/oauth2-redirect.html`],
    tokenEndpointAuthMethod: 'none',
    grantTypes: ['authorization_code'],
    idTokenSignedResponseAlg: 'RS256',
    createdAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
  }
  const source = { owns: (clientId: string) => clientId === VIEWER, find: async () => client }
  return () => ({ clientSources: () => [source] })
}
