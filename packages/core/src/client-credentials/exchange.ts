import { z } from 'zod'
import { boundTo, requireKeyFor } from '../grants/access-tokens.ts'
import type { Exchanged, GrantType } from '../grants/grant-type.ts'
import { ResourceParameter, readMessage, text } from '../http/message.ts'
import type { Parameters } from '../http/parameters.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { requestedResources } from '../kernel/resource-indicator.ts'
import { requestedScopes } from '../kernel/scope.ts'
import { newSecret, sha256 } from '../kernel/secrets.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { formOf } from '../tokens/access-token.ts'
import { clientCredentialsGrant } from './client-credentials-grant.ts'
import { CLIENT_CREDENTIALS, clientCredentialsCeiling } from './client-credentials-scopes.ts'

export const CLIENT_CREDENTIALS_ERRORS = defineErrors({
  client_credentials_not_allowed: [
    'unauthorized_client',
    'The operator has allowed this client nothing for itself',
  ],
})

/** A client got a token for itself. */
export interface ClientCredentialsTokenIssued {
  readonly type: 'client_credentials_token_issued'
  readonly grantId: string
  readonly clientId: string
}

/** RFC 6749 4.4.2. */
const ClientCredentialsRequest = z.object({ scope: text().optional(), resource: ResourceParameter })

/** How a token for these resources is issued. */
export type TermsOf = (resources: readonly string[]) => ReturnType<typeof formOf>

export function clientCredentialsGrantType(kernel: Kernel, limits: RateLimits, termsOf: TermsOf): GrantType {
  return {
    name: CLIENT_CREDENTIALS,
    message: ClientCredentialsRequest,
    async exchange(client, { form, assertCanRespond, jkt, http }): Promise<Exchanged> {
      const asked = { clientId: client.clientId, ...requested(kernel, client, form) }
      requireKeyFor(asked.resources, kernel.boundResources, jkt)
      await limits.limitClientCredentials(client, http)
      const accessToken = newSecret(kernel.random)
      const { lifetime, mark } = termsOf(asked.resources)
      const token = { hash: sha256(accessToken), ...mark, ...boundTo(jkt) }
      const grant = clientCredentialsGrant(kernel.random, asked, token, kernel.now(), lifetime)
      assertCanRespond(client, grant)
      await kernel.store.grants.insert(grant.id, grant, grant.expiresAt)
      const { id: grantId, clientId, scopes, resources } = grant
      kernel.emit({
        type: 'client_credentials_token_issued',
        grantId,
        clientId,
      } satisfies ClientCredentialsTokenIssued)
      return { grant, issued: { accessToken, scopes, resources, expiresIn: lifetime, jkt } }
    },
  }
}

/** @throws OAuthError `unauthorized_client`, `invalid_scope` or `invalid_target` */
function requested(kernel: Kernel, client: Client, form: Parameters) {
  const { scope, resource } = readMessage(ClientCredentialsRequest, form)
  const ceiling = clientCredentialsCeiling(client, kernel.scopes)
  // The record may be older than the rule of today, or come from elsewhere.
  if (ceiling.length === 0 || client.tokenEndpointAuthMethod === 'none')
    throw new OAuthError(CLIENT_CREDENTIALS_ERRORS.client_credentials_not_allowed)
  return {
    scopes: scope === undefined ? ceiling : requestedScopes(scope, kernel.scopes, ceiling),
    resources: requestedResources(resource, kernel.resources),
  }
}
