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
  /** After a correct password: the guesses at its account in this network are forgotten, and the network has room. */
  forgive(email: string, network: string): Promise<void>
}

export function signInLimits(createCounter: CreateCounter): SignInLimits {
  const networks = createCounter('network', { points: 120, duration: MINUTE })
  const accounts = createCounter('account', { points: 10, duration: 15 * MINUTE })
  const service = createCounter('service', { points: 1200, duration: MINUTE })
  return {
    waitOfNetwork: (network) => networks.take(network),
    async waitOfAccount(email, network) {
      const wait = await accounts.take(keyOf(email, network))
      return wait > 0 ? wait : service.take('all')
    },
    async forgive(email, network) {
      await Promise.all([accounts.forget(keyOf(email, network)), networks.giveBack(network)])
    },
  }
}

/** The limits for core: registrations of an address, failed requests of a client at an address, documents that a user tries. */
export function rateLimiter(createCounter: CreateCounter): RateLimiter {
  const counters = {
    registration: createCounter('registration', { points: 100, duration: 10 * MINUTE }),
    client_failure: createCounter('client_failure', { points: 100, duration: 10 * MINUTE }),
    unknown_document: createCounter('unknown_document', { points: 10, duration: 60 * MINUTE }),
  }
  return { take: (limit, key) => counters[limit].take(key) }
}

function keyOf(email: string, network: string): string {
  return `${network} ${email.trim().toLowerCase()}`
}
