import type { ErrorDefinition } from '../kernel/oauth-error.ts'
import type { AccessTokenState, Client, Grant } from '../kernel/records.ts'
import { type Hash, type Secret, sameSecret, sha256 } from '../kernel/secrets.ts'
import { type AccessTokenFormat, formOf } from '../tokens/access-token.ts'
import { requireKeyFor } from './bound-resource.ts'
import { withoutOrphans } from './exchanged-token.ts'
import type { Retry } from './retry-window.ts'

/**
 * The state machine of a grant. Every transition is pure. Input: the grant, the presented credential and the time.
 * Output: the next step; a thrown refusal changes nothing. One compare-and-swap writes it (`change-grant.ts`).
 *
 *   open --redeem--> live --rotate--> live --...--> gone
 *     \-- wrong verifier, expiry --> gone     live -- replay, reuse, revocation, expiry --> gone
 */
export type Outcome<Result> =
  /** Write `grant`, then answer `result`. */
  | { readonly kind: 'changed'; readonly grant: Grant; readonly result: Result }
  /** Answer `result`; there is nothing to write. */
  | { readonly kind: 'unchanged'; readonly grant: Grant; readonly result: Result }
  /** Remove the grant, and with it all its tokens, then refuse. */
  | { readonly kind: 'ended'; readonly refusal: ErrorDefinition }

/** A stolen or replayed credential ended a whole grant: raise an alarm on this event. */
export interface GrantEnded {
  readonly type: 'grant_ended'
  readonly grantId: string
  readonly clientId: string
  readonly subject?: string | undefined
  readonly reason: string
}

/** Times are epoch seconds, lifetimes seconds. */
export interface GrantTerms {
  readonly accessToken: number
  /** The most that an access token for these resources lives, if its format sets a limit. */
  readonly longest?: AccessTokenFormat['longest']
  /** The resources that take only bound tokens. Default: none. */
  readonly boundResources?: readonly string[] | undefined
  readonly refreshToken: number
  readonly refreshRetryWindow: number
  /** A client that holds more live ones has forgotten some; the oldest is dropped. */
  readonly maxAccessTokens: number
  readonly refreshTokenRotation?: RefreshTokenRotation
}

export type RefreshTokenRotation = 'always' | 'public-clients'

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
  /** How an earlier answer is given again; absent for new tokens. */
  readonly retried?: Retry | undefined
}

/** The parts of a refresh token: its family, the number of rotations before it, and its own secret. */
export interface RefreshTokenSecret {
  readonly family: string
  readonly generation: number
  readonly secret: Secret
}

/** The content of an approval, and the secrets of its code. */
export interface Approval extends Pick<Grant, 'id' | 'clientId' | 'scopes' | 'resources' | 'ticketEndsAt'> {
  /** What the client asked for beside the scopes. */
  readonly withheldScopes: readonly string[]
  readonly subject: string
  readonly redirectUri: string
  readonly authTime: number
  readonly nonce?: string | undefined
  readonly challenge?: string | undefined
  /** The thumbprint of the only key that may redeem the code. */
  readonly jkt?: string | undefined
  readonly code: Secret
}

/** The grant of an approval, with an unredeemed code. */
export function openGrant(
  { code, challenge, jkt, nonce, withheldScopes, ...approved }: Approval,
  now: number,
  lifetimes: { readonly code: number; readonly grant: number },
): Grant {
  const { id, subject, clientId, scopes, resources, redirectUri, authTime, ticketEndsAt } = approved
  return {
    id,
    subject,
    clientId,
    scopes,
    withheldScopes: withheldScopes.length === 0 ? undefined : withheldScopes,
    resources,
    redirectUri,
    nonce,
    authTime,
    createdAt: now,
    usedAt: now,
    expiresAt: now + lifetimes.grant,
    ticketEndsAt,
    code: { hash: sha256(code), challenge, expiresAt: now + lifetimes.code, ...boundTo(jkt) },
    // Named from the start: a member that is added later takes an array of its own.
    refresh: undefined,
    accessTokens: [],
  }
}

/** The member of a record that is bound to a key (`jkt`). */
export function boundTo(thumbprint: string | undefined): { readonly jkt: string } | undefined {
  return thumbprint === undefined ? undefined : { jkt: thumbprint }
}

/** The key of a refresh token. Only that of a public client has one: others prove at each refresh who they are (RFC 9449 5). */
export function keyOfRefreshToken(
  { tokenEndpointAuthMethod }: Client,
  thumbprint: string | undefined,
): string | undefined {
  return tokenEndpointAuthMethod === 'none' ? thumbprint : undefined
}

/**
 * How every refresh must authenticate. A document may drop a method, and names others beside it: what began with a proof
 * goes on with one.
 */
export function methodOfRefreshToken({
  origin,
  tokenEndpointAuthMethod,
}: Client): { readonly authMethod: string } | undefined {
  const isProven = origin === 'document' && tokenEndpointAuthMethod !== 'none'
  return isProven ? { authMethod: tokenEndpointAuthMethod } : undefined
}

/** The live access token that is stored under this hash. */
export function findAccessToken(grant: Grant, hash: Hash, now: number): AccessTokenState | undefined {
  const found = grant.accessTokens.find((issued) => sameSecret(issued.hash, hash) && issued.expiresAt > now)
  if (found?.parent === undefined) return found
  return withoutOrphans(grant.accessTokens).includes(found) ? found : undefined
}

/** The stored hash of a refresh token. It covers all parts, so none can be swapped. */
export function refreshTokenHash({ family, generation, secret }: RefreshTokenSecret): Hash {
  return sha256(`${family}.${generation}.${secret}`)
}

/** Whether a refresh token is the live one of its grant. */
export function isCurrentRefreshToken(grant: Grant, token: RefreshTokenSecret, now: number): boolean {
  const { refresh } = grant
  return refresh !== undefined && sameSecret(refresh.hash, refreshTokenHash(token)) && refresh.expiresAt > now
}

/** Whether a refresh token is, or ever was, a token of this grant: enough to end it. */
export function belongsToFamily(grant: Grant, token: RefreshTokenSecret): boolean {
  return grant.refresh !== undefined && sameSecret(grant.refresh.familyHash, sha256(token.family))
}

/** Takes one access token out of the grant (RFC 7009 2.1), and with it what it was exchanged for. */
export function withoutAccessToken(grant: Grant, hash: Hash): Grant {
  const others = grant.accessTokens.filter((issued) => !sameSecret(issued.hash, hash))
  return { ...grant, accessTokens: withoutOrphans(others) }
}

/** The last of its code and tokens ends then. */
export function liveUntil(grant: Grant): number {
  const ends = grant.accessTokens.map((issued) => issued.expiresAt)
  return Math.max(grant.code?.expiresAt ?? 0, grant.refresh?.expiresAt ?? 0, ...ends)
}

/**
 * The record is needed until this time: the spent code must stay known while a token lives, the id while its ticket does.
 * Without any of them that time is past, and never 0, which Redis takes for no time.
 */
export function keptUntil(grant: Grant): number {
  return Math.max(liveUntil(grant), grant.ticketEndsAt ?? grant.createdAt)
}

/** @throws OAuthError where it must be bound to a key and is not */
export function newAccessToken(
  secret: Secret,
  grant: Grant,
  scopes: readonly string[],
  resources: readonly string[],
  now: number,
  times: GrantTerms,
  jkt?: string,
): AccessTokenState {
  requireKeyFor(resources, times.boundResources ?? [], jkt)
  const { lifetime, mark } = formOf(resources, times.accessToken, times.longest)
  return {
    hash: sha256(secret),
    scopes,
    resources,
    issuedAt: now,
    expiresAt: Math.min(now + lifetime, grant.expiresAt),
    ...mark,
    ...boundTo(jkt),
  }
}
