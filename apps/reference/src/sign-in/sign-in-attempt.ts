import { networkOf } from '@grantkit/core/feature'
import type { SignInLimits } from '@grantkit/limiter'
import type { Accounts, StoredAccount } from '../accounts/accounts.ts'
import type { PasswordChecks } from '../accounts/password-checks.ts'
import type { UpstreamReason } from '../upstream/upstream-error.ts'

export interface SignInOptions {
  readonly accounts: Accounts
  readonly limits: SignInLimits
  readonly checks: PasswordChecks
}

/** A sign-in, for the operator. `subject` is absent if nobody has what was presented. */
export type SignInEvent =
  | { readonly type: 'sign_in_succeeded'; readonly subject: string; readonly sessionId: string }
  | {
      readonly type: 'sign_in_failed'
      readonly reason: 'wrong_password' | 'wrong_passkey' | 'too_many_attempts' | `provider_${UpstreamReason}`
      readonly subject: string | undefined
      /** The id of the OpenID provider, and what it said. */
      readonly provider?: string
      readonly detail?: string
    }

/** The account, if the password was right; or seconds to wait, and then the password was not looked at. */
export type Attempt = { readonly account: StoredAccount | undefined } | { readonly wait: number }

/** Seconds. By then those who wait have had their turn. */
const CROWD_PASSES = 5

/** Checks a password within the limits. */
export async function attemptPassword(
  { limits, checks, accounts }: SignInOptions,
  address: string | undefined,
  email: string,
  password: string,
): Promise<Attempt> {
  const network = networkOf(address ?? 'unknown')
  const wait = await limits.waitOfNetwork(network)
  if (wait > 0) return { wait }
  if (checks.isFull()) return { wait: CROWD_PASSES }
  return checks.inTurn(() => withinLimits(limits, network, email, () => accounts.verify(email, password)))
}

/** Checks a passkey within the limits of passwords. @param id of the credential, whether there is one or not */
export async function attemptPasskey(
  { limits }: Pick<SignInOptions, 'limits'>,
  address: string | undefined,
  id: string,
  verify: () => Promise<StoredAccount | undefined>,
): Promise<Attempt> {
  const network = networkOf(address ?? 'unknown')
  const wait = await limits.waitOfNetwork(network)
  return wait > 0 ? { wait } : withinLimits(limits, network, `passkey ${id}`, verify)
}

async function withinLimits(
  limits: SignInLimits,
  network: string,
  whom: string,
  verify: () => Promise<StoredAccount | undefined>,
): Promise<Attempt> {
  const wait = await limits.waitOfAccount(whom, network)
  if (wait > 0) return { wait }
  const account = await verify()
  if (account !== undefined) await limits.reset(whom, network)
  return { account }
}

/** What was typed is never told: people type passwords into the wrong field. */
export function signInFailed(
  attempt: Attempt,
  wrong: 'wrong_password' | 'wrong_passkey',
  subject?: string,
): SignInEvent {
  return { type: 'sign_in_failed', reason: 'wait' in attempt ? 'too_many_attempts' : wrong, subject }
}
