import type { ServerSecret, Store } from '@grantkit/core'
import { type AccountDirectory, accountDirectory } from '../accounts/account-directory.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import {
  type RegistrationCeremony,
  registrationCeremony,
  type SignInCeremony,
  signInCeremony,
} from '../accounts/passkeys/ceremonies.ts'
import { type PasskeyRows, passkeyRows } from '../accounts/passkeys/passkey-rows.ts'
import {
  type AccountsOfIdentities,
  type IdentityRows,
  identityRows,
  type LinkedIdentity,
} from '../accounts/upstream/identities.ts'
import type { UpstreamSignIn } from '../accounts/upstream/upstream-sign-in.ts'
import { relyingParty } from '../config/address.ts'
import { type AuthenticationClass, classOf } from '../config/authentication-classes.ts'
import type { Provider } from '../config/providers.ts'
import type { Database } from '../database/database.ts'
import type { Visit } from './session.ts'

/** The sign-in methods other than passwords. */
export interface WaysToSignIn extends Omit<AccountsOfIdentities, 'onLinked' | 'onRemapped'> {
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

/** The ways that a page offers. */
export interface OfferedWays extends Pick<WaysToSignIn, 'builtIn' | 'ceremonies' | 'providers'> {
  /** Default: true. */
  readonly hasPassword?: boolean
}

/** Those that a user has; `undefined` without any that is still configured. @throws OAuthError `temporarily_unavailable` */
export async function waysOf(
  { builtIn, ceremonies, ...ways }: WaysToSignIn,
  { id, password }: StoredAccount,
): Promise<OfferedWays | undefined> {
  const [passkeys, identities] = await Promise.all([ways.passkeys.list(id), ways.identities.list(id)])
  const providers = ways.providers.filter(({ provider }) =>
    identities.some((identity) => isOf(provider, identity)),
  )
  const own = { builtIn, providers, ceremonies: passkeys.length > 0 ? ceremonies : undefined }
  const hasPassword = password !== ''
  return hasPassword || own.ceremonies || providers.length > 0 ? { ...own, hasPassword } : undefined
}

/** By the issuer, if the identity was linked by a release that did not keep the provider. */
export function isOf({ id, issuer }: Provider, identity: LinkedIdentity): boolean {
  return identity.provider === undefined ? identity.issuer === issuer : identity.provider === id
}

const FRESH_SECONDS = 5 * 60

/**
 * Whether the user has just proved to be there. Of a user who has no other way to sign in than providers, the return from one
 * counts: one that never says when its user signed in would let nobody add a passkey.
 */
export async function isFresh(
  ways: OtherWays,
  {
    session,
    account,
  }: { readonly session: Pick<Visit['session'], 'authTime' | 'confirmedAt'> } & Pick<Visit, 'account'>,
): Promise<boolean> {
  const isNow = (time: number) => Date.now() / 1000 - time <= FRESH_SECONDS
  return isNow(session.confirmedAt) || (isNow(session.authTime) && !(await hasOtherWay(ways, account)))
}

type OtherWays = Pick<WaysToSignIn, 'passkeys'>

/** Whether the user can sign in without a provider. */
export async function hasOtherWay(
  { passkeys }: OtherWays,
  { id, password }: StoredAccount,
): Promise<boolean> {
  return password !== '' || (await passkeys.list(id)).length > 0
}

type StrengthOfVisit = Pick<Visit, 'account'> & { readonly session: Pick<Visit['session'], 'acr'> }

interface AdminSignInParts {
  readonly passkeys: Pick<PasskeyRows, 'list'>
  readonly directory: Pick<AccountDirectory, 'isAdmin'>
  /** The configured class. Default: `phr` for an account with a passkey. */
  readonly acr: AuthenticationClass | undefined
}

export type AdminSignIns = ReturnType<typeof adminSignIns>

/**
 * How strongly an admin must sign in to change something: a password that was stolen must not be enough where the admin has a
 * passkey. @throws OAuthError `temporarily_unavailable`
 */
export function adminSignIns({ passkeys, directory, acr }: AdminSignInParts) {
  const hasPasskey = async ({ account: { id } }: StrengthOfVisit) => (await passkeys.list(id)).length > 0
  const isByPasskey = ({ session }: StrengthOfVisit) => classOf(session.acr) === 'phr'
  return {
    /** Whether this sign-in is strong enough for changes on the admin pages, and for grants of the admin API. */
    async isStrong(visit: Visit): Promise<boolean> {
      if (acr === 'pwd' || isByPasskey(visit)) return true
      return acr === undefined && !(await hasPasskey(visit))
    },
    /** Whether it may change how the user signs in: otherwise a thief would remove the passkey of an admin, or add one. */
    async mayChangeSignIn(visit: StrengthOfVisit): Promise<boolean> {
      if (acr === 'pwd' || isByPasskey(visit) || !(await hasPasskey(visit))) return true
      return !(await directory.isAdmin(visit.account.id))
    },
  }
}

/** @returns `undefined` also if it is not configured any more */
export function providerOf(
  { providers }: Pick<WaysToSignIn, 'providers'>,
  id: string | undefined,
): UpstreamSignIn | undefined {
  return providers.find(({ provider }) => provider.id === id)
}
