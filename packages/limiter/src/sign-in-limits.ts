import type { CreateCounter } from './counters.ts'

const MINUTE = 60

/**
 * Slows down password guessing. An attempt counts for its network first, then for the account as that network sees it,
 * and last for the whole service: refused attempts lock neither the account of another user nor the service.
 */
export interface SignInLimits {
  /** Counts an attempt for its network. If the result is more than 0, the attempt must wait. */
  waitOfNetwork(network: string): Promise<number>
  /** Counts an attempt for the account, then for the service. */
  waitOfAccount(email: string, network: string): Promise<number>
  /** After a correct password: refunds all attempts for the account in this network, and one attempt of the network. */
  reset(email: string, network: string): Promise<void>
}

/**
 * @example
 * ```ts
 * import { countersInMemory, signInLimits } from '@grantkit/limiter'
 *
 * const limits = signInLimits(countersInMemory)
 * // Seconds to wait, or 0.
 * export const waitOf = (email: string, network: string) => limits.waitOfAccount(email, network)
 * ```
 */
export function signInLimits(createCounter: CreateCounter): SignInLimits {
  const networks = createCounter('network', { points: 120, seconds: MINUTE })
  const accounts = createCounter('account', { points: 10, seconds: 15 * MINUTE })
  const service = createCounter('service', { points: 1200, seconds: MINUTE })
  return {
    waitOfNetwork: (network) => networks.take(network),
    async waitOfAccount(email, network) {
      const wait = await accounts.take(keyOf(email, network))
      return wait > 0 ? wait : service.take('all')
    },
    async reset(email, network) {
      await Promise.all([accounts.reset(keyOf(email, network)), networks.refund(network)])
    },
  }
}

function keyOf(email: string, network: string): string {
  return `${network} ${email.trim().toLowerCase()}`
}
