import * as z from 'zod'
import type { ClientMetadataMembers, RegisteredBy } from '../../clients/client-metadata.ts'
import type { Allowed } from '../../grants/change-grant.ts'
import { findAccessToken, holderOf, type IssuedTokens, newAccessToken } from '../../grants/grant.ts'
import { listOf, text } from '../../http/message.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError, withCode } from '../../kernel/oauth-error.ts'
import type { AccessTokenState, Actor, Client, Grant } from '../../kernel/records.ts'
import {
  audienceIncludes,
  canonicalResource,
  narrowedResources,
  plainResources,
} from '../../kernel/resource-indicator.ts'
import {
  narrowedScopes,
  partOf,
  SCOPE_ERRORS,
  type ScopeCatalogue,
  scopeCeiling,
} from '../../kernel/scope.ts'
import type { Hash, Secret } from '../../kernel/secrets.ts'
import type { AccessTokenFormat } from '../../tokens/credential.ts'

/** One text for all errors: the answer must not reveal whether a stolen token is valid (RFC 8693 2.2.2). */
const NOT_EXCHANGEABLE = 'subject_token is expired, revoked, or not exchangeable by this client'

export const EXCHANGE_ERRORS = defineErrors({
  ...withCode('invalid_request', {
    subject_token_unknown: NOT_EXCHANGEABLE,
    subject_token_of_other_client: NOT_EXCHANGEABLE,
    subject_token_type_unsupported: NOT_EXCHANGEABLE,
    actor_token_unsupported: NOT_EXCHANGEABLE,
    requested_token_type_unsupported:
      'requested_token_type must be urn:ietf:params:oauth:token-type:access_token',
    delegation_too_deep:
      'The token was exchanged too often in a chain (maximum 3). Exchange an earlier token',
  }),
  audience_unsupported: ['invalid_target', 'audience is not supported. Name the target by resource'],
  subject_token_of_other_key: [
    'invalid_dpop_proof',
    'subject_token is bound to a key. Send a DPoP proof of this key',
  ],
  too_many_exchanged_tokens: [
    'temporarily_unavailable',
    'The grant has too many live exchanged tokens (maximum 8). Revoke one, or try again later',
    429,
  ],
})

const MAX_CHAIN_LENGTH = 3
const MAX_PER_GRANT = 8

export interface TokenExchange {
  readonly subjectToken: Hash
  /** The client that sends the request. */
  readonly client: Client
  readonly scope: string | undefined
  readonly resources: readonly string[]
  readonly knownResources: readonly string[]
  readonly catalogue: ScopeCatalogue
  /** The resources that accept only sender-constrained tokens. */
  readonly boundResources: readonly string[]
  /** The maximum lifetime of the new token, in seconds. */
  readonly lifetime: number
  /** The maximum lifetime by the access token format. */
  readonly longest?: AccessTokenFormat['longest']
  /** Fresh randomness, used only if the token is issued. */
  readonly fresh: Secret
  /** The thumbprint of the key that the request proves. */
  readonly jkt?: string | undefined
}

/**
 * Exchanges an access token for a new one of the same grant (RFC 8693 2), with no more scopes and resources and no longer
 * lifetime. The new token ends with its parent. The client of the grant keeps all its tokens.
 *
 * @throws OAuthError after which nothing has changed
 */
export function narrowToken(grant: Grant, exchange: TokenExchange, now: number): Allowed<IssuedTokens> {
  const parent = findAccessToken(grant, exchange.subjectToken, now)
  // A client-credentials token has no user to act for. Its client can request a narrower token itself. A personal access token
  // is for APIs, and no token of it may hide where a request comes from.
  if (parent === undefined || grant.origin === 'machine' || grant.origin === 'personal')
    throw new OAuthError(EXCHANGE_ERRORS.subject_token_unknown)
  requireRight(grant, parent, exchange.client)
  requireKey(parent, exchange)
  const scopes = scopesBelow(parent, exchange)
  const resources = narrowedResources(exchange.resources, parent.resources, exchange.knownResources)
  const { client, fresh, jkt, lifetime, longest, boundResources } = exchange
  const terms = { accessToken: lifetime, longest, boundResources }
  const token = newAccessToken(parent, { secret: fresh, scopes, resources, jkt }, now, terms)
  const actor = actorAfter(parent, client)
  const live = grant.accessTokens.filter(({ expiresAt }) => expiresAt > now)
  limitTokens(live, now)
  const child = { ...token, actor, parent: parent.hash }
  return {
    kind: 'changed',
    grant: { ...grant, accessTokens: live.concat(child) },
    result: { accessToken: fresh, scopes, resources, expiresIn: token.expiresAt - now, jkt },
  }
}

/**
 * The client that a token was issued to may exchange it. So may a static client that is one of the token's resources: it
 * received the token in a request and calls another API for the user.
 */
function requireRight(grant: Grant, parent: AccessTokenState, client: Client): void {
  if (holderOf(grant, parent) === client.clientId) return
  const isAudience = exchangeableResources(client).some((resource) =>
    audienceIncludes(parent.resources, resource),
  )
  if (!isAudience) throw new OAuthError(EXCHANGE_ERRORS.subject_token_of_other_client)
}

/**
 * A sender-constrained token is exchanged only for another one; otherwise a thief could get a bearer token. A confidential
 * client may use its own key: an API does not have the key of the client that calls it.
 */
function requireKey({ jkt }: AccessTokenState, exchange: TokenExchange): void {
  if (jkt === undefined || jkt === exchange.jkt) return
  const isPublic = exchange.client.tokenEndpointAuthMethod === 'none'
  if (isPublic || exchange.jkt === undefined) throw new OAuthError(EXCHANGE_ERRORS.subject_token_of_other_key)
}

/** The requested scopes, within the scopes of the token and of the client. @throws OAuthError `invalid_scope` */
function scopesBelow(
  parent: AccessTokenState,
  { client, scope, catalogue }: TokenExchange,
): readonly string[] {
  const ceiling = scopeCeiling(client, catalogue)
  const allowed = ceiling === undefined ? parent.scopes : partOf(parent.scopes, ceiling)
  if (allowed.length === 0) throw new OAuthError(SCOPE_ERRORS.scope_not_registered)
  return narrowedScopes(scope, allowed)
}

/** The actor comes from the record, never from the request: a client cannot speak for others (RFC 8693 4.1). */
function actorAfter({ actor }: AccessTokenState, { clientId: sub }: Client): Actor {
  if (depthOf(actor) >= MAX_CHAIN_LENGTH) throw new OAuthError(EXCHANGE_ERRORS.delegation_too_deep)
  return { sub, act: actor }
}

function depthOf(actor: Actor | undefined): number {
  return actor === undefined ? 0 : 1 + depthOf(actor.act)
}

/** @throws OAuthError 429: no token is revoked for a new one, so an exchange cannot displace the tokens of other clients */
function limitTokens(live: readonly AccessTokenState[], now: number): void {
  const ends = live.filter(({ parent }) => parent !== undefined).map(({ expiresAt }) => expiresAt)
  if (ends.length < MAX_PER_GRANT) return
  const retryAfter = Math.min(...ends) - now
  throw new OAuthError(EXCHANGE_ERRORS.too_many_exchanged_tokens, undefined, { retryAfter })
}

const MEMBER = 'token_exchange_resources'

/** The resources that a static client is. Only the operator registers them: otherwise any client could use others' tokens. */
export function exchangeableResourcesMetadata(
  { resources }: Kernel,
  registeredBy: RegisteredBy,
): ClientMetadataMembers {
  if (registeredBy === 'client') return {}
  // A family is no resource of a token, so its name would be no limit.
  const known = plainResources(resources)
  const resource = text(2048)
    .transform(canonicalResource)
    .refine((value) => known.includes(value), 'must be resources of this server, and no families')
  return { [MEMBER]: listOf(resource, 20).optional() }
}

/** The resources whose tokens this client may exchange. A public client has none, because its client id proves nothing. */
function exchangeableResources({ featureMetadata, tokenEndpointAuthMethod }: Client): readonly string[] {
  if (tokenEndpointAuthMethod === 'none') return []
  return z.array(z.string()).safeParse(featureMetadata?.[MEMBER]).data ?? []
}
