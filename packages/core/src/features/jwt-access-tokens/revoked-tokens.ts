import * as z from 'zod'
import { isHttpsOrLoopback } from '../../http/public-url.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import { KEPT_SECONDS } from '../../kernel/revocation-log.ts'
import { systemClock, systemTime, type Time } from '../../kernel/time.ts'

export const JWT_GUARD_ERRORS = defineErrors({
  keys_unavailable: [
    'temporarily_unavailable',
    'The keys of the authorization server are not available. Try again',
  ],
  revocation_feed_stale: ['temporarily_unavailable', 'The revocation feed is not available. Try again'],
})

export interface RevokedTokensOptions {
  /** The URL of the revocation feed (`revocationFeed`): https, or loopback. */
  readonly address: string
  /** The credentials of a static client that is a resource server. */
  readonly clientId: string
  readonly clientSecret: string
  /** Seconds between two requests. Default 5. */
  readonly every?: number | undefined
  /** Seconds without an answer after which every token is refused with 503. Default 30. */
  readonly staleAfter?: number | undefined
  /** Gets the error when the feed cannot be read. Default: it is logged to the console. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** The clock, in epoch seconds. */
  readonly now?: (() => number) | undefined
  /** Waits, for tests. Default: the timers of the runtime. */
  readonly time?: Time | undefined
}

/** The revoked tokens that have not expired, by the last answer of the authorization server. */
export interface RevokedTokens {
  /**
   * Reads the feed, if the last answer is older than `every`: a runtime that ends or freezes timers with a request has not.
   * Several requests wait for one answer. It never rejects.
   *
   * @returns `undefined` if there is nothing to wait for
   */
  refreshIfOld(): Promise<void> | undefined
  /** @throws OAuthError 503 if the last answer is too old */
  has(jti: string): boolean
  /** Reads the feed now. */
  refresh(): Promise<void>
  /** Stops reading the feed at intervals. */
  close(): void
}

const Feed = z.object({ ended: z.array(z.string()), next: z.string() })

/**
 * Reads the revocation feed at regular intervals, from the first request that a guard checks. It does not keep the process
 * alive. Where a runtime ends timers with their request (Workers, Lambda), the next request reads the feed first.
 *
 * @throws Error for an address that is neither https nor loopback
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
  onError = (error) => console.error('Grantkit: the revocation feed cannot be read:', error),
  now = systemClock,
  time = systemTime,
}: RevokedTokensOptions): RevokedTokens {
  // It gets the client secret.
  if (!isHttpsOrLoopback(address)) throw new Error(`revokedTokens: address must be https, not ${address}`)
  /** When each entry was last received. */
  const ended = new Map<string, number>()
  let since: string | undefined
  let asOf = Number.NEGATIVE_INFINITY
  let cancelTimer: (() => void) | undefined
  const reading = oneAtATime(read, { now, time })

  async function read(): Promise<void> {
    const requestedAt = now()
    const credentials = { client_id: clientId, client_secret: clientSecret }
    const body = new URLSearchParams({ ...credentials, ...(since === undefined ? {} : { since }) })
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    // Workers do not know `error`. A redirect is not `ok` either.
    const response = await fetch(address, { method: 'POST', body, redirect: 'manual', signal })
    if (!response.ok) throw new Error(`The revocation feed answered ${response.status}`)
    const answer = Feed.parse(await response.json())
    for (const entry of answer.ended) ended.set(entry, requestedAt)
    for (const [entry, receivedAt] of ended) if (requestedAt - receivedAt > KEPT_SECONDS) ended.delete(entry)
    since = answer.next
    asOf = Math.max(asOf, requestedAt)
  }

  const isStale = () => now() - asOf > staleAfter
  const start = () => reading.start().catch(onError)

  /** Not before a request: a Worker refuses timers and requests while it starts. */
  function startTimer(): void {
    cancelTimer ??= time.after(1000 * every, turn)
  }

  function turn(): void {
    cancelTimer = time.after(1000 * every, turn)
    if (reading.current() === undefined) void start()
  }

  return {
    refreshIfOld() {
      startTimer()
      if (now() - asOf <= every) return undefined
      const current = reading.current()
      if (current !== undefined) return atMost(time, isStale() ? ANSWER_TIMEOUT_MS : MAX_WAIT_MS, current)
      // A feed that cannot be read is not tried again for each request.
      return now() - reading.lastStart() < every ? undefined : start()
    },
    has(jti) {
      if (isStale()) throw new OAuthError(JWT_GUARD_ERRORS.revocation_feed_stale)
      return ended.has(jti) || ended.has(jti.slice(0, jti.indexOf('.')))
    },
    refresh: reading.startNext,
    close() {
      cancelTimer?.()
      // No request starts it again.
      cancelTimer = () => {}
    },
  }
}

// One request at a time, for whoever needs its answer, on runtimes where a request may be cut off with the one that began it.

const ANSWER_TIMEOUT_MS = 5000
/** How long a request waits for an answer that another request or the timer has begun to read. */
const MAX_WAIT_MS = 1000

/** @param now epoch seconds */
export function oneAtATime(read: () => Promise<void>, { now, time }: { now: () => number; time: Time }) {
  let running: Promise<void> | undefined
  let startedAt = Number.NEGATIVE_INFINITY

  /** A read that was cut off never ends, not even by its timeout. So after that time it does not count. */
  const current = () => (now() - startedAt > 1 + ANSWER_TIMEOUT_MS / 1000 ? undefined : running)

  /** Only if nothing is in progress. */
  function start(): Promise<void> {
    startedAt = now()
    const started = read().finally(() => {
      if (running === started) running = undefined
    })
    running = started
    return started
  }

  /** Reads once what is in progress has ended: the answer has everything until this call. */
  async function startNext(): Promise<void> {
    for (let before = current(); before !== undefined; before = current())
      await atMost(time, ANSWER_TIMEOUT_MS, before)
    return start()
  }

  return { current, lastStart: () => startedAt, start, startNext }
}

/** Waits for the end of something, whatever its result, and no longer than a limit. */
function atMost(time: Time, milliseconds: number, ending: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = time.after(milliseconds, resolve)
    const end = () => {
      cancel()
      resolve()
    }
    ending.then(end, end)
  })
}
