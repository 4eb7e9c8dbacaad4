import { z } from 'zod'
import { systemClock } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { KEPT_SECONDS } from '../kernel/revocation-log.ts'

/** What a guard without the store cannot know. */
export const JWT_GUARD_ERRORS = defineErrors({
  keys_unavailable: [
    'temporarily_unavailable',
    'The keys of the authorization server cannot be read; try again',
  ],
  revocation_feed_stale: ['temporarily_unavailable', 'It is not known which tokens have ended; try again'],
})

export interface RevokedTokensOptions {
  /** The address of the feed (`revocationFeed`). */
  readonly address: string
  /** The credentials of an integration that is a resource server. */
  readonly clientId: string
  readonly clientSecret: string
  /** Seconds between two questions. Default 5. */
  readonly every?: number | undefined
  /** After so many seconds without an answer every token is refused with 503. Default 30. */
  readonly staleAfter?: number | undefined
  /** Hears why the feed could not be read. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** The clock, in epoch seconds. */
  readonly now?: (() => number) | undefined
}

/** The tokens that ended before they expired, as the authorization server told lately. */
export interface RevokedTokens {
  /** @throws OAuthError 503 when it is not known */
  has(jti: string): boolean
  /** Asks now. */
  refresh(): Promise<void>
  /** Asks no more. */
  close(): void
}

const Feed = z.object({ ended: z.array(z.string()), next: z.string() })
/** Milliseconds. */
const ANSWER_TIMEOUT = 5000

/**
 * Asks the feed again and again, without keeping the process alive for it.
 *
 * @example
 * ```ts with:jwt
 * import { createJwtResourceServer, revokedTokens } from '@grantkit/core/jwt-resource-server'
 *
 * const ended = revokedTokens({
 *   address: `${issuer}/api/oauth/ended`,
 *   clientId: process.env.CLIENT_ID ?? '',
 *   clientSecret: process.env.CLIENT_SECRET ?? '',
 * })
 * const keys = `${issuer}/api/oauth/jwks`
 * export const notes = createJwtResourceServer({ issuer, resource: issuer, scopes, keys, ended })
 * ```
 */
export function revokedTokens({
  address,
  clientId,
  clientSecret,
  every = 5,
  staleAfter = 30,
  onError = (error) => console.error('Grantkit: the feed of ended tokens cannot be read:', error),
  now = systemClock,
}: RevokedTokensOptions): RevokedTokens {
  /** When each entry was last heard. */
  const ended = new Map<string, number>()
  let since: string | undefined
  let asOf = Number.NEGATIVE_INFINITY
  let asking = 0
  let last: Promise<unknown> = Promise.resolve()

  async function ask(): Promise<void> {
    const asked = now()
    const credentials = { client_id: clientId, client_secret: clientSecret }
    const body = new URLSearchParams({ ...credentials, ...(since === undefined ? {} : { since }) })
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT)
    const response = await fetch(address, { method: 'POST', body, redirect: 'error', signal })
    if (!response.ok) throw new Error(`The feed of ended tokens answered ${response.status}`)
    const answer = Feed.parse(await response.json())
    for (const entry of answer.ended) ended.set(entry, asked)
    for (const [entry, heard] of ended) if (asked - heard > KEPT_SECONDS) ended.delete(entry)
    since = answer.next
    asOf = asked
  }

  /** One after the other: an answer that was asked for earlier never comes later. */
  function refresh(): Promise<void> {
    asking++
    const asked = last.then(ask).finally(() => asking--)
    last = asked.catch(() => {})
    return asked
  }

  const timer = setInterval(() => asking === 0 && refresh().catch(onError), 1000 * every)
  timer.unref()
  refresh().catch(onError)
  return {
    has(jti) {
      if (now() - asOf > staleAfter) throw new OAuthError(JWT_GUARD_ERRORS.revocation_feed_stale)
      return ended.has(jti) || ended.has(jti.slice(0, jti.indexOf('.')))
    },
    refresh,
    close: () => clearInterval(timer),
  }
}
