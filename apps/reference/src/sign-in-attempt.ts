import { networkOf } from '@grantkit/core'
import type { Account, Accounts } from './accounts.ts'
import type { SignInLimits } from './limits.ts'
import type { PasswordChecks } from './password-checks.ts'
import type { SignInEvent } from './sign-ins.ts'

export interface SignInOptions {
  readonly accounts: Accounts
  readonly limits: SignInLimits
  readonly checks: PasswordChecks
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
export async function signInEvent(accounts: Accounts, attempt: Attempt, email: string): Promise<SignInEvent> {
  const subject = await accounts.idOf(email)
  if ('wait' in attempt) return { type: 'sign_in_failed', reason: 'too_many_attempts', subject }
  if (attempt.account === undefined) return { type: 'sign_in_failed', reason: 'wrong_password', subject }
  return { type: 'sign_in_succeeded', subject: attempt.account.id }
}
