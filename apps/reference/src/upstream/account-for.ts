import { randomUUID } from 'node:crypto'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { Account } from '../accounts/accounts.ts'
import type { Identity } from './identity.ts'
import type { IdentityRows, LinkedIdentity } from './identity-rows.ts'
import type { Provider } from './providers.ts'

/** Why an identity signs nobody in. */
export type NoAccount = 'account_disabled' | 'email_in_use' | 'identity_in_use' | 'sign_up_refused'

export interface AccountsOfIdentities {
  readonly accounts: Pick<AccountRows, 'find' | 'idOf' | 'add'>
  readonly identities: IdentityRows
}

/**
 * The account that an identity signs in to. An e-mail address alone signs nobody in: whoever can make a provider say it
 * would own the account that has it.
 *
 * @param signedIn the account that the user wants to link, signed in a moment ago
 */
export async function accountFor(
  rows: AccountsOfIdentities,
  provider: Provider,
  identity: Identity,
  signedIn?: Account,
): Promise<Account | NoAccount> {
  const known = await rows.identities.find(identity.issuer, identity.subject)
  if (signedIn !== undefined) return link(rows, identity, signedIn, known)
  if (known !== undefined) return (await rows.accounts.find(known.subject)) ?? 'account_disabled'
  const holder = await holderOf(rows, identity)
  if (holder === undefined) return signUp(rows, provider, identity)
  const both = identity.emailVerified && holder.email_verified
  return provider.link_verified_email && both ? link(rows, identity, holder, known) : 'email_in_use'
}

async function holderOf(
  { accounts }: AccountsOfIdentities,
  { email }: Identity,
): Promise<Account | undefined> {
  const id = email === undefined ? undefined : await accounts.idOf(email)
  return id === undefined ? undefined : accounts.find(id)
}

async function link(
  { identities }: AccountsOfIdentities,
  identity: Identity,
  account: Account,
  known: LinkedIdentity | undefined,
): Promise<Account | NoAccount> {
  const added = known === undefined && (await identities.add(linked(identity, account)))
  return added || known?.subject === account.id ? account : 'identity_in_use'
}

async function signUp(
  { accounts, identities }: AccountsOfIdentities,
  provider: Provider,
  identity: Identity,
): Promise<Account | NoAccount> {
  const { email, emailVerified, name } = identity
  if (email === undefined || !maySignUp(provider, identity)) return 'sign_up_refused'
  const updated_at = Math.floor(Date.now() / 1000)
  const account: Account = {
    id: randomUUID(),
    email: email.toLowerCase(),
    email_verified: emailVerified,
    name: name ?? email,
    updated_at,
    // Nobody types one for this account.
    password: '',
  }
  if (!(await accounts.add(account, 'sign_up'))) return 'email_in_use'
  return (await identities.add(linked(identity, account))) ? account : 'identity_in_use'
}

function maySignUp({ sign_up }: Provider, { email = '', emailVerified }: Identity): boolean {
  if (typeof sign_up === 'boolean') return sign_up
  return emailVerified && sign_up.email_domains.includes(email.toLowerCase().split('@').at(-1) ?? '')
}

function linked({ issuer, subject, email }: Identity, account: Account): LinkedIdentity {
  return { issuer, identity: subject, subject: account.id, shownAs: email ?? subject, addedAt: Date.now() }
}
