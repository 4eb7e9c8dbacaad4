import { z } from 'zod'
import { addClient, clientInformation } from './client-registration.ts'
import { readMessage } from './message.ts'
import { OAuthError } from './oauth-error.ts'
import { ClientMetadata } from './rules/client-metadata.ts'
import { isIntegrationUri } from './rules/redirect-uri.ts'
import type { ServerContext } from './server-context.ts'

/** A client that the operator arranges: it may have fixed https redirect URIs, and is confidential by default. */
const Integration = ClientMetadata.extend({
  client_name: ClientMetadata.shape.client_name.unwrap(),
  redirect_uris: z.array(z.string()).max(20),
  token_endpoint_auth_method: z.enum(['none', 'client_secret_post']).default('client_secret_post'),
  /** Its introspection sees the tokens of every client; such a one needs no redirect URI. */
  resource_server: z.boolean().default(false),
  /** The user need not be asked again for what they allowed it before. Confidential integrations only. */
  remember_consent: z.boolean().default(false),
})
export type Integration = z.input<typeof Integration>

/** The client information response of RFC 7591 3.2.1. The secret is in it this once. */
export interface IntegrationInformation {
  readonly client_id: string
  readonly client_secret?: string
}

/** Far enough: an integration lives until the operator removes it. */
const INTEGRATION_LIFETIME = 100 * 365 * 24 * 60 * 60

/** @throws OAuthError that names what is wrong with the metadata */
export async function addIntegration(
  server: ServerContext,
  given: Integration,
): Promise<IntegrationInformation> {
  const metadata = readMessage(Integration, given, 'client_metadata_invalid')
  const foreign = metadata.redirect_uris.find((uri) => !isIntegrationUri(uri))
  if (foreign !== undefined)
    throw new OAuthError('redirect_uri_refused', `${foreign}: must be https or loopback, without a fragment`)
  if (metadata.redirect_uris.length === 0 && !metadata.resource_server) {
    throw new OAuthError('redirect_uri_refused', 'redirect_uris must not be empty')
  }
  const added = await addClient(server, metadata, {
    origin: 'integration',
    redirectUris: metadata.redirect_uris,
    resourceServer: metadata.resource_server,
    rememberConsent: metadata.remember_consent,
    expiresAt: server.now() + INTEGRATION_LIFETIME,
  })
  server.onEvent({ type: 'integration_added', clientId: added.client.clientId })
  return clientInformation(added) as IntegrationInformation
}
