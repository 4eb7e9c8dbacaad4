import type { Feature } from '@grantkit/core'
import type { Client } from '@grantkit/core/feature'

/** The `client_id` of the page at `/docs`. */
const VIEWER = 'docs'

/**
 * The client by which `/docs` signs its user in: a page of this origin, without a secret. It is made of the issuer and
 * is no record, so nobody has to add it, and nobody can remove it.
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
