import type { Feature } from '@grantkit/core'
import { type AssertedUser, jwtBearer, type SubjectOf } from '@grantkit/core/jwt-bearer'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import type { PagesOptions } from '../pages/routes.ts'
import { mayLink } from '../upstream/account-for.ts'
import { outboundFetch } from './client-documents.ts'

/** @throws ConfigError when a file cannot be used, or if no account can be linked to a provider */
export async function jwtBearerOf(
  config: Config,
  pages: PagesOptions,
  directory: Pick<AccountDirectory, 'isAdmin'>,
): Promise<Feature> {
  const { trusts, workloads } = config.features.jwtBearer
  if (trusts.length > 0 && !pages.ways.builtIn)
    throw new ConfigError([
      'features.jwtBearer.trusts needs the accounts of the server, so users must not be set',
    ])
  const idJag = trusts.length === 0 ? undefined : { trusts, subjectOf: linkedAccount(pages, directory) }
  return jwtBearer({ idJag, workloads, fetch: await outboundFetch(config) })
}

/** The active account that is linked to the identity, or that its address links now. */
function linkedAccount(pages: PagesOptions, directory: Pick<AccountDirectory, 'isAdmin'>): SubjectOf {
  const { identities, accounts } = pages.ways
  return async (user) => {
    const known = await identities.find(user.issuer, user.subject)
    // From now on only the link counts, whatever address the issuer asserts.
    if (known !== undefined) return (await accounts.find(known.subject))?.id
    const holder = await linkableAccount(pages, directory, user)
    return holder && linkNow(pages, user, holder)
  }
}

/**
 * The account with the address that the trust lets link. The address must be verified by the operator or by this issuer: what
 * another provider has verified, this one could claim. The account of an admin is never linked by an address.
 */
async function linkableAccount(
  { ways: { accounts } }: PagesOptions,
  directory: Pick<AccountDirectory, 'isAdmin'>,
  { issuer, linkableEmail }: AssertedUser,
): Promise<StoredAccount | undefined> {
  const id = linkableEmail === undefined ? undefined : await accounts.idOf(linkableEmail)
  const holder = id === undefined ? undefined : await accounts.find(id)
  if (holder === undefined || !mayLink(holder, { issuer })) return undefined
  return (await directory.isAdmin(holder.id)) ? undefined : holder
}

/** @returns the id of the account; `undefined` if another one was linked meanwhile */
async function linkNow(
  { ways: { identities }, onEvent }: PagesOptions,
  { issuer, subject, linkableEmail }: AssertedUser,
  account: StoredAccount,
): Promise<string | undefined> {
  const shownAs = linkableEmail ?? subject
  const linked = { issuer, identity: subject, subject: account.id, shownAs, addedAt: Date.now() }
  if (await identities.add(linked, account)) {
    onEvent({ type: 'identity_linked', subject: account.id, issuer })
    return account.id
  }
  const known = await identities.find(issuer, subject)
  return known?.subject === account.id ? account.id : undefined
}
