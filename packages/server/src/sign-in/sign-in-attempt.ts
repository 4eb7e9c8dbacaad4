import { coarseNetworkOf } from '@grantkit/core/internal'
import type { Accounts, StoredAccount } from '../accounts/accounts.ts'
import type { PasswordChecks } from '../accounts/passwords.ts'
import type { SignInEvent } from '../events.ts'
import type { GuessLimits, TryLimit } from '../limits/guess-limits.ts'
import type { SignInLimits } from '../limits/rate-limiter.ts'
import type { KnownBrowsers } from './known-browsers.ts'

export interface SignInOptions {
  readonly accounts: Accounts
  readonly limits: SignInLimits
  readonly guesses: GuessLimits
  readonly browsers: KnownBrowsers
  readonly checks: PasswordChecks
}

/** The account, if the credential is right; or the seconds to wait, and then the credential was not checked. */
export type Attempt =
  | {
      readonly account: StoredAccount | undefined
      /** From now on, browsers that the account does not know have to wait. */
      readonly slowed?: boolean
    }
  | { readonly wait: number }

/** Seconds after which the queue of password checks is processed. */
const RETRY_AFTER_SECONDS = 5

interface PasswordAttempt {
  /** Of the caller. Default: all callers without one are the same. */
  readonly address?: string | undefined
  /** The Cookie header of the request. */
  readonly cookies?: string | undefined
  readonly email: string
  readonly password: string
  /** Takes the place in the queue: the account of a user who is signed in already. Default: the network. */
  readonly holder?: string | undefined
  /** A right password resets no limit: the user may be refused all the same, and a thief would know the password. Default: it does. */
  readonly keepsCount?: boolean
}

/** Checks a password within the limits. */
export async function attemptPassword(
  options: SignInOptions,
  {
    address = 'unknown',
    cookies,
    email,
    password,
    holder = coarseNetworkOf(address),
    keepsCount,
  }: PasswordAttempt,
): Promise<Attempt> {
  const { limits, guesses, browsers, checks, accounts } = options
  const wait = await limits.networks.take(address)
  if (wait > 0) return { wait }
  const check = async () => {
    const known = await browsers.idOf(email, cookies)
    const limit =
      known === undefined
        ? both(ofNetworks(limits, email, address), guesses.unknownBrowsers(email))
        : guesses.knownBrowser(known)
    return withinLimit(limit, () => accounts.verify(email, password), keepsCount)
  }
  const attempt = (await checks.inTurn(holder, check)) ?? { wait: RETRY_AFTER_SECONDS }
  if (!isWrong(attempt)) await limits.networks.refund(address)
  return attempt
}

/**
 * Checks a passkey that exists. A wrong answer counts for this passkey in the networks of the caller, and for nothing
 * else: there is nothing to guess, so users sign in with passkeys where others try too many passwords.
 */
export async function attemptPasskey(
  { limits }: Pick<SignInOptions, 'limits'>,
  address = 'unknown',
  id: string,
  verify: () => Promise<StoredAccount | undefined>,
): Promise<Attempt> {
  return withinLimit(ofNetworks(limits, `passkey ${id}`, address), verify)
}

/** Of a credential in the networks of the caller. */
function ofNetworks({ accounts }: SignInLimits, credential: string, address: string): TryLimit {
  return {
    take: () => accounts.take(address, credential),
    refund: () => accounts.refund(address, credential),
    reset: () => accounts.reset(address, credential),
    wrong: async () => false,
  }
}

/** The second counts only what the first allows: a network in a loop does not use it up. */
function both(first: TryLimit, second: TryLimit): TryLimit {
  return {
    async take() {
      const wait = await first.take()
      if (wait > 0) return wait
      const next = await second.take()
      if (next > 0) await first.refund()
      return next
    },
    async refund() {
      await Promise.all([first.refund(), second.refund()])
    },
    async reset() {
      await Promise.all([first.reset(), second.reset()])
    },
    wrong: () => second.wrong(),
  }
}

async function withinLimit(
  limit: TryLimit,
  verify: () => Promise<StoredAccount | undefined>,
  keepsCount = false,
): Promise<Attempt> {
  const wait = await limit.take()
  if (wait > 0) return { wait }
  const account = await verify().catch(async (error: unknown) => {
    // An outage is no wrong password. It still counts for the network, which limits the calls of a directory that hangs.
    await limit.refund()
    throw error
  })
  if (account === undefined) return { account, slowed: await limit.wrong() }
  if (!keepsCount) await limit.reset()
  return { account }
}

function isWrong(attempt: Attempt): boolean {
  return 'account' in attempt && attempt.account === undefined
}

/** The event never contains the input: users type passwords into the wrong field. */
export function signInFailed(
  attempt: Attempt,
  wrong: 'wrong_password' | 'wrong_passkey',
  subject?: string,
): SignInEvent {
  const reason = 'wait' in attempt ? 'too_many_attempts' : wrong
  const slowed = 'slowed' in attempt && attempt.slowed === true
  return { type: 'sign_in_failed', reason, subject, ...(slowed && { slowed }) }
}
