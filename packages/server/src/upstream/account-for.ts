import { randomUUID } from 'node:crypto'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import type { Provider } from '../config/people.ts'
import type { NoAccount } from '../events.ts'
import type { Identity } from './identity.ts'
import { type IdentityRows, insertIdentity, type LinkedIdentity, subjectAsName } from './identity-rows.ts'

export interface AccountsOfIdentities {
  readonly accounts: Pick<AccountRows, 'find' | 'idOf' | 'add'>
  readonly identities: IdentityRows
  readonly directory: Pick<AccountDirectory, 'isAdmin'>
  /** Called when an address has linked an identity. */
  readonly onLinked?: ((account: StoredAccount, issuer: string) => void) | undefined
}

/**
 * The account that an identity signs in to. An e-mail address alone is not sufficient: anyone who gets a provider to
 * assert it could take over the account.
 *
 * @param signedIn the account that the user wants to link, with a recent sign-in
 */
export async function accountFor(
  rows: AccountsOfIdentities,
  provider: Provider,
  identity: Identity,
  signedIn?: StoredAccount,
): Promise<StoredAccount | NoAccount> {
  if (signedIn !== undefined) return link(rows, identity, signedIn)
  const known = await accountOf(rows, identity)
  if (known !== undefined) return known
  const found = await byAddress(rows, provider, identity)
  // The same identity may have signed up at the same time.
  return found === 'email_in_use' ? ((await accountOf(rows, identity)) ?? found) : found
}

async function byAddress(
  rows: AccountsOfIdentities,
  provider: Provider,
  identity: Identity,
): Promise<StoredAccount | NoAccount> {
  const holder = await holderOf(rows, identity)
  if (holder === undefined) return signUp(rows, provider, identity)
  const linked = provider.linkVerifiedEmail && (await linkByAddress(rows, identity, holder))
  return linked ? holder : 'email_in_use'
}

/** The account that linked it. */
async function accountOf(
  { identities, accounts }: AccountsOfIdentities,
  { issuer, subject }: Identity,
): Promise<StoredAccount | 'account_disabled' | undefined> {
  const known = await identities.find(issuer, subject)
  const account = known && (await accounts.find(known.subject))
  // Read again: if the link is removed afterwards, the session of this sign-in ends.
  const still = known && (await identities.find(issuer, subject))
  return still && (account ?? 'account_disabled')
}

/** The account with the address, if the address is verified. */
async function holderOf(
  { accounts }: AccountsOfIdentities,
  { email }: Identity,
): Promise<StoredAccount | undefined> {
  const id = email === undefined ? undefined : await accounts.idOf(email)
  const holder = id === undefined ? undefined : await accounts.find(id)
  return holder?.email_verified || holder?.emailSource ? holder : undefined
}

/**
 * Links an identity to the account that has its address: the rule for providers and for assertions of an issuer.
 *
 * - An address that one provider verified could be claimed at another one: only the operator's verification counts for all.
 * - An address can be given to another person (OpenID Connect Core 5.7), so an account has one identity of an issuer.
 * - The account of an admin is never linked by an address.
 * - An address with other letters than ASCII may only look like that of the account.
 *
 * @returns `false`: nothing was linked
 */
export async function linkByAddress(
  { identities, directory, onLinked }: AccountsOfIdentities,
  identity: Pick<Identity, 'issuer' | 'subject' | 'email'>,
  holder: StoredAccount,
): Promise<boolean> {
  const { email_verified, emailSource } = holder
  const isVerified = email_verified && (emailSource === 'operator' || emailSource === identity.issuer)
  if (!isVerified || !/^[!-~]+$/.test(identity.email ?? '')) return false
  if (await directory.isAdmin(holder.id)) return false
  const isNew = await identities.addFirst(linked(identity, holder.id), holder)
  if (isNew) onLinked?.(holder, identity.issuer)
  return isNew
}

async function link(
  { identities }: AccountsOfIdentities,
  identity: Identity,
  account: StoredAccount,
): Promise<StoredAccount | NoAccount> {
  if (await identities.add(linked(identity, account.id), account)) return account
  const known = await identities.find(identity.issuer, identity.subject)
  return known?.subject === account.id ? account : 'identity_in_use'
}

async function signUp(
  rows: AccountsOfIdentities,
  provider: Provider,
  identity: Identity,
): Promise<StoredAccount | NoAccount> {
  if (!maySignUp(provider, identity)) return 'sign_up_refused'
  const { issuer, subject, email, name = email ?? subjectAsName(subject) } = identity
  const updated_at = Math.floor(Date.now() / 1000)
  // This account has no password.
  const account = {
    id: randomUUID(),
    email,
    email_verified: email !== undefined,
    name,
    updated_at,
    password: '',
  }
  const isNew = await rows.accounts.add(account, {
    by: 'sign_up',
    emailSource: issuer,
    also: (transaction) => insertIdentity(transaction, linked(identity, account.id)),
  })
  if (!isNew) return 'email_in_use'
  return (await rows.accounts.find(account.id)) ?? 'account_disabled'
}

function maySignUp({ signUp }: Provider, { email }: Identity): boolean {
  if (typeof signUp === 'boolean') return signUp
  return email !== undefined && signUp.emailDomains.includes(email.split('@').at(-1) ?? '')
}

function linked(
  { issuer, subject, email }: Pick<Identity, 'issuer' | 'subject' | 'email'>,
  account: string,
): LinkedIdentity {
  return { issuer, identity: subject, subject: account, shownAs: email ?? subject, addedAt: Date.now() }
}
