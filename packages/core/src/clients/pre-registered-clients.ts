import { z } from 'zod'
import { readMessage } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import {
  clientMetadata,
  featureMetadata,
  grantTypesOf,
  METADATA_ERRORS,
  type Registrable,
} from './client-metadata.ts'
import { addClient, clientInformation, type NewClient } from './new-client.ts'
import {
  isAcceptedBy,
  isIntegrationUri,
  REDIRECT_URI_ERRORS,
  type RedirectUriPolicy,
  refuseAnswerParameters,
} from './redirect-uri.ts'

/** Metadata of an integration: a client that the operator registers. It is confidential by default. */
function integrationMetadata(registrable: Registrable) {
  const registered = clientMetadata(registrable)
  const { authMethods } = registrable
  const confidential = authMethods.find((name) => name !== 'none') ?? 'none'
  return registered.extend({
    client_name: registered.shape.client_name.unwrap(),
    /** May be fixed https addresses. */
    redirect_uris: z.array(z.string()).max(20),
    token_endpoint_auth_method: z.enum(authMethods).default(confidential),
    /** One that sends no browser needs no redirect URI. */
    grant_types: grantTypesOf(registrable),
    /** It may introspect the access tokens of every client. Such a client needs no redirect URI. */
    resource_server: z.boolean().default(false),
    /** Skips the consent page for scopes and resources that the user has allowed before. Confidential integrations only. */
    remember_consent: z.boolean().default(false),
    /** `optional` lets a confidential integration send no challenge, for software that knows none (RFC 9700 2.1.1). */
    pkce: z.enum(['required', 'optional']).default('required'),
  })
}
type IntegrationMetadata = z.output<ReturnType<typeof integrationMetadata>>
export type Integration = z.input<ReturnType<typeof integrationMetadata>> & FeatureMembers

/** Each counts where its feature is mounted. */
interface FeatureMembers {
  /** For `logout()`. */
  readonly post_logout_redirect_uris?: readonly string[] | undefined
  /** For OpenID Connect: the ID token has the claims of the user that the granted scopes open. */
  readonly id_token_claims?: boolean | undefined
  /** For `pushedAuthorizationRequests()`: its requests must be pushed (RFC 9126 6). */
  readonly require_pushed_authorization_requests?: boolean | undefined
  /** For `dpop()`: its tokens must be bound to a key (RFC 9449 5.2). */
  readonly dpop_bound_access_tokens?: boolean | undefined
  /** For `tokenExchange()`: the resources it serves. It may exchange the tokens that their callers present. */
  readonly token_exchange_resources?: readonly string[] | undefined
  /** For `clientAssertion()`: its public keys, or their address (RFC 7591 2). */
  readonly jwks?: { readonly keys: readonly object[] } | undefined
  readonly jwks_uri?: string | undefined
  readonly token_endpoint_auth_signing_alg?: string | undefined
  /** For `clientCredentials()`: the scopes of its own tokens, with spaces between. `scope` is for those of users. */
  readonly client_credentials_scopes?: string | undefined
}

/** The client information response of RFC 7591 3.2.1, with the extra members of an integration. */
export interface IntegrationInformation extends FeatureMembers {
  readonly client_id: string
  /** Epoch seconds. */
  readonly client_id_issued_at: number
  /** Only in the answer to `add`. */
  readonly client_secret?: string | undefined
  readonly client_name: string
  readonly redirect_uris: readonly string[]
  readonly token_endpoint_auth_method: string
  /** Absent means every scope of the catalogue. */
  readonly scope?: string | undefined
  readonly resource_server: boolean
  readonly remember_consent: boolean
  readonly pkce: 'required' | 'optional'
}

export interface IntegrationAdded {
  readonly type: 'integration_added'
  readonly clientId: string
}

/** 100 years: an integration lives until the operator removes it. */
const INTEGRATION_LIFETIME = 100 * 365 * 24 * 60 * 60

/** Clients with fixed redirect URIs, which cannot register themselves. */
export function preRegisteredClients(
  kernel: Kernel,
  registrable: Registrable,
  redirectUriPolicy: RedirectUriPolicy,
) {
  const schema = integrationMetadata(registrable)
  return {
    /** @throws OAuthError that names what is wrong with the metadata */
    async add(given: Integration): Promise<IntegrationInformation> {
      const metadata = readMessage(schema, given, () => METADATA_ERRORS.client_metadata_invalid)
      checkRedirectUris(metadata, redirectUriPolicy)
      checkPkce(metadata)
      const terms = {
        origin: 'integration',
        redirectUris: metadata.redirect_uris,
        resourceServer: metadata.resource_server,
        rememberConsent: metadata.remember_consent,
        featureMetadata: featureMetadata(metadata, registrable),
        pkceOptional: metadata.pkce === 'optional' || undefined,
        expiresAt: kernel.now() + INTEGRATION_LIFETIME,
      } as const
      const added = await addClient(kernel, metadata, terms, registrable)
      kernel.emit({ type: 'integration_added', clientId: added.client.clientId } satisfies IntegrationAdded)
      return integrationInformation(added)
    },

    async list(): Promise<IntegrationInformation[]> {
      const found = new Map<string, Client>()
      for await (const client of kernel.store.clients.records.scan())
        if (client.origin === 'integration') found.set(client.clientId, client)
      return [...found.values()]
        .sort((one, other) => one.createdAt - other.createdAt)
        .map((client) => integrationInformation({ client }))
    },
  }
}

function checkRedirectUris(
  { redirect_uris, resource_server, grant_types }: IntegrationMetadata,
  policy: RedirectUriPolicy,
): void {
  const { redirect_uri_refused } = REDIRECT_URI_ERRORS
  const foreign = redirect_uris.find((uri) => !isIntegrationUri(uri) && !isAcceptedBy(policy, uri))
  if (foreign !== undefined)
    throw new OAuthError(
      redirect_uri_refused,
      `${foreign}: must be https, loopback or of a private-use scheme such as com.example.app:/callback, without a fragment`,
    )
  refuseAnswerParameters(redirect_uris)
  const needed = grant_types.includes('authorization_code') && !resource_server
  if (redirect_uris.length === 0 && needed)
    throw new OAuthError(redirect_uri_refused, 'redirect_uris must not be empty')
}

function checkPkce({ pkce, token_endpoint_auth_method }: IntegrationMetadata): void {
  if (pkce === 'optional' && token_endpoint_auth_method === 'none')
    throw new OAuthError(
      METADATA_ERRORS.client_metadata_invalid,
      'pkce: a public client has nothing else that protects its code; only one with a secret may do without',
    )
}

function integrationInformation(added: NewClient): IntegrationInformation {
  const { resourceServer = false, rememberConsent = false, pkceOptional } = added.client
  const pkce = pkceOptional ? 'optional' : 'required'
  const own = { resource_server: resourceServer, remember_consent: rememberConsent, pkce }
  return { ...clientInformation(added), ...own } as IntegrationInformation
}
