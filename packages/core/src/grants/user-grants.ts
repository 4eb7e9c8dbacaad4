import { type PublicClient, publicClient } from '../clients/client-record.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Client, Grant } from '../kernel/records.ts'
import type { GrantOwner, PageRequest } from '../kernel/store.ts'
import { changeGrant, endGrant, type GrantRevoked, keptUntil, liveUntil } from './change-grant.ts'
import { holderOf, withoutOrphans } from './grant.ts'

/** A grant, for a page of its user. Times are epoch seconds. */
export interface UserGrant
  extends Omit<
    Grant,
    'withheldScopes' | 'nonce' | 'sid' | 'ticketEndsAt' | 'code' | 'refresh' | 'accessTokens'
  > {
  /** Absent when the client was removed; the grant then ends with its access tokens. */
  readonly client?: PublicClient | undefined
}

type UserGrantPageRequest = Partial<PageRequest> & { readonly clientId?: string | undefined }

/** Grants of a user, the newest first. */
export interface UserGrantPage {
  readonly grants: readonly UserGrant[]
  /** Leads to the next page, which may be empty; absent on the last one. */
  readonly next?: string | undefined
}

type Ended = Pick<GrantRevoked, 'by' | 'reason'>

/** The grants of users. Every method takes the user, so a page changes only the grants of its own user. */
export interface UserGrants {
  /**
   * A page of the live grants of a user.
   *
   * @param page `limit` is 50 by default and 200 at most; with `clientId`, only grants of this client
   */
  list(subject: string, page?: UserGrantPageRequest): Promise<UserGrantPage>
  /**
   * Ends a grant of this user: consent and all tokens in one step. Returns `false`, and changes nothing, when the grant
   * does not exist or belongs to another user.
   *
   * @param by the actor in the event. Default: the user
   */
  revoke(subject: string, grantId: string, by?: 'user' | 'operator'): Promise<boolean>
  /**
   * Ends every grant of a user, or of a user and a client. For a user who is removed or disabled, do that first: then no
   * consent opens another one. If it fails halfway, call it again to finish.
   *
   * @param scope `by`: the actor in the event. Default: the operator, with the reason `subject_gone`
   * @returns the number of grants that ended
   */
  revokeAll(subject: string, scope?: RevokeScope): Promise<number>
}

interface RevokeScope {
  readonly clientId?: string | undefined
  readonly by?: 'user' | 'operator' | undefined
}

export function userGrants(kernel: Kernel): UserGrants {
  const { store, now } = kernel
  return {
    async list(subject, { limit = 50, after, clientId } = {}) {
      const page = { limit: Math.min(limit, MAX_PAGE), after }
      const { grants, next } = await store.grants.list({ subject, clientId }, page)
      const live = grants.filter((grant) => now() < liveUntil(grant))
      const ids = [...new Set(live.map(({ clientId }) => clientId))]
      const clients = new Map(
        await Promise.all(ids.map(async (id) => [id, await store.clients.find(id)] as const)),
      )
      return { grants: live.map((grant) => userGrant(grant, clients.get(grant.clientId))), next }
    },
    revoke: (subject, grantId, by = 'user') => revokeUserGrant(kernel, subject, grantId, { by }),
    async revokeAll(subject, { clientId, by } = {}) {
      const why: Ended = by === undefined ? { by: 'operator', reason: 'subject_gone' } : { by }
      let ended = 0
      for await (const { id } of eachGrant(kernel, { subject, clientId }))
        if (await revokeUserGrant(kernel, subject, id, why)) ended++
      return ended
    },
  }
}

const MAX_PAGE = 200

function userGrant(grant: Grant, client: Client | undefined): UserGrant {
  const { id, clientId, scopes, resources, redirectUri, origin, label, authority, network } = grant
  const { authTime, acr, amr, createdAt, usedAt, expiresAt, terms } = grant
  const about = { id, clientId, scopes, resources, redirectUri, origin, label, authority, network }
  const times = { authTime, createdAt, usedAt, expiresAt }
  return { ...about, ...times, acr, amr, terms, client: client && publicClient(client) }
}

/** A grant id never changes its user, so there is no race between the read and the revocation. */
export async function revokeUserGrant(
  kernel: Kernel,
  subject: string,
  id: string,
  why: Ended = { by: 'user' },
): Promise<boolean> {
  const stored = await kernel.store.grants.find(id)
  if (stored === undefined || stored.value.subject !== subject) return false
  const ended = await endGrant(kernel, stored, why)
  const { clientId } = stored.value
  if (ended)
    kernel.emit({ type: 'grant_revoked', grantId: id, clientId, subject, ...why } satisfies GrantRevoked)
  return ended
}

/** Ends the grants of a user that sessions of theirs take with them. */
export async function revokeGrantsOfSessions(
  kernel: Kernel,
  owner: GrantOwner & { readonly subject: string },
  endsWithThem: (grant: Grant) => boolean,
): Promise<void> {
  for await (const grant of eachGrant(kernel, owner))
    if (endsWithThem(grant)) await revokeUserGrant(kernel, owner.subject, grant.id, { by: 'server' })
}

/** Ends the grants that match: of one user, or by a scan of all. @returns the number of grants that ended */
export async function endGrantsWhere(
  kernel: Kernel,
  { subject }: { readonly subject?: string | undefined },
  matches: (grant: Grant) => boolean,
): Promise<number> {
  const grants = subject === undefined ? kernel.store.grants.scan() : eachGrant(kernel, { subject })
  let ended = 0
  for await (const grant of grants)
    if (matches(grant) && (await endOne(kernel, grant.id, grant.subject))) ended++
  return ended
}

async function* eachGrant({ store }: Kernel, owner: GrantOwner): AsyncGenerator<Grant> {
  let after: string | undefined
  do {
    const { grants, next } = await store.grants.list(owner, { limit: MAX_PAGE, after })
    yield* grants
    after = next
  } while (after !== undefined)
}

/**
 * Opens a grant of a user, and ends the grants of the same user and client above the limit: the one that was not used for
 * the longest time goes first. Only the newest are looked at, so many more than the limit take several approvals.
 *
 * @returns `false` when the id exists; then nothing was changed
 */
export async function openWithinLimit(kernel: Kernel, grant: Grant): Promise<boolean> {
  const { maxGrantsPerClient: most, store } = kernel
  const { id, subject = '', clientId } = grant
  const [opened, page] = await Promise.all([
    store.grants.insert(id, grant, keptUntil(grant)),
    store.grants.list({ subject, clientId }, { limit: 2 * most }).catch(() => undefined),
  ])
  if (!opened || page === undefined) return opened
  const why = { by: 'server', reason: 'too_many_grants' } as const
  const others = page.grants.filter((other) => other.id !== id)
  // The grant is open: an error would hide its approval. The next approval repeats what fails here.
  await Promise.allSettled(
    surplus(others, most - 1, grant.createdAt).map((other) =>
      revokeUserGrant(kernel, subject, other.id, why),
    ),
  )
  return opened
}

/** An approval whose code is unredeemed goes first: a page of another site can make a browser bring many. */
function surplus(grants: readonly Grant[], most: number, now: number): Grant[] {
  const isRedeemed = ({ code }: Grant) => Number(code === undefined || code.redeemedAt !== undefined)
  return grants
    .filter((grant) => now < liveUntil(grant))
    .sort((one, other) => isRedeemed(other) - isRedeemed(one) || other.usedAt - one.usedAt)
    .slice(most)
}

/** Which grants: those of an issuer, of one of its organizations, or of one of its users or workloads. */
export interface EndGrantsOf {
  /** `iss` of the assertions. */
  readonly issuer: string
  /** `tenant` of the assertions, where organizations share the issuer (`tenants: true`). Default: all. */
  readonly tenant?: string | undefined
  /** `sub` of the assertions. Default: all. At a shared issuer it names a user only together with `tenant`. */
  readonly subject?: string | undefined
}

/** The grants that assertions brought (`jwtBearer`). */
export interface AssertedGrants {
  /**
   * Ends all grants that an issuer has allowed, or those of one of its organizations, users or workloads. It reads every grant, so it is for
   * commands. Remove the trust first: then no assertion brings another grant.
   *
   * @returns the number of grants that ended
   */
  endOf(of: EndGrantsOf): Promise<number>
}

/** By a scan: no request waits for it (docs/adr/0007). @returns the number of grants that ended */
export function endGrantsOf(
  kernel: Kernel,
  { issuer, tenant, subject: asserted }: EndGrantsOf,
): Promise<number> {
  return endGrantsWhere(kernel, {}, ({ authority }) => {
    if (authority?.issuer !== issuer) return false
    if (tenant !== undefined && authority.tenant !== tenant) return false
    // Without a tenant it would name people of several organizations.
    return asserted === undefined || (authority.subject === asserted && authority.tenant === tenant)
  })
}

async function endOne(kernel: Kernel, id: string, subject: string | undefined): Promise<boolean> {
  if (subject !== undefined) return revokeUserGrant(kernel, subject, id, { by: 'operator' })
  const stored = await kernel.store.grants.find(id)
  return stored !== undefined && endGrant(kernel, stored, { by: 'operator' })
}

/** The result of removing a client. */
export interface ClientRemoval {
  /** Whether the client existed. */
  readonly existed: boolean
  /** The number of grants that ended with it. */
  readonly grantsEnded: number
}

/** A client was removed, and its grants with it. */
export interface ClientRemoved {
  readonly type: 'client_removed'
  readonly clientId: string
  readonly grantsEnded: number
}

/**
 * Removes a client, ends its grants with all their tokens, and ends the tokens that it holds of the grants of others. The
 * client goes first: without it no caller can exchange its codes or tokens or use a new grant of it, so the scan finds every
 * grant that matters. If it fails halfway, call it again to finish.
 */
export async function removeClient(kernel: Kernel, clientId: string): Promise<ClientRemoval> {
  const existed = await kernel.store.clients.remove(clientId)
  const grantsEnded = await endGrantsOfClient(kernel, clientId)
  if (existed || grantsEnded > 0)
    kernel.emit({ type: 'client_removed', clientId, grantsEnded } satisfies ClientRemoved)
  return { existed, grantsEnded }
}

async function endGrantsOfClient(kernel: Kernel, clientId: string): Promise<number> {
  const { store, emit } = kernel
  let ended = 0
  const why = { by: 'operator', reason: 'client_removed' } as const
  for await (const grant of store.grants.scan()) {
    const { id: grantId, clientId: owner, subject } = grant
    if (owner !== clientId) {
      await endTokensHeldBy(kernel, clientId, grant)
      continue
    }
    const stored = await store.grants.find(grantId)
    if (stored === undefined || !(await endGrant(kernel, stored, why))) continue
    ended++
    emit({ type: 'grant_revoked', grantId, clientId, subject, ...why } satisfies GrantRevoked)
  }
  return ended
}

async function endTokensHeldBy(kernel: Kernel, clientId: string, scanned: Grant): Promise<void> {
  if (scanned.accessTokens.every((token) => holderOf(scanned, token) !== clientId)) return
  await changeGrant(kernel, scanned.id, (grant) => {
    const others = grant.accessTokens.filter((token) => holderOf(grant, token) !== clientId)
    return { kind: 'changed', grant: { ...grant, accessTokens: withoutOrphans(others) }, result: undefined }
  })
}
