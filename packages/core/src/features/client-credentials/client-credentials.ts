/**
 * The client credentials grant (RFC 6749 4.4), for jobs and services: an authenticated client gets an access token without a
 * user. It writes one record, which expires with the token.
 */
import * as z from 'zod'
import {
  type ClientMetadataMembers,
  invalidMember,
  invalidMetadata,
  type RegisteredBy,
} from '../../clients/client-metadata.ts'
import type { Feature, ServerContext } from '../../feature.ts'
import { requireKeyFor, singleTokenGrant } from '../../grants/grant.ts'
import type { ExchangePlan, TokenRequest } from '../../grants/grant-type.ts'
import { listOf, ResourceParameter, readMessage, text } from '../../http/message.ts'
import { lifetime } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { requestedResources } from '../../kernel/resource-indicator.ts'
import { parseScope, requestedScopes, type ScopeCatalogue, scopesWithoutUser } from '../../kernel/scope.ts'

const CLIENT_CREDENTIALS = 'client_credentials'

export const CLIENT_CREDENTIALS_ERRORS = defineErrors({
  client_credentials_not_allowed: [
    'unauthorized_client',
    'This client may not use client credentials. Ask the operator to allow it',
  ],
  too_many_client_credentials_tokens: [
    'temporarily_unavailable',
    'This client requested too many tokens. Use each until it expires',
    429,
  ],
})

export interface ClientCredentialsOptions {
  /** Lifetime of a token, in seconds. There is no refresh token. Default: the lifetime of the server's access tokens. */
  readonly lifetime?: number | undefined
}

/** A client got a client-credentials token. */
export interface ClientCredentialsTokenIssued {
  readonly type: 'client_credentials_token_issued'
  readonly grantId: string
  readonly clientId: string
}

/** RFC 6749 4.4.2. */
const ClientCredentialsRequest = z.object({ scope: text().optional(), resource: ResourceParameter })

/**
 * The client credentials grant (RFC 6749 4.4), for clients that the operator registered with `client_credentials_scopes`.
 * Clients that register themselves cannot use it. A route accepts such tokens only with `allowing({ clientCredentials: true })`.
 * The limit `client_credentials` counts the tokens of each client in each network.
 *
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { clientCredentials } from '@grantkit/core/client-credentials'
 *
 * const features = [clientCredentials()]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function clientCredentials({ lifetime: configured }: ClientCredentialsOptions = {}): Feature {
  return (server) => {
    const accessToken = lifetime('clientCredentials', configured, server.terms.accessToken)
    return {
      grantTypes: [
        {
          name: CLIENT_CREDENTIALS,
          message: ClientCredentialsRequest,
          lifetimes: { accessToken },
          exchange: (request) => issueToken(server, accessToken, request),
        },
      ],
      clientMetadata: (registeredBy) => clientCredentialsMetadata(registeredBy, server.scopes),
      checkClient: (client) => checkClientCredentials(client, server.scopes),
      rateLimits: { client_credentials: { points: 600, seconds: 600 } },
      errors: CLIENT_CREDENTIALS_ERRORS,
    }
  }
}

async function issueToken(
  server: ServerContext,
  accessToken: number,
  { client, form, now, jkt, http }: TokenRequest,
): Promise<ExchangePlan> {
  const { scope, resource } = readMessage(ClientCredentialsRequest, form)
  const ceiling = clientCredentialsCeiling(client, server.scopes)
  // The record may be older than the rule, or another program wrote it.
  if (ceiling.length === 0 || client.tokenEndpointAuthMethod === 'none')
    throw new OAuthError(CLIENT_CREDENTIALS_ERRORS.client_credentials_not_allowed)
  const scopes = scope === undefined ? ceiling : requestedScopes(scope, server.scopes, ceiling)
  const resources = requestedResources(resource, server.resources)
  requireKeyFor(resources, server.boundResources, jkt)
  const { clientId } = client
  // By network: an installation in a loop, or a thief with the secret, does not use up the limit of the others.
  const { too_many_client_credentials_tokens } = CLIENT_CREDENTIALS_ERRORS
  await server.limiter.limitCaller('client_credentials', http, too_many_client_credentials_tokens, clientId)
  // It has no user, so no list of connected apps shows it.
  const terms = server.requestTerms?.ofClient(client)
  const approved = { origin: 'machine', clientId, scopes, resources, ...(terms && { terms }) } as const
  const lives = { ...server.terms, accessToken }
  const { grant, issued } = singleTokenGrant(server.random, approved, jkt, now, lives)
  const ids = { grantId: grant.id, clientId }
  return {
    grant,
    issued,
    commit: () => server.store.grants.insert(grant.id, grant, grant.expiresAt),
    events: [{ type: 'client_credentials_token_issued', ...ids } satisfies ClientCredentialsTokenIssued],
  }
}

/** The client metadata of a static client. `scopes` is not used here: it is for tokens of users. */
function clientCredentialsMetadata(
  registeredBy: RegisteredBy,
  catalogue: ScopeCatalogue,
): ClientMetadataMembers {
  if (registeredBy === 'client') return {}
  const allowed = scopesWithoutUser(catalogue)
  const name = text().refine((scope) => allowed.includes(scope), {
    error: ({ input }) => `${String(input)} is no scope for client credentials`,
  })
  return { client_credentials_scopes: listOf(name, 500).optional() }
}

/** The maximum scopes of a client's own tokens. Scopes that the server no longer has are left out. */
function clientCredentialsCeiling(
  { origin, featureMetadata }: Client,
  catalogue: ScopeCatalogue,
): readonly string[] {
  // Records of earlier releases have `machine_scopes`, and a scope in place of a list.
  const stored = featureMetadata?.client_credentials_scopes ?? featureMetadata?.machine_scopes
  const names = typeof stored === 'string' ? parseScope(stored) : z.array(z.string()).safeParse(stored).data
  const allowed = scopesWithoutUser(catalogue)
  return origin === 'integration' ? (names?.filter((name) => allowed.includes(name)) ?? []) : []
}

/** @throws OAuthError `invalid_client_metadata` for a client that could never get such a token */
function checkClientCredentials(client: Client, catalogue: ScopeCatalogue): void {
  if (!client.grantTypes.includes(CLIENT_CREDENTIALS)) return
  if (client.tokenEndpointAuthMethod === 'none')
    throw invalidMetadata(`${CLIENT_CREDENTIALS} needs a client that authenticates`)
  if (clientCredentialsCeiling(client, catalogue).length === 0)
    throw invalidMember('', `${CLIENT_CREDENTIALS} needs `, 'clientCredentialsScopes')
}
