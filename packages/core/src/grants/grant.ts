import type { ErrorDefinition } from '../kernel/oauth-error.ts'
import type { Client, Grant } from '../kernel/records.ts'
import { type Secret, sha256 } from '../kernel/secrets.ts'
import { newAccessToken } from './access-tokens.ts'
import type { GrantTerms, Retry } from './grant-terms.ts'
import { firstRefreshState, type RefreshTokenSecret } from './refresh-tokens.ts'

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
  | { readonly kind: 'ended'; readonly refusal: ErrorDefinition }

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
  /** How an earlier answer is repeated; absent for new tokens. */
  readonly retried?: Retry | undefined
}

/** The content of an approval, and the secrets of its code. */
export interface Approval
  extends Pick<
    Grant,
    'id' | 'clientId' | 'scopes' | 'resources' | 'ticketEndsAt' | 'reference' | 'sid' | 'acr' | 'amr'
  > {
  /** The scopes that the client requested and did not get. */
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
  const { id, subject, clientId, scopes, resources, redirectUri, authTime, ticketEndsAt, reference } =
    approved
  const { sid, acr, amr } = approved
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
    ...(sid && { sid }),
    ...(acr && { acr }),
    ...(amr && { amr }),
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

/** The secrets of the first tokens of a grant. */
export interface FreshSecrets {
  readonly accessToken: Secret
  readonly family: string
  readonly refreshToken: Secret
}

interface FirstTokens {
  readonly client: Client
  readonly fresh: FreshSecrets
  readonly resources: readonly string[]
  /** The thumbprint of the key that the request proves. */
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
