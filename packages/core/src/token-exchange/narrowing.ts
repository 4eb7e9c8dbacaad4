import { findAccessToken, holderOf, requireKeyFor } from '../grants/access-tokens.ts'
import type { IssuedTokens, Outcome } from '../grants/grant.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { AccessTokenState, Actor, Client, Grant } from '../kernel/records.ts'
import { audienceIncludes, narrowedResources } from '../kernel/resource-indicator.ts'
import { narrowedScopes, partOf, SCOPE_ERRORS, scopeCeiling } from '../kernel/scope.ts'
import { type Hash, type Secret, sha256 } from '../kernel/secrets.ts'
import { type AccessTokenFormat, formOf } from '../tokens/access-token.ts'
import { exchangeableResources } from './exchangeable-resources.ts'

/** One text for all: the answer must not tell a stolen token from a guess (RFC 8693 2.2.2). */
const NOT_EXCHANGEABLE = 'subject_token is no live access token that this client may exchange'

export const EXCHANGE_ERRORS = defineErrors({
  subject_token_unknown: ['invalid_request', NOT_EXCHANGEABLE],
  subject_token_of_other_client: ['invalid_request', NOT_EXCHANGEABLE],
  subject_token_type_unsupported: ['invalid_request', NOT_EXCHANGEABLE],
  actor_token_unsupported: ['invalid_request', NOT_EXCHANGEABLE],
  requested_token_type_unsupported: ['invalid_request', 'requested_token_type must be that of access tokens'],
  audience_unsupported: ['invalid_target', 'audience is not supported; name the target by resource'],
  subject_token_of_other_key: [
    'invalid_dpop_proof',
    'subject_token is bound to a key: the request needs a proof',
  ],
  delegation_too_deep: ['invalid_request', 'The token was handed on three times, which is the most'],
  too_many_exchanged_tokens: [
    'temporarily_unavailable',
    'The user allowed one access, and eight tokens were exchanged for it; revoke one or try again later',
    429,
  ],
})

const MAX_CHAIN_LENGTH = 3
const MAX_PER_GRANT = 8

export interface TokenExchange {
  /** The hash of the token to exchange. */
  readonly subjectToken: Hash
  /** The client that asks. */
  readonly client: Client
  readonly scope: string | undefined
  readonly resources: readonly string[]
  readonly knownResources: readonly string[]
  /** Those that take only bound tokens. */
  readonly boundResources: readonly string[]
  /** The longest life of the new token, in seconds. */
  readonly lifetime: number
  /** What the format of access tokens says to that. */
  readonly longest?: AccessTokenFormat['longest']
  /** Fresh randomness, used only if the token is issued. */
  readonly fresh: Secret
  /** The thumbprint of the key that the request proves. */
  readonly jkt?: string | undefined
}

/**
 * Exchanges an access token for another one of the same grant (RFC 8693 2), which can never do more, go further or live
 * longer. It ends with the token it was exchanged for. The user's client keeps all its tokens.
 *
 * @throws OAuthError after which nothing has changed
 */
export function narrowToken(grant: Grant, exchange: TokenExchange, now: number): Outcome<IssuedTokens> {
  const parent = findAccessToken(grant, exchange.subjectToken, now)
  // A machine has no user to act for, and asks for a smaller token itself.
  if (parent === undefined || grant.origin === 'machine')
    throw new OAuthError(EXCHANGE_ERRORS.subject_token_unknown)
  requireRight(grant, parent, exchange.client)
  requireKey(parent, exchange)
  const scopes = scopesBelow(parent, exchange)
  const resources = narrowedResources(exchange.resources, parent.resources, exchange.knownResources)
  requireKeyFor(resources, exchange.boundResources, exchange.jkt)
  const actor = actorAfter(parent, exchange.client)
  const live = grant.accessTokens.filter(({ expiresAt }) => expiresAt > now)
  requireRoom(live, now)
  const { lifetime, mark } = formOf(resources, exchange.lifetime, exchange.longest)
  const expiresAt = Math.min(now + lifetime, parent.expiresAt)
  const child: AccessTokenState = {
    hash: sha256(exchange.fresh),
    ...{ scopes, resources, expiresAt, actor },
    issuedAt: now,
    parent: parent.hash,
    ...mark,
    ...(exchange.jkt && { jkt: exchange.jkt }),
  }
  return {
    kind: 'changed',
    grant: { ...grant, accessTokens: live.concat(child) },
    result: { accessToken: exchange.fresh, scopes, resources, expiresIn: expiresAt - now, jkt: exchange.jkt },
  }
}

/**
 * Whoever holds the token may exchange it. So may an integration that the operator trusts, which is one of the resources
 * that the token is for: it got the token in a request, and calls another one for the user.
 */
function requireRight(grant: Grant, parent: AccessTokenState, client: Client): void {
  if (holderOf(grant, parent) === client.clientId) return
  const isAudience = exchangeableResources(client).some((resource) =>
    audienceIncludes(parent.resources, resource),
  )
  if (!isAudience) throw new OAuthError(EXCHANGE_ERRORS.subject_token_of_other_client)
}

/**
 * What is bound to a key stays bound to one, or a thief would exchange it for a bearer token. A client that proves who it is
 * may name a key of its own, since the key of the user's client is not in what an API gets.
 */
function requireKey({ jkt }: AccessTokenState, exchange: TokenExchange): void {
  if (jkt === undefined || jkt === exchange.jkt) return
  const isPublic = exchange.client.tokenEndpointAuthMethod === 'none'
  if (isPublic || exchange.jkt === undefined) throw new OAuthError(EXCHANGE_ERRORS.subject_token_of_other_key)
}

/** What the token has and the client may have. @throws OAuthError `invalid_scope` */
function scopesBelow(parent: AccessTokenState, { client, scope }: TokenExchange): readonly string[] {
  const ceiling = scopeCeiling(client)
  const most = ceiling === undefined ? parent.scopes : partOf(parent.scopes, ceiling)
  if (most.length === 0) throw new OAuthError(SCOPE_ERRORS.scope_not_registered)
  return narrowedScopes(scope, most)
}

/** Made from what is stored, never from the request: a client cannot speak for others (RFC 8693 4.1). */
function actorAfter({ actor }: AccessTokenState, { clientId: sub }: Client): Actor {
  if (depthOf(actor) >= MAX_CHAIN_LENGTH) throw new OAuthError(EXCHANGE_ERRORS.delegation_too_deep)
  return actor === undefined ? { sub } : { sub, act: actor }
}

function depthOf(actor: Actor | undefined): number {
  return actor === undefined ? 0 : 1 + depthOf(actor.act)
}

/** @throws OAuthError 429: no token has to go for another one, so that nobody can crowd out the user's client */
function requireRoom(live: readonly AccessTokenState[], now: number): void {
  const ends = live.filter(({ parent }) => parent !== undefined).map(({ expiresAt }) => expiresAt)
  if (ends.length < MAX_PER_GRANT) return
  const retryAfter = Math.min(...ends) - now
  throw new OAuthError(EXCHANGE_ERRORS.too_many_exchanged_tokens, undefined, { retryAfter })
}
