import { networkOf } from '@grantkit/core'
import type { Account, Accounts } from './accounts.ts'
import type { SignInLimits } from './limits.ts'
import type { PasswordChecks } from './password-checks.ts'

export interface SignInOptions {
  readonly accounts: Accounts
  readonly limits: SignInLimits
  readonly checks: PasswordChecks
}

/** A sign-in, for the operator. `subject` is absent if nobody has the e-mail address that was typed. */
export type SignInEvent =
  | { readonly type: 'sign_in_succeeded'; readonly subject: string; readonly sessionId: string }
  | {
      readonly type: 'sign_in_failed'
      readonly reason: 'wrong_password' | 'too_many_attempts'
      readonly subject: string | undefined
    }

/** The account, if the password was right; or seconds to wait, and then the password was not looked at. */
export type Attempt = { readonly account: Account | undefined } | { readonly wait: number }

/** Seconds. By then those who wait have had their turn. */
const CROWD_PASSES = 5

/** Checks a password within the limits. */
export async function attemptSignIn(
  { limits, checks, accounts }: SignInOptions,
  address: string | undefined,
  email: string,
  password: string,
): Promise<Attempt> {
  const network = networkOf(address ?? 'unknown')
  const wait = await limits.waitOfNetwork(network)
  if (wait > 0) return { wait }
  if (checks.isFull()) return { wait: CROWD_PASSES }
  return checks.inTurn(async () => {
    const wait = await limits.waitOfAccount(email, network)
    if (wait > 0) return { wait }
    const account = await accounts.verify(email, password)
    if (account !== undefined) await limits.forgive(email, network)
    return { account }
  })
}

/** What was typed is never told: people type passwords into the wrong field. */
export async function failedSignIn(
  accounts: Accounts,
  attempt: Attempt,
  email: string,
): Promise<SignInEvent> {
  const reason = 'wait' in attempt ? 'too_many_attempts' : 'wrong_password'
  return { type: 'sign_in_failed', reason, subject: await accounts.idOf(email) }
}
