/**
 * Access tokens for clients that act for themselves (RFC 6749 4.4): jobs and services. A client that has proved who it is comes
 * in, and a token without a user goes out. It writes one record, which ends with the token.
 */
import type { Feature } from '../feature.ts'
import { lifetime } from '../kernel/kernel.ts'
import { type RateLimiter, rateLimits } from '../limits/rate-limits.ts'
import { type AccessTokenFormat, formOf, longestOf, opaqueAccessTokens } from '../tokens/access-token.ts'
import { checkClientCredentials, clientCredentialsMetadata } from './client-credentials-scopes.ts'
import { clientCredentialsGrantType, type TermsOf } from './exchange.ts'

export type { ClientCredentialsTokenIssued } from './exchange.ts'

export interface ClientCredentialsOptions {
  /** Lifetime of a machine token, in seconds. There is no refresh token. Default 3600. */
  readonly accessToken?: number | undefined
  /** The access token format of the server, which may shorten that. Default: opaque tokens. */
  readonly accessTokens?: AccessTokenFormat | undefined
  /** Counts the tokens of each client in each network (`client_credentials`). Default: nothing is limited. */
  readonly rateLimiter?: RateLimiter | undefined
}

/**
 * Lets integrations have tokens for themselves, with the scopes that the operator gave as `client_credentials_scopes`. Clients that
 * register themselves get none. A route takes such tokens only if its guard says `clientCredentials: true`.
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
export function clientCredentials({
  accessToken,
  accessTokens = opaqueAccessTokens,
  rateLimiter,
}: ClientCredentialsOptions = {}): Feature {
  const seconds = lifetime('accessToken', accessToken, 3600)
  const termsOf: TermsOf = (resources) => formOf(resources, seconds, longestOf(accessTokens))
  return (kernel) => ({
    grantTypes: [
      {
        ...clientCredentialsGrantType(kernel, rateLimits({ rateLimiter }, kernel), termsOf),
        lifetimes: { accessToken: seconds },
      },
    ],
    clientMetadata: (registeredBy) => clientCredentialsMetadata(registeredBy, kernel.scopes),
    checkClient: (client) => checkClientCredentials(client, kernel.scopes),
  })
}
