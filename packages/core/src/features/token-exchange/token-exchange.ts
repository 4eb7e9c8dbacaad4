/**
 * Token exchange (RFC 8693), narrowing only: an access token is exchanged for a narrower one of the same grant, for a part of the client or for an API that calls another API. It changes only the record of that grant.
 */

import * as z from 'zod'
import type { Feature, ServerContext } from '../../feature.ts'
import { planOf } from '../../grants/change-grant.ts'
import type { ExchangePlan, GrantType, TokenRequest } from '../../grants/grant-type.ts'
import { ResourceParameter, readMessage, text } from '../../http/message.ts'
import { wholeSeconds } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import { newSecret } from '../../kernel/secrets.ts'
import { EXCHANGE_ERRORS, exchangeableResourcesMetadata, narrowToken } from './narrowing.ts'

export interface TokenExchangeOptions {
  /** The maximum lifetime of an exchanged token, in seconds. It never outlives its parent token. Default 900. */
  readonly lifetime?: number | undefined
}

/** A client exchanged an access token for a narrower one of the same grant. */
export interface TokenExchanged {
  readonly type: 'token_exchanged'
  readonly grantId: string
  /** The client of the grant. */
  readonly clientId: string
  /** The client of the new token. */
  readonly actorId: string
  readonly scopes: readonly string[]
}

/**
 * RFC 8693 2.1.
 *
 * @example
 * ```ts
 * import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
 *
 * export const exchangeOf = (token: string) =>
 *   new URLSearchParams({
 *     grant_type: TOKEN_EXCHANGE,
 *     subject_token: token,
 *     subject_token_type: ACCESS_TOKEN_TYPE,
 *     scope: 'notes:read',
 *   })
 * ```
 */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
/**
 * The type of the tokens that are exchanged and issued (RFC 8693 3).
 *
 * @example
 * ```ts
 * import { ACCESS_TOKEN_TYPE } from '@grantkit/core/token-exchange'
 *
 * const parameters = { requested_token_type: ACCESS_TOKEN_TYPE }
 * ```
 */
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/** Characters: a signed token with many scopes is long. */
const MAX_TOKEN_LENGTH = 8192

const seconds = z.string().regex(/^[1-9][0-9]{0,8}$/, 'must be a number of seconds')

/** RFC 8693 2.1, RFC 8707 2.2. `expires_in` requests a shorter lifetime; the RFC does not define it. */
const TokenExchangeRequest = z.object({
  subject_token: text(MAX_TOKEN_LENGTH),
  subject_token_type: text(),
  requested_token_type: text().optional(),
  scope: text().optional(),
  resource: ResourceParameter,
  expires_in: seconds.optional(),
  audience: z.unknown().optional(),
  actor_token: z.unknown().optional(),
  actor_token_type: z.unknown().optional(),
})
type TokenExchangeRequest = z.infer<typeof TokenExchangeRequest>

/**
 * Token exchange (RFC 8693): clients exchange an access token for a narrower one that ends with it. A client may exchange its
 * own tokens. A static client with `token_exchange_resources` may also exchange tokens for one of these resources.
 *
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { tokenExchange } from '@grantkit/core/token-exchange'
 *
 * const features = [tokenExchange()]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function tokenExchange({ lifetime = 900 }: TokenExchangeOptions = {}): Feature {
  wholeSeconds('tokenExchange: lifetime', lifetime, 1)
  return (server) => {
    const grantType: GrantType = {
      name: TOKEN_EXCHANGE,
      message: TokenExchangeRequest,
      credential: 'subject_token',
      selfRegistered: true,
      lifetimes: { accessToken: lifetime },
      exchange: (request) => exchangeToken(server, lifetime, request),
    }
    return {
      grantTypes: [grantType],
      clientMetadata: (registeredBy) => exchangeableResourcesMetadata(server, registeredBy),
      errors: EXCHANGE_ERRORS,
    }
  }
}

async function exchangeToken(
  server: ServerContext,
  lifetime: number,
  sent: TokenRequest,
): Promise<ExchangePlan> {
  const { client, form, now, stored, jkt } = sent
  const request = readMessage(TokenExchangeRequest, form)
  refuseUnsupported(request)
  const { accessTokens } = server
  const read = accessTokens.read(request.subject_token)
  const presented = read instanceof Promise ? await read : read
  // The grant of a signed token is not known before it is read.
  const seen = stored ?? (presented && (await server.store.grants.find(presented.grantId)))
  if (presented === undefined || seen === undefined)
    throw new OAuthError(EXCHANGE_ERRORS.subject_token_unknown)
  const exchange = {
    client,
    subjectToken: presented.hash,
    scope: request.scope,
    resources: request.resource,
    knownResources: server.resources,
    catalogue: server.scopes,
    boundResources: server.boundResources,
    lifetime: Math.min(lifetime, Number(request.expires_in ?? lifetime)),
    longest: server.terms.longest,
    fresh: newSecret(server.random),
    jkt,
  }
  const outcome = narrowToken(seen.value, exchange, now)
  const actorId = client.clientId
  const { id: grantId, clientId } = outcome.grant
  const { scopes } = outcome.result
  const event = { type: 'token_exchanged', grantId, clientId, actorId, scopes } as const
  const plan = await planOf(server, seen, outcome, sent, [event satisfies TokenExchanged])
  return { ...plan, issuedTokenType: ACCESS_TOKEN_TYPE }
}

function refuseUnsupported(request: TokenExchangeRequest): void {
  const { subject_token_type, requested_token_type = ACCESS_TOKEN_TYPE } = request
  if (subject_token_type !== ACCESS_TOKEN_TYPE)
    throw new OAuthError(EXCHANGE_ERRORS.subject_token_type_unsupported)
  if (request.actor_token !== undefined || request.actor_token_type !== undefined)
    throw new OAuthError(EXCHANGE_ERRORS.actor_token_unsupported)
  if (requested_token_type !== ACCESS_TOKEN_TYPE)
    throw new OAuthError(EXCHANGE_ERRORS.requested_token_type_unsupported)
  if (request.audience !== undefined) throw new OAuthError(EXCHANGE_ERRORS.audience_unsupported)
}
