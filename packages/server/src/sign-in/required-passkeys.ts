import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import type { PasskeyRows } from '../accounts/passkeys/passkey-rows.ts'
import type { GivenRoles } from '../accounts/provider-roles.ts'
import { classOf } from '../config/authentication-classes.ts'
import type { Config } from '../config/config.ts'

/** Whose passkeys are demanded, and from which day on, in UTC. */
export type PasskeyRule = NonNullable<Config['requirePasskey']>

/** A sign-in, and the account that it is for. */
interface RuledSignIn {
  readonly isAdmin: boolean
  readonly roles: readonly unknown[]
  readonly hasPasskey: boolean
  /** The class of the sign-in. */
  readonly acr: string | undefined
}

/**
 * What follows a sign-in. `notice`: it counts, and the user hears of the day. `enrol`: it counts for nothing but a first passkey.
 * `refused`: it counts for nothing, because there is a passkey.
 */
export type Consequence = 'nothing' | 'notice' | 'enrol' | 'refused'

/** @param today `YYYY-MM-DD`, in UTC */
export function consequenceOf({ who, from }: PasskeyRule, signIn: RuledSignIn, today: string): Consequence {
  const { isAdmin, roles, hasPasskey, acr } = signIn
  const isOne = who === 'all' || (who === 'admins' ? isAdmin : who.some((role) => roles.includes(role)))
  if (!isOne || classOf(acr) === 'phr') return 'nothing'
  if (today < from) return hasPasskey ? 'nothing' : 'notice'
  return hasPasskey ? 'refused' : 'enrol'
}

export interface RequiredPasskeys {
  /** The day. Absent: of nobody. */
  readonly from?: string
  /**
   * @param acr the class of a sign-in to the account
   * @param given by its provider
   * @throws OAuthError `temporarily_unavailable`, as below
   */
  after(account: StoredAccount, acr: string | undefined, given?: GivenRoles): Promise<Consequence>
  /** Whether a session of this class does not count. Without a class: whether the account must keep a passkey. */
  demand(account: StoredAccount, acr?: string): Promise<boolean>
}

interface Parts {
  readonly rule: PasskeyRule | undefined
  readonly accounts: Pick<AccountRows, 'lastRoles'>
  readonly directory: Pick<AccountDirectory, 'isAdmin'>
  readonly passkeys: Pick<PasskeyRows, 'list'>
}

export function requiredPasskeys({ rule, accounts, directory, passkeys }: Parts): RequiredPasskeys {
  if (rule === undefined) return { after: async () => 'nothing', demand: async () => false }
  const { who, from } = rule

  /** Each request with a session asks, so it reads no more than the rule needs. */
  const consequence = async (
    id: string,
    acr: string | undefined,
    hasPasskey: () => Promise<boolean>,
    given?: GivenRoles,
  ) => {
    if (classOf(acr) === 'phr') return 'nothing'
    const isAdmin = who === 'admins' && (await directory.isAdmin(id))
    const roles = Array.isArray(who) ? await accounts.lastRoles(id, given) : []
    const signIn = { isAdmin, roles, hasPasskey: await hasPasskey(), acr }
    return consequenceOf(rule, signIn, new Date().toISOString().slice(0, 10))
  }

  return {
    from,
    after: ({ id }, acr, given) =>
      consequence(id, acr, async () => (await passkeys.list(id)).length > 0, given),
    // With a passkey or without, such a session counts for nothing.
    demand: async ({ id }, acr) => (await consequence(id, acr, async () => true)) === 'refused',
  }
}
