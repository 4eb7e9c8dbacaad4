/**
 * Limits that the operator sets for one client. They count what the client gets, at the token endpoint: failed requests do not
 * count, so a caller without its credentials cannot use up its limit.
 */

import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import type { Limiter } from '../limits/rate-limits.ts'
import type { IssuedTokens, Outcome } from './grant.ts'
import type { PrepareResponse } from './grant-type.ts'

export const CLIENT_LIMIT_ERRORS = defineErrors({
  client_over_token_limit: [
    'temporarily_unavailable',
    'The client has had as many tokens in a minute as the operator lets it have. Try again later',
    429,
  ],
  client_over_grant_limit: [
    'temporarily_unavailable',
    'The client has had as many new grants in an hour as the operator lets it have. Try again later',
    429,
  ],
})

/** What a client may have. Absent: no limit. */
type ClientLimits = Pick<Client, 'tokensPerMinute' | 'grantsPerHour'>

/** A request of a client that is about to get tokens. */
interface CountedRequest {
  readonly client: ClientLimits & Pick<Client, 'clientId'>
  /** Whether tokens of this request belong to a grant that had tokens before. */
  readonly refreshes: boolean
  /** The last step before the tokens are written. */
  readonly prepareResponse: PrepareResponse
}

export function hasLimits({ tokensPerMinute, grantsPerHour }: ClientLimits): boolean {
  return tokensPerMinute !== undefined || grantsPerHour !== undefined
}

/** The last step with the count: what fails before it is not counted, and above a limit no code and no refresh token is used up. */
export function countingTokens(limiter: Limiter, request: CountedRequest): PrepareResponse {
  const { client, prepareResponse } = request
  let counted = false
  return async (outcome, issuedTokenType) => {
    const prepared = await prepareResponse(outcome, issuedTokenType)
    // The transition may run again, after another request has changed the grant.
    if (counted || !hasNewTokens(prepared)) return prepared
    counted = true
    await count(limiter, client, request.refreshes || issuedTokenType !== undefined)
    return prepared
  }
}

/** A repeated answer has no new tokens. */
function hasNewTokens(outcome: Outcome<IssuedTokens>): boolean {
  return outcome.kind !== 'ended' && outcome.result.retried === undefined
}

const MINUTE = 60
const HOUR = 60 * MINUTE

/** @throws OAuthError 429 (RFC 6585 4) */
async function count(
  limiter: Limiter,
  { clientId, tokensPerMinute, grantsPerHour }: CountedRequest['client'],
  refreshes: boolean,
): Promise<void> {
  const { client_over_token_limit, client_over_grant_limit } = CLIENT_LIMIT_ERRORS
  const tokens = named('client_tokens', tokensPerMinute, MINUTE)
  const grants = refreshes ? undefined : named('client_grants', grantsPerHour, HOUR)
  const waitForToken = tokens && (await limiter.take(tokens.name, clientId, tokens.window))
  if (waitForToken) throw new OAuthError(client_over_token_limit, undefined, { retryAfter: waitForToken })
  const waitForGrant = grants && (await limiter.take(grants.name, clientId, grants.window))
  if (!waitForGrant) return
  // The client gets no token.
  if (tokens) await limiter.refund(tokens.name, clientId)
  throw new OAuthError(client_over_grant_limit, undefined, { retryAfter: waitForGrant })
}

/** A rate limiter knows a window by its name, so the name has the points: clients with other points have another window. */
function named(limit: string, points: number | undefined, seconds: number) {
  if (points === undefined) return undefined
  return { name: `${limit}_${points}`, window: { points, seconds, withoutLimiter: true } } as const
}
