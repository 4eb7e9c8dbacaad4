import { coarseNetworkOf } from '@grantkit/core/internal'
import type { Accounts, StoredAccount } from '../accounts/accounts.ts'
import type { PasswordChecks } from '../accounts/passwords.ts'
import type { SignInEvent } from '../events.ts'
import type { SignInLimits } from '../limits/rate-limiter.ts'

export interface SignInOptions {
  readonly accounts: Accounts
  readonly limits: SignInLimits
  readonly checks: PasswordChecks
}

/** The account, if the credential is right; or the seconds to wait, and then the credential was not checked. */
export type Attempt = { readonly account: StoredAccount | undefined } | { readonly wait: number }

/** Seconds after which the queue of password checks is processed. */
const RETRY_AFTER_SECONDS = 5

/**
 * Checks a password within the limits.
 *
 * @param holder takes the place in the queue: the account of a user who is signed in already. Default: the network
 */
export async function attemptPassword(
  { limits, checks, accounts }: SignInOptions,
  address = 'unknown',
  email: string,
  password: string,
  holder = coarseNetworkOf(address),
): Promise<Attempt> {
  const wait = await limits.waitOfNetwork(address)
  if (wait > 0) return { wait }
  const check = () => withinLimits(limits, address, email, () => accounts.verify(email, password))
  const attempt = (await checks.inTurn(holder, check)) ?? { wait: RETRY_AFTER_SECONDS }
  if (!isWrong(attempt)) await limits.refundNetwork(address)
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
  return withinLimits(limits, address, `passkey ${id}`, verify)
}

async function withinLimits(
  limits: SignInLimits,
  address: string,
  credential: string,
  verify: () => Promise<StoredAccount | undefined>,
): Promise<Attempt> {
  const wait = await limits.waitOfAccount(credential, address)
  if (wait > 0) return { wait }
  const account = await verify().catch(async (error: unknown) => {
    // An outage is no wrong password. It still counts for the network, which limits the calls of a directory that hangs.
    await limits.refundAccount(credential, address)
    throw error
  })
  if (account !== undefined) await limits.reset(credential, address)
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
  return { type: 'sign_in_failed', reason: 'wait' in attempt ? 'too_many_attempts' : wrong, subject }
}
