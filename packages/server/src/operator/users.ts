import { randomUUID } from 'node:crypto'
import { type AuthorizationServer, OAuthError } from '@grantkit/core'
import { defineErrors } from '@grantkit/core/feature'
import type { AccountDirectory, AccountEntry } from '../accounts/account-directory.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { Account } from '../accounts/accounts.ts'
import type { ExportedUser } from '../accounts/exported-users.ts'
import { hashPassword } from '../accounts/password-hashes.ts'
import type { PasswordRules } from '../accounts/passwords.ts'
import { actorOfEvent } from '../audit/caller.ts'
import type { AccountEvent } from '../events.ts'
import type { GuessLimits } from '../limits/guess-limits.ts'
import type { Enrolments } from '../sign-in/enrolments.ts'

const USER_ERRORS = defineErrors({
  user_unknown: ['not_found', 'There is no such user', 404],
  session_unknown: ['not_found', 'The user has no such session', 404],
  user_exists: ['conflict', 'Another user has this address or sub, or had it', 409],
  users_elsewhere: [
    'conflict',
    'An application or a directory has the users of this server: add and change them there',
    409,
  ],
  password_refused: ['invalid_request', 'The password breaks a rule', 400],
  user_without_address: ['conflict', 'The user has no verified address to sign in with', 409],
  no_passkeys: ['conflict', 'Browsers have no passkeys at the address of this server', 409],
  user_disabled: ['conflict', 'The user is disabled', 409],
  own_account: [
    'access_denied',
    'This is your own account; another admin or a command has to change it',
    403,
  ],
})

/** A user whom an operator adds. Without a password the user signs in by other methods. */
interface NewUser extends Omit<Account, 'id' | 'password' | 'updated_at'> {
  /** Default: a UUID. */
  readonly id?: string | undefined
  readonly password?: string | undefined
}

export interface OperatorUsersOptions {
  readonly accounts: AccountRows
  readonly directory: AccountDirectory
  readonly grants: Pick<AuthorizationServer['grants'], 'revokeAll'>
  /** Whether the server has users of its own: not those of an application or a directory. */
  readonly builtIn: boolean
  readonly passwordRules: PasswordRules
  readonly guesses: Pick<GuessLimits, 'unknownBrowsers'>
  /** Absent if passkeys are not available. */
  readonly enrolments: Pick<Enrolments, 'linkFor'> | undefined
  readonly onEvent: (event: AccountEvent) => void
}

export type OperatorUsers = ReturnType<typeof operatorUsers>

/**
 * What an operator does with users: on a page, by the admin API and by a command. Users are named by their id, and a change that
 * is repeated changes nothing. @throws OAuthError `not_found` for an unknown user, and `access_denied` for the own account of the
 * operator, who could be locked out
 */
export function operatorUsers(options: OperatorUsersOptions) {
  const { accounts, directory, grants, builtIn, passwordRules, guesses, enrolments, onEvent } = options

  /** @throws OAuthError `conflict` where a password would let nobody sign in */
  function requireOwn(): void {
    if (!builtIn) throw new OAuthError(USER_ERRORS.users_elsewhere)
  }

  /** @throws OAuthError `invalid_request` that names the broken rule */
  async function hashOf(password: string, owner: Pick<Account, 'email' | 'name'>): Promise<string> {
    const broken = await passwordRules.broken(password, owner)
    if (broken !== undefined) throw new OAuthError(USER_ERRORS.password_refused, `password ${broken.words}`)
    return hashPassword(password)
  }

  async function find(id: string): Promise<AccountEntry> {
    const account = await directory.find(id)
    if (account === undefined) throw new OAuthError(USER_ERRORS.user_unknown)
    return account
  }

  return {
    requireOwn,
    find,
    /** Once for an id. @throws OAuthError `conflict` if another user has the address or the id, `invalid_request` for the password */
    async add({ id = randomUUID(), password, ...claims }: NewUser) {
      // The user of that id could not sign in any more: the account would count as another person's.
      requireOwn()
      const hash = password === undefined ? '' : await hashOf(password, claims)
      const updated_at = Math.floor(Date.now() / 1000)
      const isNew = await accounts.add({ ...claims, id, updated_at, password: hash })
      const user = await directory.find(id)
      if (user === undefined || user.email !== claims.email) throw new OAuthError(USER_ERRORS.user_exists)
      return { user, isNew }
    },
    /**
     * Adds a user of another system with the hash of the password, once. @param isTrial adds nothing
     *
     * @returns `taken`: another user has the address or the id, or had it
     */
    async import(
      { id, hash, ...claims }: ExportedUser,
      isTrial: boolean,
    ): Promise<'added' | 'present' | 'taken'> {
      const known =
        (id === undefined ? undefined : await directory.find(id)) ?? (await directory.withEmail(claims.email))
      if (known !== undefined)
        return known.email === claims.email && known.id === (id ?? known.id) ? 'present' : 'taken'
      if (isTrial) return 'added'
      const updated_at = Math.floor(Date.now() / 1000)
      const account = { ...claims, id: id ?? randomUUID(), updated_at, password: hash }
      return (await accounts.add(account, { by: 'import' })) ? 'added' : 'taken'
    },
    /** Ends every session, and the waits of unknown browsers after wrong passwords. @throws OAuthError `conflict` without an address to sign in with */
    async setPassword(id: string, password: string): Promise<AccountEntry> {
      const account = await find(id)
      requireOwn()
      if (account.email === undefined) throw new OAuthError(USER_ERRORS.user_without_address)
      requireKnown(await accounts.setPassword(id, await hashOf(password, account)))
      await guesses.unknownBrowsers(account.email).reset()
      return account
    },
    /** A link with which a user who has lost the passkey adds one: for 24 hours, once. @throws OAuthError `conflict` if the user is disabled */
    async enrol(id: string): Promise<string> {
      await find(id)
      requireOwn()
      if (enrolments === undefined) throw new OAuthError(USER_ERRORS.no_passkeys)
      const account = await accounts.find(id)
      if (account === undefined) throw new OAuthError(USER_ERRORS.user_disabled)
      onEvent({ type: 'enrolment_link_made', subject: id })
      return enrolments.linkFor(account)
    },
    /** Where a user is signed in, the newest first. */
    sessions: (id: string) => accounts.sessions.list(id),
    /** @throws OAuthError `not_found`, also for a session of another user */
    async endSession(id: string, session: string): Promise<void> {
      if (!(await accounts.sessions.end(id, session, 'operator')))
        throw new OAuthError(USER_ERRORS.session_unknown)
    },
    endSessions: async (id: string) => requireKnown(await accounts.endSessions(id, 'operator')),
    /** Ends the sessions and grants of a user, who cannot sign in until `enable`. @returns how many grants ended */
    async disable(id: string): Promise<number> {
      refuseOwnAccount(id)
      // The account is disabled first, so that no consent can open another grant.
      requireKnown(await accounts.setDisabled(id, true))
      return grants.revokeAll(id)
    },
    enable: async (id: string) => requireKnown(await accounts.setDisabled(id, false)),
    /** Lets a user use the admin pages and the admin API. */
    addAdmin: async (id: string) => requireKnown(await accounts.setAdmin(id, true)),
    async removeAdmin(id: string): Promise<void> {
      refuseOwnAccount(id)
      requireKnown(await accounts.setAdmin(id, false))
    },
    /** Also for a user of an application without an account, who is kept out by it. @returns how many grants of this `sub` ended */
    async remove(id: string): Promise<number> {
      refuseOwnAccount(id)
      await accounts.remove(id)
      return grants.revokeAll(id)
    },
  }
}

function requireKnown(exists: boolean): void {
  if (!exists) throw new OAuthError(USER_ERRORS.user_unknown)
}

function refuseOwnAccount(id: string): void {
  if (actorOfEvent() === `account:${id}`) throw new OAuthError(USER_ERRORS.own_account)
}
