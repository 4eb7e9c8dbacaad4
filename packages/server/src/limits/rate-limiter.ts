import type { RateLimiter } from '@grantkit/core'
import { networksOf, type RateLimitWindow } from '@grantkit/core/feature'
import { type EventCounter, networkLimits } from '@grantkit/core/internal'
import type { CreateCounter } from './counters.ts'

/**
 * The `rateLimiter` of the authorization server.
 *
 * @param createCounter where events are counted: `countersInMemory`, `countersInRedis(client)`, `sharedCounters(…)`
 * @param windows replace those that the server and its features declare (`description.rateLimits`), and so those of a
 *   caller's wider networks, unless these are set too: `device_request_56`, `device_request_48`
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { countersInMemory, rateLimiter } from '@grantkit/server/rate-limits'
 *
 * const limiter = rateLimiter(countersInMemory, { registration: { points: 20, seconds: 600 } })
 * createAuthorizationServer({ issuer, store, scopes, secret, interaction, rateLimiter: limiter })
 * ```
 */
export function rateLimiter(
  createCounter: CreateCounter,
  windows: Readonly<Record<string, RateLimitWindow>> = {},
): RateLimiter {
  const counters = new Map<string, EventCounter>()
  const wider = Object.entries(windows).flatMap(([name, window]) => networkLimits(name, window))
  const set = new Map([
    ...wider.map(({ name, window }) => [name, window] as const),
    ...Object.entries(windows),
  ])
  return {
    async take(limit, key, declared) {
      const counter = counters.get(limit) ?? createCounter(limit, set.get(limit) ?? declared)
      counters.set(limit, counter)
      return counter.take(key)
    },
    refund: async (limit, key) => counters.get(limit)?.refund(key),
  }
}

/** Counts events of callers by their networks. */
export interface CallerCounter {
  /**
   * Counts one event.
   *
   * @param address of the caller, with or without a port; all texts that are no address count as one
   * @param subject what the caller tries, if each has a count of its own: an account, in upper or lower case
   * @returns seconds until the next event is allowed; 0 if this one was
   */
  take(address: string, subject?: string): Promise<number>
  /** Refunds one event. */
  refund(address: string, subject?: string): Promise<void>
  /** Refunds all events. */
  reset(address: string, subject?: string): Promise<void>
}

/**
 * Counts an IPv4 address for itself, and an IPv6 address for its /64, its /56 and its /48, since one subscriber may have
 * any of them. A /56 may have twice as many events as a /64, a /48 four times as many.
 *
 * @param window of an IPv4 address or a /64
 *
 * @example
 * ```ts
 * import { callerCounter, countersInMemory } from '@grantkit/server/rate-limits'
 *
 * const orders = callerCounter(countersInMemory, 'order', { points: 20, seconds: 60 })
 * // Seconds to wait, or 0.
 * export const waitOf = (address: string) => orders.take(address)
 * ```
 */
export function callerCounter(
  createCounter: CreateCounter,
  name: string,
  window: RateLimitWindow,
): CallerCounter {
  const counters = networkLimits(name, window).map((limit) => createCounter(limit.name, limit.window))

  function countersOf(address: string, subject = '') {
    const keys = networksOf(address).map((network) => `${network} ${keyOf(subject)}`.trimEnd())
    return counters.flatMap((counter, index) => {
      const key = keys[index]
      return key === undefined ? [] : [{ counter, key }]
    })
  }

  return {
    async take(address, subject) {
      for (const { counter, key } of countersOf(address, subject)) {
        const wait = await counter.take(key)
        if (wait > 0) return wait
      }
      return 0
    },
    async refund(address, subject) {
      await Promise.all(countersOf(address, subject).map(({ counter, key }) => counter.refund(key)))
    },
    async reset(address, subject) {
      await Promise.all(countersOf(address, subject).map(({ counter, key }) => counter.reset(key)))
    },
  }
}

const MINUTE = 60

/**
 * Slows down password guessing. An attempt counts for the networks of its caller, and then for the account as these
 * networks see it. Nothing counts for an account over all networks, or for the whole service: a stranger could lock out
 * the owner, or everybody, with wrong passwords.
 */
export interface SignInLimits {
  /** Attempts of a caller. Refund one if the password was correct or was not checked. */
  readonly networks: CallerCounter
  /** Attempts of a caller for an account. Reset them after a correct password; refund one that could not be checked. */
  readonly accounts: CallerCounter
}

/**
 * @example
 * ```ts
 * import { countersInMemory, signInLimits } from '@grantkit/server/rate-limits'
 *
 * const limits = signInLimits(countersInMemory)
 * // Seconds to wait, or 0.
 * export const waitOf = (email: string, address: string) => limits.accounts.take(address, email)
 * ```
 */
export function signInLimits(createCounter: CreateCounter): SignInLimits {
  return {
    networks: callerCounter(createCounter, 'network', { points: 120, seconds: MINUTE }),
    accounts: callerCounter(createCounter, 'account', { points: 10, seconds: 15 * MINUTE }),
  }
}

/** However it is written. */
export function keyOf(account: string): string {
  return account.trim().toLowerCase()
}
