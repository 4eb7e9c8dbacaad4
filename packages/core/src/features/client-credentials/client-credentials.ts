/**
 * The client credentials grant (RFC 6749 4.4), for jobs and services: an authenticated client gets an access token without a
 * user. It writes one record, which expires with the token.
 */
import * as z from 'zod'
import type { Feature, ServerContext } from '../../feature.ts'
import { requireKeyFor, singleTokenGrant } from '../../grants/grant.ts'
import type { ExchangePlan, TokenRequest } from '../../grants/grant-type.ts'
import { ResourceParameter, readMessage, text } from '../../http/message.ts'
import { lifetime } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import { requestedResources } from '../../kernel/resource-indicator.ts'
import { requestedScopes } from '../../kernel/scope.ts'
import {
  CLIENT_CREDENTIALS,
  CLIENT_CREDENTIALS_ERRORS,
  checkClientCredentials,
  clientCredentialsCeiling,
  clientCredentialsMetadata,
} from './client-credentials-scopes.ts'

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
  const approved = { origin: 'machine', clientId, scopes, resources } as const
  const terms = { ...server.terms, accessToken }
  const { grant, issued } = singleTokenGrant(server.random, approved, jkt, now, terms)
  const ids = { grantId: grant.id, clientId }
  return {
    grant,
    issued,
    commit: () => server.store.grants.insert(grant.id, grant, grant.expiresAt),
    events: [{ type: 'client_credentials_token_issued', ...ids } satisfies ClientCredentialsTokenIssued],
  }
}
