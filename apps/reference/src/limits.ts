import type { RateLimiter } from '@grantkit/core'
import type { CreateCounter } from './counters.ts'

const MINUTE = 60

/**
 * Slows down password guessing. An attempt counts for its network first, then for the account as that network sees it,
 * and last for the whole service: nobody locks the account of another, or the service, by attempts that are refused.
 */
export interface SignInLimits {
  /** Counts an attempt for its network. More than 0 means that it must not be made yet. */
  waitOfNetwork(network: string): Promise<number>
  /** Counts an attempt for the account, then for the service. */
  waitOfAccount(email: string, network: string): Promise<number>
  /** A correct password resets the count of its account in this network. */
  resetAccount(email: string, network: string): Promise<void>
}

export function signInLimits(createCounter: CreateCounter): SignInLimits {
  // A school has one address for everybody who signs in before the first lesson.
  const networks = createCounter('network', { points: 120, duration: MINUTE })
  const accounts = createCounter('account', { points: 10, duration: 15 * MINUTE })
  const service = createCounter('service', { points: 1200, duration: MINUTE })
  return {
    waitOfNetwork: (network) => networks.take(network),
    async waitOfAccount(email, network) {
      const wait = await accounts.take(keyOf(email, network))
      return wait > 0 ? wait : service.take('all')
    },
    resetAccount: (email, network) => accounts.forget(keyOf(email, network)),
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

function keyOf(email: string, network: string): string {
  return `${network} ${email.trim().toLowerCase()}`
}
