import { z } from 'zod'
import { addClient, clientInformation, type NewClient } from './client-registration.ts'
import { readMessage } from './message.ts'
import { OAuthError } from './oauth-error.ts'
import { ClientMetadata } from './rules/client-metadata.ts'
import { isIntegrationUri } from './rules/redirect-uri.ts'
import type { ServerContext } from './server-context.ts'
import type { Client, TokenEndpointAuthMethod } from './store.ts'

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

/** The client information response of RFC 7591 3.2.1, and what only an integration has. */
export interface IntegrationInformation {
  readonly client_id: string
  /** Epoch seconds. */
  readonly client_id_issued_at: number
  /** In the answer to `add` and nowhere else. */
  readonly client_secret?: string
  readonly client_name: string
  readonly redirect_uris: readonly string[]
  readonly token_endpoint_auth_method: TokenEndpointAuthMethod
  /** Absent means every scope of the catalogue. */
  readonly scope?: string
  readonly resource_server: boolean
  readonly remember_consent: boolean
}

/** Far enough: an integration lives until the operator removes it. */
const INTEGRATION_LIFETIME = 100 * 365 * 24 * 60 * 60

/** @throws OAuthError that names what is wrong with the metadata */
export async function addIntegration(
  server: ServerContext,
  given: Integration,
): Promise<IntegrationInformation> {
  const metadata = readMessage(Integration, given, () => 'client_metadata_invalid')
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
  return integrationInformation(added)
}

/** All integrations, the oldest first, without their secrets. */
export async function listIntegrations(server: ServerContext): Promise<IntegrationInformation[]> {
  const found = new Map<string, Client>()
  for await (const client of server.store.clients.scan())
    if (client.origin === 'integration') found.set(client.clientId, client)
  return [...found.values()]
    .sort((one, other) => one.createdAt - other.createdAt)
    .map((client) => integrationInformation({ client }))
}

function integrationInformation(added: NewClient): IntegrationInformation {
  const { resourceServer = false, rememberConsent = false } = added.client
  const own = { resource_server: resourceServer, remember_consent: rememberConsent }
  return { ...clientInformation(added), ...own } as IntegrationInformation
}
