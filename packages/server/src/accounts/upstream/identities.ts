import { randomUUID } from 'node:crypto'
import { displayText } from '@grantkit/core/internal'
import type { Selectable } from 'kysely'
import { Methods } from '../../config/authentication-classes.ts'
import { isUnbound, type Provider } from '../../config/providers.ts'
import { added, type Database, type Rows } from '../../database/database.ts'
import { errorsAs503 } from '../../database/errors-as-503.ts'
import type { IdentityRow } from '../../database/tables.ts'
import type { NoAccount, UpstreamReason } from '../../events.ts'
import type { AccountDirectory } from '../account-directory.ts'
import type { AccountRows } from '../account-rows.ts'
import { isCurrent, type StoredAccount } from '../accounts.ts'
import { setRoles } from '../provider-roles.ts'
import { lacksOf, lacksToSignIn, type Profile } from './memberships.ts'
import { moveRemapped } from './remapped-identities.ts'

/** An identity at a provider that is linked to an account. */
export interface LinkedIdentity {
  readonly issuer: string
  /** The `sub` of the user at the provider. */
  readonly identity: string
  /** The id of the account. */
  readonly subject: string
  /** The label for the user: the address that the provider had verified when it was linked, or its `sub`. */
  readonly shownAs: string
  /** Epoch milliseconds. */
  readonly addedAt: number
  /** The id of the provider, if one linked it. */
  readonly provider?: string | undefined
  /** Of Microsoft: `tid` and `oid`. */
  readonly tenant?: string | undefined
  readonly oid?: string | undefined
}

export type IdentityRows = ReturnType<typeof identityRows>

/** @throws OAuthError `temporarily_unavailable` */
export function identityRows(database: Database) {
  const rows = database.selectFrom('identity').selectAll()
  return errorsAs503({
    async find(issuer: string, identity: string): Promise<LinkedIdentity | undefined> {
      const row = await rows.where('issuer', '=', issuer).where('subject', '=', identity).executeTakeFirst()
      return row && identityOf(row)
    },
    /** The oldest first. */
    async list(subject: string): Promise<readonly LinkedIdentity[]> {
      const found = await rows.where('account', '=', subject).orderBy('added_at').orderBy('issuer').execute()
      return found.map(identityOf)
    },
    /** Keeps what older releases did not keep of a link. */
    async complete({
      issuer,
      subject,
      provider,
      ...person
    }: Pick<Identity, 'issuer' | 'subject' | 'provider' | 'tenant' | 'oid'>): Promise<void> {
      const link = database.updateTable('identity').set({ provider, ...personOf(person) })
      await link.where('issuer', '=', issuer).where('subject', '=', subject).execute()
    },
    /**
     * Moves a link of a subject at a former issuer to this one, also what they verified. Nothing moves if the subject has a link at this issuer,
     * or if two accounts have one at former issuers.
     */
    async moveFormer({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>, former: readonly string[]) {
      await added(database, async (rows) => {
        const links = rows.selectFrom('identity').select(['issuer', 'account']).where('subject', '=', subject)
        const [link, ...others] = await links.where('issuer', 'in', former).execute()
        if (link === undefined || others.some(({ account }) => account !== link.account)) return false
        // First, as other changes do: whoever locks the link before the account could wait for ever.
        const verified = rows.updateTable('account').set({ email_source: issuer })
        await verified.where('id', '=', link.account).where('email_source', '=', link.issuer).execute()
        const moved = rows.updateTable('identity').set({ issuer }).where('subject', '=', subject)
        await moved.where('issuer', '=', link.issuer).execute()
        return true
      })
    },
    moveRemapped: (identity: Identity) => moveRemapped(database, identity),
    /** Sets the roles that a provider gives to an account. @returns whether they are others than before */
    setRoles: (subject: string, provider: Provider, roles: readonly string[]) =>
      setRoles(database, subject, provider, roles),
    /** `false`: the identity is linked already, or the sessions of its account have ended since the account was read. */
    add: (identity: LinkedIdentity, account: StoredAccount) =>
      added(database, (rows) => addIdentity(rows, identity, account)),
    /** The same. `false` also if the account has an identity of this issuer. */
    addFirst: (identity: LinkedIdentity, account: StoredAccount) =>
      added(database, async (rows) => {
        // It locks the account, so that of two persons one is the first.
        if (!(await isCurrent(rows, account))) return false
        const ofIssuer = rows.selectFrom('identity').select('subject').where('issuer', '=', identity.issuer)
        if (await ofIssuer.where('account', '=', account.id).executeTakeFirst()) return false
        await insertIdentity(rows, identity)
        return true
      }),
  })
}

/** A subject may be any text, and an address has up to 254 characters. Here it is a name for pages. */
function subjectAsName(subject: string): string {
  return displayText(subject.slice(0, 254)) || 'without a name'
}

/** In a transaction. `false`: the sessions of the account have ended since it was read. */
export async function addIdentity(
  rows: Rows,
  identity: LinkedIdentity,
  account: StoredAccount,
): Promise<boolean> {
  if (!(await isCurrent(rows, account))) return false
  await insertIdentity(rows, identity)
  return true
}

export async function insertIdentity(rows: Rows, linked: LinkedIdentity): Promise<void> {
  const { issuer, identity, subject, shownAs, addedAt, provider = null, ...person } = linked
  const added_at = new Date(addedAt).toISOString()
  const row = { issuer, subject: identity, account: subject, shown_as: subjectAsName(shownAs), added_at }
  await rows
    .insertInto('identity')
    .values({ ...row, provider, ...personOf(person), remap_until: null })
    .execute()
}

/** The tenant alone is no person. */
function personOf({
  tenant = null,
  oid = null,
}: {
  tenant?: string | undefined | null
  oid?: string | undefined | null
}) {
  return oid === null ? {} : { tenant, oid }
}

function identityOf({
  issuer,
  subject,
  account,
  shown_as,
  added_at,
  provider,
  oid,
}: Selectable<IdentityRow>): LinkedIdentity {
  const linked = { issuer, identity: subject, subject: account, shownAs: shown_as }
  const addedAt = Date.parse(added_at)
  return { ...linked, addedAt, provider: provider ?? undefined, oid: oid ?? undefined }
}

/** A user whom an OpenID provider authenticated. Issuer and subject together are never reused for another person. */
export interface Identity extends Partial<Profile> {
  readonly issuer: string
  readonly subject: string
  /** The time of the sign-in at the provider, in epoch seconds, if it says that (`auth_time`). */
  readonly authTime?: number | undefined
  /** The id of the provider, which is kept with the link. */
  readonly provider?: string | undefined
  /** The authentication class and methods, if the operator trusts the provider with them. */
  readonly acr?: string | undefined
  readonly amr?: readonly string[] | undefined
}

/** From an ID token. A value of another type counts like an unknown class. */
export function authenticationIn({ acr, amr }: { readonly [claim: string]: unknown }) {
  return { acr: typeof acr === 'string' ? acr : undefined, amr: Methods.safeParse(amr).data }
}

export class UpstreamError extends Error {
  readonly reason: UpstreamReason
  /** For the log: the error code of the provider, or the failure. */
  readonly detail: string

  constructor(reason: UpstreamReason, options?: ErrorOptions) {
    super(`Sign-in with a provider: ${reason}`, options)
    this.name = 'UpstreamError'
    this.reason = reason
    this.detail = detailOf(options?.cause)
  }
}

/** The fault of a library for OpenID Connect, by its error codes. @param said the fault in words, for the log */
export function upstreamErrorOf(fault: unknown, said: unknown = fault): UpstreamError {
  return fault instanceof UpstreamError ? fault : new UpstreamError(reasonOf(fault), { cause: said })
}

const OF_CLIENT =
  /^(invalid_client|incorrect_client_credentials|unauthorized_client|invalid_scope|unsupported_(grant|response)_type|invalid_request|redirect_uri_mismatch)$/

/** The errors of jose for an ID token. Its others are about keys that cannot be read. */
const OF_SIGNATURE = /^ERR_(JWS_|JOSE_ALG_|JOSE_NOT_SUPPORTED|JWKS_(NO|MULTIPLE)_MATCHING_KEY)/

function reasonOf(cause: unknown): UpstreamReason {
  const causes = causesOf(cause)
  const code = textOf(causes.find((each) => 'code' in each)?.code)
  // GitHub sends its errors with the status 200: they are in the body that the library did not understand.
  const error =
    causes.map((each) => textOf(each.error ?? Object(each.body).error)).find((text) => text !== '') ?? ''
  const status = causes.find((each) => typeof each.status === 'number')?.status as number | undefined
  if (OF_SIGNATURE.test(code)) return 'response_invalid'
  // It names no error of OAuth: nothing answered, or what did is not the provider.
  if ((status ?? 0) >= 500 || !/^OAUTH_(?!TIMEOUT|ABORT)/.test(code)) return 'unreachable'
  if (/^(server_error|temporarily_unavailable)$/.test(error)) return 'unreachable'
  if (OF_CLIENT.test(error) || code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') return 'client_rejected'
  return code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR' ? 'provider_denied' : 'response_invalid'
}

type Cause = Readonly<Record<string, unknown>>

function causesOf(cause: unknown): readonly Cause[] {
  const causes: Cause[] = []
  for (let each = cause; Object(each) === each && causes.length < 5; each = (each as Cause).cause)
    causes.push(each as Cause)
  return causes
}

/** The provider may say anything, also the address of the user. */
function detailOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message.slice(0, 1000) : ''
  return displayText(text.replace(/[^\s"'<>]+@/g, '…@')).slice(0, 200)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export interface AccountsOfIdentities {
  readonly accounts: Pick<AccountRows, 'find' | 'idOf' | 'add'>
  readonly identities: IdentityRows
  readonly directory: Pick<AccountDirectory, 'isAdmin'>
  /** Called when an address has linked an identity. */
  readonly onLinked?: ((account: StoredAccount, issuer: string) => void) | undefined
  /** Called when `tid` and `oid` have moved the link of an account. */
  readonly onRemapped?: ((account: string, issuer: string) => void) | undefined
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
  user: Identity,
  signedIn?: StoredAccount,
): Promise<StoredAccount | NoAccount> {
  const identity = { ...user, provider: provider.id }
  const lacks = lacksToSignIn(provider, identity)
  if (lacks !== undefined) return lacks
  if (provider.formerIssuers !== undefined) await rows.identities.moveFormer(identity, provider.formerIssuers)
  if (signedIn !== undefined) return connectIdentity(rows, provider, identity, signedIn)
  const known = (await accountOf(rows, identity)) ?? (await remappedAccount(rows, identity))
  if (known !== undefined)
    return typeof known === 'object' && !(await mayConnect(rows, provider, known)) ? 'admin_refused' : known
  const found = await byAddress(rows, provider, identity)
  // The same identity may have signed up at the same time.
  return found === 'email_in_use' ? ((await accountOf(rows, identity)) ?? found) : found
}

type Linkable = Pick<Identity, 'issuer' | 'subject' | 'email' | 'provider' | 'tenant' | 'oid'>

/** Whether the provider is strong enough for the account. */
export async function mayConnect(
  { directory }: Pick<AccountsOfIdentities, 'directory'>,
  provider: Provider,
  { id }: StoredAccount,
): Promise<boolean> {
  return !isUnbound(provider) || !(await directory.isAdmin(id))
}

/** For a user who has just signed in to the account. */
async function connectIdentity(
  rows: AccountsOfIdentities,
  provider: Provider,
  identity: Linkable,
  account: StoredAccount,
): Promise<StoredAccount | NoAccount> {
  return (await mayConnect(rows, provider, account)) ? link(rows, identity, account) : 'admin_refused'
}

async function byAddress(
  rows: AccountsOfIdentities,
  provider: Provider,
  identity: Identity,
): Promise<StoredAccount | NoAccount> {
  const holder = await holderOf(rows, identity)
  if (holder === undefined) return signUp(rows, provider, identity)
  const { standing = 'verified' } = identity
  const mayLink = provider.linkVerifiedEmail && (standing === 'verified' || standing === 'vouched')
  const linked = mayLink && (await linkByAddress(rows, identity, holder))
  return linked ? holder : 'email_in_use'
}

/** The account that linked it. */
async function accountOf(
  { identities, accounts }: AccountsOfIdentities,
  identity: Identity,
): Promise<StoredAccount | 'account_disabled' | undefined> {
  const { issuer, subject, provider, oid } = identity
  const known = await identities.find(issuer, subject)
  if (known && provider !== undefined && (known.provider !== provider || (oid && known.oid !== oid)))
    await identities.complete(identity)
  const account = known && (await accounts.find(known.subject))
  // Read again: if the link is removed afterwards, the session of this sign-in ends.
  const still = known && (await identities.find(issuer, subject))
  return still && (account ?? 'account_disabled')
}

/** The account of a user of Microsoft who has another `sub` since a new app registration. */
async function remappedAccount(rows: AccountsOfIdentities, identity: Identity) {
  const account = identity.oid === undefined ? undefined : await rows.identities.moveRemapped(identity)
  if (account === undefined) return undefined
  rows.onRemapped?.(account, identity.issuer)
  return accountOf(rows, identity)
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
  identity: Pick<Identity, 'issuer' | 'subject' | 'email' | 'provider'>,
  holder: StoredAccount,
): Promise<boolean> {
  const { email_verified, emailSource } = holder
  const isVerified = email_verified && (emailSource === 'operator' || emailSource === identity.issuer)
  if (!isVerified || !/^[!-~]+$/.test(identity.email ?? '')) return false
  if (await directory.isAdmin(holder.id)) return false
  const isNew = await identities.addFirst(linkedIdentity(identity, holder.id), holder)
  if (isNew) onLinked?.(holder, identity.issuer)
  return isNew
}

async function link(
  { identities }: AccountsOfIdentities,
  identity: Linkable,
  account: StoredAccount,
): Promise<StoredAccount | NoAccount> {
  if (await identities.add(linkedIdentity(identity, account.id), account)) return account
  const known = await identities.find(identity.issuer, identity.subject)
  // Another tab has just connected a provider, and renewed the session.
  if (known === undefined) throw new UpstreamError('state_expired')
  return known.subject === account.id ? account : 'identity_in_use'
}

async function signUp(
  rows: AccountsOfIdentities,
  provider: Provider,
  identity: Identity,
): Promise<StoredAccount | NoAccount> {
  const lacks = lacksToSignUp(provider, identity)
  if (lacks !== undefined) return lacks
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
    also: (transaction) => insertIdentity(transaction, linkedIdentity(identity, account.id)),
  })
  if (!isNew) return 'email_in_use'
  return (await rows.accounts.find(account.id)) ?? 'account_disabled'
}

function lacksToSignUp({ signUp }: Provider, identity: Identity): NoAccount | undefined {
  if (typeof signUp === 'object') return lacksOf(signUp, identity)
  return signUp ? undefined : 'sign_up_off'
}

export function linkedIdentity(
  { issuer, subject, email, provider, tenant, oid }: Linkable,
  account: string,
): LinkedIdentity {
  const shownAs = email ?? subject
  return { issuer, identity: subject, subject: account, shownAs, addedAt: Date.now(), provider, tenant, oid }
}
