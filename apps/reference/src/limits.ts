import type { RateLimiter } from '@grantkit/core'
import type { CreateCounter } from './counters.ts'

const MINUTE = 60

/** Slows down password guessing, for one account and for the service as a whole. */
export interface SignInLimits {
  /** Counts an attempt. More than 0 means that it must not be made yet. */
  secondsToWait(email: string): Promise<number>
  /** A correct password resets the count of its account. */
  resetAccount(email: string): Promise<void>
}

export function signInLimits(createCounter: CreateCounter): SignInLimits {
  const accounts = createCounter('account', { points: 10, duration: 15 * MINUTE })
  // Password hashing is slow on purpose, so the total of attempts is limited too.
  const service = createCounter('service', { points: 600, duration: MINUTE })
  return {
    async secondsToWait(email) {
      return Math.max(await accounts.take(keyOf(email)), await service.take('all'))
    },
    resetAccount: (email) => accounts.forget(keyOf(email)),
  }
}

/** The limits for core: registrations of an address, failed requests of a client at an address. */
export function rateLimiter(createCounter: CreateCounter): RateLimiter {
  const counters = {
    registration: createCounter('registration', { points: 100, duration: 10 * MINUTE }),
    client_failure: createCounter('client_failure', { points: 100, duration: 10 * MINUTE }),
  }
  return { take: (limit, key) => counters[limit].take(key) }
}

function keyOf(email: string): string {
  return email.trim().toLowerCase()
}
