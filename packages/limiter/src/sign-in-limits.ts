import { callerCounter } from './caller-counter.ts'
import type { CreateCounter } from './counters.ts'

const MINUTE = 60

/**
 * Slows down password guessing. An attempt counts for the networks of its caller, and then for the account as these
 * networks see it. Nothing counts for an account over all networks, or for the whole service: a stranger could lock out
 * the owner, or everybody, with wrong passwords.
 */
export interface SignInLimits {
  /**
   * Counts an attempt for the networks of a caller. If the result is more than 0, the attempt must wait.
   *
   * @param address of the caller; an IPv6 address counts for its /64, /56 and /48
   */
  waitOfNetwork(address: string): Promise<number>
  /** Refunds one attempt, because the password was correct or was not checked. */
  refundNetwork(address: string): Promise<void>
  /** Counts an attempt for the account in these networks. If the result is more than 0, the attempt must wait. */
  waitOfAccount(account: string, address: string): Promise<number>
  /** Refunds one attempt for the account in these networks, because the password could not be checked. */
  refundAccount(account: string, address: string): Promise<void>
  /** After a correct password: refunds all attempts for the account in these networks. */
  reset(account: string, address: string): Promise<void>
}

/**
 * @example
 * ```ts
 * import { countersInMemory, signInLimits } from '@grantkit/limiter'
 *
 * const limits = signInLimits(countersInMemory)
 * // Seconds to wait, or 0.
 * export const waitOf = (email: string, address: string) => limits.waitOfAccount(email, address)
 * ```
 */
export function signInLimits(createCounter: CreateCounter): SignInLimits {
  const networks = callerCounter(createCounter, 'network', { points: 120, seconds: MINUTE })
  const accounts = callerCounter(createCounter, 'account', { points: 10, seconds: 15 * MINUTE })
  return {
    waitOfNetwork: (address) => networks.take(address),
    refundNetwork: (address) => networks.refund(address),
    waitOfAccount: (account, address) => accounts.take(address, keyOf(account)),
    refundAccount: (account, address) => accounts.refund(address, keyOf(account)),
    reset: (account, address) => accounts.reset(address, keyOf(account)),
  }
}

function keyOf(account: string): string {
  return account.trim().toLowerCase()
}
