import type { BaseEvent } from '../kernel/events.ts'
import type { ClaimsUse, UserClaims } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { AccessTokenState, Client, Grant, Terms } from '../kernel/records.ts'
import { audienceIncludes } from '../kernel/resource-indicator.ts'
import {
  type Hash,
  newGrantId,
  newSecret,
  type Random,
  type Secret,
  sameSecret,
  sha256,
} from '../kernel/secrets.ts'
import type { GrantTerms, Retry } from './grant-terms.ts'
import { firstRefreshState, type RefreshTokenSecret } from './refresh-token-state.ts'

/**
 * The state machine of a grant. Every transition is pure. Input: the grant, the presented credential and the time.
 * Output: the next step; a thrown error changes nothing. One compare-and-swap writes it (`change-grant.ts`).
 *
 *   open --redeem--> live --rotate--> live --...--> gone
 *     \-- wrong verifier, expiry --> gone     live -- replay, reuse, revocation, expiry --> gone
 */
export type Outcome<Result> =
  /** Write `grant`, then answer `result`. */
  | { readonly kind: 'changed'; readonly grant: Grant; readonly result: Result }
  /** Answer `result`; there is nothing to write. */
  | { readonly kind: 'unchanged'; readonly grant: Grant; readonly result: Result }
  /** Remove the grant, and with it all its tokens, then answer the error. */
  | {
      readonly kind: 'ended'
      readonly refusal: ErrorDefinition
      /** Emitted once it is removed. */
      readonly event?: BaseEvent | undefined
    }

/** The secrets of an answer: sent once and not stored. */
export interface IssuedTokens {
  readonly accessToken: Secret
  readonly refreshToken?: RefreshTokenSecret | undefined
  readonly scopes: readonly string[]
  /** What the access token is bound to (RFC 8707); empty means every resource of the server. */
  readonly resources: readonly string[]
  readonly expiresIn: number
  /** The thumbprint of the key that the access token is bound to. */
  readonly jkt?: string | undefined
  /** Of the authorization request, only for the first ID token of a grant (OpenID Connect Core 12.2). */
  readonly nonce?: string | undefined
  /** How an earlier answer is repeated; absent for new tokens. */
  readonly retried?: Retry | undefined
}

/** What its user allowed, as events have it. */
export function extentOf({ scopes, resources, terms }: Pick<Grant, 'scopes' | 'resources' | 'terms'>) {
  return { scopes, resources, ...(terms && { terms }) }
}

type Approved = Omit<Grant, 'createdAt' | 'usedAt' | 'expiresAt' | 'code' | 'refresh' | 'accessTokens'>

/** The content of an approval, and the secrets of its code. */
export interface Approval extends Approved {
  readonly subject: string
  readonly challenge?: string | undefined
  /** The thumbprint of the only key that may redeem the code. */
  readonly jkt?: string | undefined
  readonly code: Secret
}

/** The grant of an approval, with an unredeemed code. */
export function openGrant(
  { code, challenge, jkt, ticketEndsAt, reference, ...approved }: Approval,
  now: number,
  lifetimes: { readonly code: number; readonly grant: number },
): Grant {
  return {
    ...approved,
    createdAt: now,
    usedAt: now,
    expiresAt: now + lifetimes.grant,
    ticketEndsAt,
    reference,
    code: { hash: sha256(code), challenge, expiresAt: now + lifetimes.code, ...(jkt && { jkt }) },
    // Named from the start: a member that is added later takes an array of its own.
    refresh: undefined,
    accessTokens: [],
  }
}

export interface FreshSecrets {
  readonly accessToken: Secret
  readonly family: string
  readonly refreshToken: Secret
}

interface FirstTokens {
  readonly client: Client
  readonly fresh: FreshSecrets
  readonly resources: readonly string[]
  readonly jkt?: string | undefined
}

/** The first tokens of a grant, bound to a key if one is proven. Only a client that is registered for it gets a refresh token. */
export function firstTokens(
  grant: Grant,
  { client, fresh, resources, jkt }: FirstTokens,
  now: number,
  terms: GrantTerms,
): { readonly tokens: Pick<Grant, 'usedAt' | 'accessTokens' | 'refresh'>; readonly issued: IssuedTokens } {
  const { scopes } = grant
  const { accessToken } = fresh
  const access = newAccessToken(grant, { secret: accessToken, scopes, resources, jkt }, now, terms)
  const refreshToken = client.grantTypes.includes('refresh_token')
    ? { family: fresh.family, generation: 0, secret: fresh.refreshToken }
    : undefined
  const expiresAt = Math.min(now + terms.refreshToken, grant.expiresAt)
  const refresh = refreshToken && firstRefreshState(refreshToken, client, expiresAt, jkt)
  return {
    tokens: { usedAt: now, accessTokens: [access], refresh },
    issued: { accessToken, refreshToken, scopes, resources, expiresIn: access.expiresAt - now, jkt },
  }
}

/**
 * A grant with one access token, which ends with it. There is no refresh token.
 *
 * @param approved what the grant allows, and whose it is
 */
export function singleTokenGrant(
  random: Random,
  approved: Omit<Approved, 'id'>,
  jkt: string | undefined,
  now: number,
  terms: TokenTerms,
): { readonly grant: Grant; readonly issued: IssuedTokens } {
  const accessToken = newSecret(random)
  const { scopes, resources } = approved
  const fresh = { secret: accessToken, scopes, resources, jkt }
  const token = newAccessToken({ expiresAt: Infinity }, fresh, now, terms)
  const { expiresAt } = token
  const times = { createdAt: now, usedAt: now, expiresAt }
  return {
    grant: { id: newGrantId(random), ...approved, ...times, accessTokens: [token] },
    issued: { accessToken, scopes, resources, expiresIn: expiresAt - now, jkt },
  }
}

// The access tokens of a grant: plain ones, and those that were exchanged for another (RFC 8693).

export const BOUND_RESOURCE_ERRORS = defineErrors({
  resource_needs_proof: [
    'invalid_dpop_proof',
    'This resource accepts only DPoP-bound tokens. Send a DPoP proof, or name another resource',
  ],
})

interface NewAccessToken {
  readonly secret: Secret
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly jkt?: string | undefined
}

type TokenTerms = Pick<GrantTerms, 'accessToken' | 'longest' | 'boundResources'>

/** @throws OAuthError where it must be bound to a key and is not */
export function newAccessToken(
  { expiresAt: end }: { readonly expiresAt: number },
  { secret, scopes, resources, jkt }: NewAccessToken,
  now: number,
  { accessToken, longest, boundResources = [] }: TokenTerms,
): AccessTokenState {
  requireKeyFor(resources, boundResources, jkt)
  const limit = longest?.(resources)
  return {
    hash: sha256(secret),
    scopes,
    resources,
    issuedAt: now,
    expiresAt: Math.min(now + accessToken, now + (limit ?? accessToken), end),
    ...(limit !== undefined && { signed: true }),
    ...(jkt && { jkt }),
  }
}

/**
 * A new token for a resource that requires sender-constrained tokens must be bound to a key (RFC 9728 2,
 * `dpop_bound_access_tokens_required`).
 *
 * @param resources of the token; empty means every resource of the server
 * @param boundOnly the resources that require sender-constrained tokens
 * @param jkt the thumbprint of the key that the request proves
 * @throws OAuthError `invalid_dpop_proof`, before anything is consumed
 */
export function requireKeyFor(
  resources: readonly string[],
  boundOnly: readonly string[],
  jkt: string | undefined,
): void {
  if (jkt === undefined && boundOnly.some((name) => audienceIncludes(resources, name)))
    throw new OAuthError(BOUND_RESOURCE_ERRORS.resource_needs_proof)
}

/** The live access token that is stored under this hash. */
export function findAccessToken(grant: Grant, hash: Hash, now: number): AccessTokenState | undefined {
  const found = grant.accessTokens.find((issued) => sameSecret(issued.hash, hash) && issued.expiresAt > now)
  if (found?.parent === undefined) return found
  return withoutOrphans(grant.accessTokens).includes(found) ? found : undefined
}

/** The client that holds a token: the one that exchanged it (RFC 8693 4.3), or the client of the grant. */
export function holderOf(grant: Grant, token: Pick<AccessTokenState, 'actor'> | undefined): string {
  return token?.actor?.sub ?? grant.clientId
}

/** A program that its platform identified. Neither a user of this server nor a client. */
export interface Workload {
  /** `iss` of its platform token. */
  readonly issuer: string
  /** `sub` of its platform token. */
  readonly subject: string
}

/** The workload of a grant without a user. */
export function workloadOf({ subject, authority }: Grant): Workload | undefined {
  if (subject !== undefined || authority === undefined) return undefined
  return { issuer: authority.issuer, subject: authority.subject }
}

/**
 * Adds a token of the grant's own client to the live ones. Above the limit the oldest one goes. Exchanged tokens are not
 * counted: they must not displace a token of the user's client.
 *
 * @returns the list, the lifetime of the new token in seconds, and whether a live one was dropped
 * @throws OAuthError where it must be bound to a key and is not
 */
export function addAccessToken(grant: Grant, fresh: NewAccessToken, now: number, terms: GrantTerms) {
  const live = grant.accessTokens.filter(({ expiresAt }) => expiresAt > now)
  const exchanged = live.filter(({ parent }) => parent !== undefined)
  const own = exchanged.length === 0 ? live : live.filter(({ parent }) => parent === undefined)
  const surplus = Math.max(own.length + 1 - terms.maxAccessTokens, 0)
  const newest = newAccessToken(grant, fresh, now, terms)
  // A list that is spread keeps 16 spare places, and this one is stored.
  const kept = own.slice(surplus).concat(newest, exchanged)
  return {
    accessTokens: exchanged.length === 0 ? kept : withoutOrphans(kept),
    expiresIn: newest.expiresAt - now,
    dropped: surplus > 0,
  }
}

/** Takes one access token out of the grant (RFC 7009 2.1), with all tokens that were exchanged for it. */
export function withoutAccessToken(grant: Grant, hash: Hash): Grant {
  const others = grant.accessTokens.filter((issued) => !sameSecret(issued.hash, hash))
  return { ...grant, accessTokens: withoutOrphans(others) }
}

/** The tokens without those whose parent is gone, and without the children of these. */
export function withoutOrphans(tokens: readonly AccessTokenState[]): readonly AccessTokenState[] {
  const kept = tokens.filter(
    ({ parent }) => parent === undefined || tokens.some(({ hash }) => hash === parent),
  )
  return kept.length === tokens.length ? tokens : withoutOrphans(kept)
}

// The terms of a grant, for those who know them.

export const UNKNOWN_TERM = /* @__PURE__ */ defineErrors({
  term_unknown: [
    'invalid_grant',
    'The request or its grant has terms that this server does not know. Authorize again',
  ],
})

/** What reads the terms of a token: a server, or a guard with its store. */
export interface TermClaims<Value = unknown> {
  /** Of `Grant.terms`, `ConsentView.terms` and `AccessToken.terms`. */
  readonly name: string
  /** The claims, or members of an answer, that carry the value. */
  claimsOf(value: Value, request: TermClaimsRequest): UserClaims
}

export interface TermClaimsRequest {
  readonly use: ClaimsUse | 'token_response'
  /** Of the token; at a guard with the store, the one that it guards. */
  readonly resources: readonly string[]
}

/** A term restricts: without its feature, its grant is good for nothing. */
export function hasUnknownTerm(known: readonly TermClaims[] = [], terms: object): boolean {
  return Object.keys(terms).some((name) => !known.some((term) => term.name === name))
}

/** The terms of a token: those of its grant, or narrower ones. */
export function termsOfToken(grant: Grant, token: Pick<AccessTokenState, 'terms'> | undefined) {
  return token?.terms ?? grant.terms
}

export function claimsOfTerms(
  known: readonly TermClaims[] = [],
  terms: Terms,
  request: TermClaimsRequest,
): UserClaims {
  return Object.assign(
    {},
    ...known.filter(({ name }) => name in terms).map((term) => term.claimsOf(terms[term.name], request)),
  )
}
