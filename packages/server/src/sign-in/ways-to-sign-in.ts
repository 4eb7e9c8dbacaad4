import type { ServerSecret, Store } from '@grantkit/core'
import { accountDirectory } from '../accounts/account-directory.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import { NEXT_EPOCH } from '../accounts/session-epoch.ts'
import type { Database, Rows } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import { type PasskeyRows, passkeyRows } from '../passkeys/passkey-rows.ts'
import { type RegistrationCeremony, registrationCeremony } from '../passkeys/registration-ceremony.ts'
import { relyingParty } from '../passkeys/relying-party.ts'
import { type SignInCeremony, signInCeremony } from '../passkeys/sign-in-ceremony.ts'
import type { AccountsOfIdentities } from '../upstream/account-for.ts'
import { type IdentityRows, identityRows } from '../upstream/identity-rows.ts'
import type { UpstreamSignIn } from '../upstream/upstream-sign-in.ts'

/** A user changed their sign-in methods. */
export type SignInMethodChanged =
  | { readonly type: 'passkey_added' | 'passkey_removed'; readonly subject: string; readonly passkey: string }
  | {
      readonly type: 'identity_linked' | 'identity_removed'
      readonly subject: string
      readonly issuer: string
    }

/** The sign-in methods other than passwords. */
export interface WaysToSignIn extends Omit<AccountsOfIdentities, 'onLinked'> {
  /** `false`: an application or a directory authenticates the users, so none of these methods is available. */
  readonly builtIn: boolean
  readonly passkeys: PasskeyRows
  readonly identities: IdentityRows
  /** Absent if passkeys are not available. */
  readonly ceremonies?: Ceremonies | undefined
  readonly providers: readonly UpstreamSignIn[]
  readonly removal: Removal
}

interface Ceremonies {
  readonly registration: RegistrationCeremony
  readonly signIn: SignInCeremony
}

/**
 * Removes a sign-in method, unless it is the last one of an account, and ends all sessions of the account: the method
 * may have started them.
 *
 * @throws OAuthError `temporarily_unavailable`
 */
interface Removal {
  removePasskey(subject: string, id: string): Promise<Removed>
  removeIdentity(subject: string, issuer: string, identity: string): Promise<Removed>
}

/** `unknown`: it does not exist, or belongs to another account. */
type Removed = 'removed' | 'unknown' | 'last'

interface Parts {
  readonly secret: ServerSecret
  readonly baseUrl: string
  /** The name of the service. */
  readonly name: string
  readonly store: Store
  readonly database: Database
  readonly accounts: AccountRows
  readonly providers: readonly UpstreamSignIn[]
  /** Default: true. */
  readonly builtIn?: boolean
}

export function waysToSignIn({
  database,
  accounts,
  providers,
  builtIn = true,
  ...parts
}: Parts): WaysToSignIn {
  const passkeys = passkeyRows(database)
  const party = builtIn ? relyingParty(parts.baseUrl) : undefined
  const options = party && { ...parts, party, passkeys, accounts }
  return {
    builtIn,
    accounts,
    passkeys,
    identities: identityRows(database),
    directory: accountDirectory(database),
    ceremonies: options && { registration: registrationCeremony(options), signIn: signInCeremony(options) },
    providers,
    removal: removalOf(database),
  }
}

export function removalOf(database: Database): Removal {
  return errorsAs503<Removal>({
    removePasskey: (subject, id) =>
      removed(database, subject, (rows) =>
        rows.deleteFrom('passkey').where('id', '=', id).where('account', '=', subject).executeTakeFirst(),
      ),
    removeIdentity: (subject, issuer, identity) =>
      removed(database, subject, (rows) =>
        rows
          .deleteFrom('identity')
          .where('issuer', '=', issuer)
          .where('subject', '=', identity)
          .where('account', '=', subject)
          .executeTakeFirst(),
      ),
  })
}

async function removed(
  database: Database,
  subject: string,
  remove: (rows: Rows) => Promise<{ readonly numDeletedRows: bigint }>,
): Promise<Removed> {
  const work = async (rows: Rows): Promise<Removed> => {
    const methods = await countMethods(rows, subject)
    const { numDeletedRows } = await remove(rows)
    if (numDeletedRows === 0n) throw new NotRemoved('unknown')
    if (methods === 1) throw new NotRemoved('last')
    return 'removed'
  }
  return database
    .transaction()
    .execute(work)
    .catch((error: unknown) => {
      if (error instanceof NotRemoved) return error.reason
      throw error
    })
}

/** Rolls the transaction back. */
class NotRemoved extends Error {
  readonly reason: 'unknown' | 'last'

  constructor(reason: 'unknown' | 'last') {
    super()
    this.reason = reason
  }
}

/** Locks the account, so that the second of two concurrent removals sees the result of the first. Ends its sessions. */
async function countMethods(rows: Rows, subject: string): Promise<number> {
  const account = await rows
    .updateTable('account')
    .set({ session_epoch: NEXT_EPOCH })
    .where('id', '=', subject)
    .returning('password')
    .executeTakeFirst()
  const passkeys = await rows.selectFrom('passkey').select('id').where('account', '=', subject).execute()
  const identities = await rows
    .selectFrom('identity')
    .select('issuer')
    .where('account', '=', subject)
    .execute()
  return (account?.password ? 1 : 0) + passkeys.length + identities.length
}
