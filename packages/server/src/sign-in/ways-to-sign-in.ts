import type { ServerSecret, Store } from '@grantkit/core'
import { accountDirectory } from '../accounts/account-directory.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import { relyingParty } from '../config/relying-party.ts'
import type { Database } from '../database/database.ts'
import { type PasskeyRows, passkeyRows } from '../passkeys/passkey-rows.ts'
import { type RegistrationCeremony, registrationCeremony } from '../passkeys/registration-ceremony.ts'
import { type SignInCeremony, signInCeremony } from '../passkeys/sign-in-ceremony.ts'
import type { AccountsOfIdentities } from '../upstream/account-for.ts'
import { type IdentityRows, identityRows } from '../upstream/identity-rows.ts'
import type { UpstreamSignIn } from '../upstream/upstream-sign-in.ts'

/** The sign-in methods other than passwords. */
export interface WaysToSignIn extends Omit<AccountsOfIdentities, 'onLinked'> {
  /** `false`: an application or a directory authenticates the users, so none of these methods is available. */
  readonly builtIn: boolean
  readonly passkeys: PasskeyRows
  readonly identities: IdentityRows
  /** Absent if passkeys are not available. */
  readonly ceremonies?: Ceremonies | undefined
  readonly providers: readonly UpstreamSignIn[]
}

interface Ceremonies {
  readonly registration: RegistrationCeremony
  readonly signIn: SignInCeremony
}

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
  }
}
