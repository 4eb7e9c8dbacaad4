import { lifetime, wholeNumber } from '../kernel/kernel.ts'
import type { Client, Grant } from '../kernel/records.ts'
import type { AccessTokenFormat } from '../tokens/credential.ts'

export interface GrantOptions {
  readonly lifetimes?:
    | {
        /** Lifetime of an access token. Default 3600. */
        readonly accessToken?: number | undefined
        /** Lifetime of an unused refresh token. Default 30 days. */
        readonly refreshToken?: number | undefined
        /**
         * For how long a spent refresh token or device code gets the same tokens again. 0 disables every repeat. Default 60, and
         * at least 120 for a hosted client that all its users share; maximum 900.
         */
        readonly refreshRetryWindow?: number | undefined
        /**
         * For how long from the answer it still gets them if the new refresh token is unused: an answer may be lost in an outage
         * longer than the window. 0 disables it. Default and maximum 900.
         */
        readonly refreshLateRetry?: number | undefined
      }
    | undefined
  /** The maximum number of live access tokens of one grant. One more drops the oldest, with an event. Default 8. */
  readonly maxAccessTokens?: number | undefined
  /**
   * Whose refresh tokens are replaced at each use. `public-clients`: a confidential client keeps its own until that expires,
   * because a copy is worth nothing without its authentication (FAPI 2.0 Security Profile 5.3.2.1, item 9). Default
   * `always`.
   */
  readonly refreshTokenRotation?: RefreshTokenRotation | undefined
}

type RefreshTokenRotation = 'always' | 'public-clients'

/** Times are epoch seconds, lifetimes seconds. */
export interface GrantTerms {
  /** The lifetime of an access token, in seconds. */
  readonly accessToken: number
  /** The maximum lifetime of an access token for these resources, if its format sets a limit. */
  readonly longest?: AccessTokenFormat['longest']
  /** The resources that accept only sender-constrained tokens. Default: none. */
  readonly boundResources?: readonly string[] | undefined
  /** The lifetime of an unused refresh token, in seconds. */
  readonly refreshToken: number
  readonly refreshRetryWindow: number
  /** Default 900. */
  readonly refreshLateRetry?: number
  /** A client with more live tokens does not use all of them; the oldest is dropped. */
  readonly maxAccessTokens: number
  readonly refreshTokenRotation?: RefreshTokenRotation
}

const DAY = 24 * 60 * 60

/** The lifetimes of tokens, and how many live at once. @throws Error that names the option at fault */
export function grantTerms({
  lifetimes,
  maxAccessTokens = 8,
  refreshTokenRotation = 'always',
}: GrantOptions): GrantTerms {
  wholeNumber('maxAccessTokens', maxAccessTokens, 1, { max: 100 })
  if (refreshTokenRotation !== 'always' && refreshTokenRotation !== 'public-clients')
    throw new Error('refreshTokenRotation must be always or public-clients')
  const retry = {
    refreshRetryWindow: lifetime('refreshRetryWindow', lifetimes?.refreshRetryWindow, 60, 0),
    refreshLateRetry: lifetime('refreshLateRetry', lifetimes?.refreshLateRetry, MAX_RETRY, 0),
  }
  for (const [name, seconds] of Object.entries(retry))
    if (seconds > MAX_RETRY) throw new Error(`lifetimes.${name} must be at most ${MAX_RETRY}`)
  return {
    accessToken: lifetime('accessToken', lifetimes?.accessToken, 3600),
    refreshToken: lifetime('refreshToken', lifetimes?.refreshToken, 30 * DAY),
    ...retry,
    maxAccessTokens,
    refreshTokenRotation,
  }
}

/** Seconds. The servers of a hosted client refresh one token in parallel, the last of them up to 76 seconds after the first. */
const HOSTED_RETRY_WINDOW = 120

/** The terms of one grant. A hosted client that all its users share gets a longer retry window, unless the operator has switched it off. */
export function termsOf(
  terms: GrantTerms,
  { redirectUri }: Pick<Grant, 'redirectUri'>,
  { knownClient }: Pick<Client, 'knownClient'>,
): GrantTerms {
  const isHosted = knownClient !== undefined && redirectUri?.startsWith('https:')
  if (!isHosted || terms.refreshRetryWindow === 0) return terms
  return { ...terms, refreshRetryWindow: Math.max(terms.refreshRetryWindow, HOSTED_RETRY_WINDOW) }
}

/** Seconds after which no answer is repeated. No request and no outage makes this longer. */
export const MAX_RETRY = 900

/** How an answer is repeated. `late`: the retry window was over, so a copy of the spent credential may be in use. */
export type Retry = 'in window' | 'late'

/** A request that presents a credential. */
export interface ArrivedRequest {
  /**
   * Epoch seconds: the retry window is measured to it, however long the request has waited since. It is before the answer if
   * the process stood still meanwhile, with the request read or unread, or if clocks differ.
   */
  readonly arrivedAt: number
}

/**
 * Whether a repeated request gets the same answer again (docs/adr/0002). The record of the grant alone decides that, so
 * all replicas agree.
 *
 * @param answer when tokens were returned, in epoch seconds, and whether that may be repeated late: the refresh token is unused
 * @param terms a window of 0 is strict
 */
export function retryOf(
  { givenAt, unused }: { readonly givenAt: number; readonly unused: boolean },
  { arrivedAt }: ArrivedRequest,
  { refreshRetryWindow, refreshLateRetry = MAX_RETRY }: GrantTerms,
): Retry | undefined {
  const age = arrivedAt - givenAt
  if (refreshRetryWindow === 0) return undefined
  if (age < refreshRetryWindow) return 'in window'
  return unused && age < refreshLateRetry ? 'late' : undefined
}
