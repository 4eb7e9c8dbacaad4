import type { BaseEvent, Emit, GrantEnd, PresentedRecords } from '../kernel/events.ts'
import { CLOCK_TOLERANCE, type Kernel, type KernelStore } from '../kernel/kernel.ts'
import { OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import type { Grant, Transient } from '../kernel/records.ts'
import { type GrantId, type Hash, sha256 } from '../kernel/secrets.ts'
import type { GrantRecords, Stored } from '../kernel/store.ts'
import { pauseAfter } from '../kernel/time.ts'
import { coarseNetworkOf } from '../limits/caller-network.ts'
import {
  type AccessTokenFormat,
  grantIdOf,
  opaqueAccessTokens,
  parseCode,
  parseDecoupledCode,
  parseRefreshToken,
} from '../tokens/credential.ts'
import { type IssuedTokens, type Outcome, UNKNOWN_TERM } from './grant.ts'
import type { ExchangePlan, TokenRequest } from './grant-type.ts'
import type { WithTerms } from './request-terms.ts'

/** More lost races than this on one grant mean an attack or a fault, not a busy client. A grant that ends is then removed. */
export const MAX_ATTEMPTS = 16

/** A stolen or replayed credential ended a whole grant: raise an alarm on this event. */
export interface GrantEnded {
  readonly type: 'grant_ended'
  readonly grantId: string
  readonly clientId: string
  readonly subject?: string | undefined
  readonly reason: string
}

/** A grant was ended by its client (RFC 7009), its user, the operator, or a limit of the server. */
export interface GrantRevoked {
  readonly type: 'grant_revoked'
  readonly grantId: string
  readonly clientId: string
  readonly subject?: string | undefined
  readonly by: 'client' | 'user' | 'operator' | 'server'
  readonly reason?: 'client_removed' | 'subject_gone' | 'too_many_grants' | undefined
}

/** A grant that is loaded in parallel with the client that presents its credential. */
export interface PrefetchedGrant {
  readonly grantId: GrantId
  readonly found: Promise<Stored<Grant> | undefined>
  /** The transient that the credential names, if it names one. */
  readonly transient?: Promise<Stored<Transient> | undefined> | undefined
}

/** The records that a credential names. Default: the grant, by the id in the credential. */
interface NamedRecords extends Partial<Pick<AccessTokenFormat, 'read'>> {
  grantIdOf?(credential: string): GrantId | undefined
  transientOf?(credential: string): string | undefined
}

/** Starts to read all that a credential names, so that it shares one round trip to the store with the client. */
export function prefetch(
  { grants, transients }: KernelStore,
  credential: unknown,
  named: NamedRecords = {},
): PrefetchedGrant | undefined {
  if (typeof credential !== 'string') return undefined
  const grantId = named.grantIdOf ? named.grantIdOf(credential) : grantIdOf(credential)
  if (grantId === undefined) return undefined
  const found = grants.find(grantId)
  const id = named.transientOf?.(credential)
  const transient = id === undefined ? undefined : transients?.find(id)
  // The caller that awaits them gets the error. If the client is refused first, no caller awaits them.
  found.catch(() => {})
  transient?.catch(() => {})
  return { grantId, found, transient }
}

/** The records that a refused credential names, for an observer. They are read once more: a grant that has ended keeps what it began with. */
export async function presentedRecords(
  store: KernelStore,
  credential: unknown,
  named?: NamedRecords,
): Promise<PresentedRecords> {
  const read = prefetch(store, credential, named)
  const grant = (await read?.found.catch(() => undefined))?.value
  const transient = grant ? undefined : (await read?.transient?.catch(() => undefined))?.value
  if (grant === undefined && transient === undefined) return {}
  return { grant, transient, hash: await hashOf(String(credential), named) }
}

/** What a grant stores of its credentials. */
export function hashesOf({ code, refresh, accessTokens }: Grant): readonly Hash[] {
  const hashes = [code?.hash, refresh?.familyHash, ...accessTokens.map(({ hash }) => hash)]
  return hashes.filter((hash) => hash !== undefined)
}

/** What the grant of a credential stores of it. All refresh tokens of a grant share their family. */
async function hashOf(credential: string, named?: NamedRecords): Promise<Hash | undefined> {
  const refresh = parseRefreshToken(credential)
  if (refresh !== undefined) return sha256(refresh.family)
  const code = parseCode(credential)
  if (code !== undefined) return sha256(code.secret)
  if (parseDecoupledCode(credential) !== undefined) return sha256(credential)
  return (await (named?.read ?? opaqueAccessTokens.read)(credential))?.hash
}

/** It may wait for a source outside the store. */
export type Transition<Result> = (grant: Grant) => Outcome<Result> | Promise<Outcome<Result>>

export type Allowed<Result> = Exclude<Outcome<Result>, { kind: 'ended' }>

/**
 * Carries out one transition of a grant outside the token endpoint: reads the grant, applies the rule, and writes the result if the record is
 * unchanged; otherwise it starts again. If calls are concurrent, exactly one of them replaces a record that all have read.
 *
 * @param prefetched the first read of the grant, if it has started
 * @returns `undefined` when there is no such grant
 * @throws OAuthError the error of the rule; `temporarily_unavailable` when the grant is too contended, and then
 *   nothing was written
 *
 * @example
 * ```ts
 * import { changeGrant, type GrantId, type Kernel } from '@grantkit/core/feature'
 *
 * // Takes a scope away from a grant: the transition of a feature.
 * export const withoutScope = (kernel: Kernel, grantId: GrantId, name: string) =>
 *   changeGrant(kernel, grantId, (grant) => {
 *     const scopes = grant.scopes.filter((scope) => scope !== name)
 *     return { kind: 'changed', grant: { ...grant, scopes }, result: scopes }
 *   })
 * ```
 */
export async function changeGrant<Result>(
  kernel: Kernel,
  grantId: GrantId,
  transition: Transition<Result>,
  prefetched?: PrefetchedGrant,
): Promise<Allowed<Result> | undefined> {
  const { grants } = kernel.store
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, kernel)
    const seen = await (attempt === 0 && prefetched?.grantId === grantId
      ? prefetched.found
      : grants.find(grantId))
    if (seen === undefined) return undefined
    const decided = transition(seen.value)
    const outcome = decided instanceof Promise ? await decided : decided
    if (outcome.kind === 'unchanged') return outcome
    if (outcome.kind === 'ended') return refuseEnded(kernel, seen, outcome)
    if (await replaceGrant(kernel, seen, outcome.grant)) return outcome
  }
  throw new OAuthError(SERVER_ERRORS.contention)
}

/** One compare-and-swap. @returns whether the record was unchanged since it was seen */
function replaceGrant(kernel: Kernel, seen: Stored<Grant>, next: Grant): Promise<boolean> {
  const replace = () => kernel.store.grants.replace(next.id, seen, next, keptUntil(next))
  const hasSigned = seen.value.accessTokens.some(({ signed }) => signed === true)
  return hasSigned ? logRevoked(kernel, seen.value, next).then(replace) : replace()
}

/**
 * The plan of a grant type for the grant of its credential, within the terms of that grant. An outcome that ends the grant is
 * written here, before any check: a stolen credential must end it whatever the checks say.
 *
 * @throws OAuthError of an outcome that ends the grant, or of a term
 */
export function planOf(
  kernel: Kernel & WithTerms,
  seen: Stored<Grant>,
  outcome: Outcome<IssuedTokens>,
  request: Pick<TokenRequest, 'form'>,
  events?: readonly BaseEvent[],
): ExchangePlan | Promise<ExchangePlan> {
  if (outcome.kind === 'ended' || outcome.grant.terms === undefined)
    return plannedOf(kernel, seen, outcome, events)
  const { requestTerms } = kernel
  if (requestTerms === undefined) throw new OAuthError(UNKNOWN_TERM.term_unknown)
  const narrowed = requestTerms.within(outcome, request)
  return narrowed.then((within) => plannedOf(kernel, seen, within, events))
}

function plannedOf(
  kernel: Kernel,
  seen: Stored<Grant>,
  outcome: Outcome<IssuedTokens>,
  events?: readonly BaseEvent[],
): ExchangePlan | Promise<ExchangePlan> {
  if (outcome.kind === 'ended') return refuseEnded(kernel, seen, outcome)
  const { kind, grant, result: issued } = outcome
  const commit = kind === 'changed' ? () => replaceGrant(kernel, seen, grant) : undefined
  return { grant, issued, issuedTokenType: undefined, commit, events }
}

async function refuseEnded(
  kernel: Kernel,
  seen: Stored<Grant>,
  { refusal, event }: Extract<Outcome<unknown>, { kind: 'ended' }>,
): Promise<never> {
  const { id: grantId, clientId, subject } = seen.value
  const { reason } = refusal
  if (await endGrant(kernel, seen, { by: 'server', reason })) {
    if (event) kernel.emit(event)
    kernel.emit({ type: 'grant_ended', grantId, clientId, subject, reason } satisfies GrantEnded)
  }
  throw new OAuthError(refusal)
}

/**
 * Ends a grant with all its tokens. While the consent ticket that opened it is valid, the id stays taken: otherwise
 * the same form, or an insert that arrives late, would bring the code back to life.
 *
 * @returns whether this call ended it; of several at once, one does
 */
export async function endGrant(kernel: Kernel, stored: Stored<Grant>, why: GrantEnd): Promise<boolean> {
  const ended = await replaceByEnd(kernel, stored)
  if (ended) kernel.observer?.ended(stored.value, why)
  return ended
}

async function replaceByEnd(kernel: Kernel, stored: Stored<Grant>): Promise<boolean> {
  const { store } = kernel
  const { id, ticketEndsAt = 0, clientId, reference } = stored.value
  const now = kernel.now()
  // Always a replacement: it shows which tokens end.
  const until = Math.max(ticketEndsAt, now + 1)
  const owner = { reference, ended: { clientId, hashes: hashesOf(stored.value) } }
  const ended = { ...endedGrant(id, now, until), ...(reference && owner) }
  let seen: Stored<Grant> | undefined = stored
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, kernel)
    // A grant that has ended has no client.
    if (seen === undefined || seen.value.clientId === '') return false
    await logRevoked(kernel, seen.value)
    // A store that is full replaces nothing, but it removes.
    const replaced = store.grants.replace(id, seen, ended, until)
    if (await replaced.catch(() => removeFirst(store.grants, ended, until))) return true
    seen = await store.grants.find(id)
  }
  return removeFirst(store.grants, ended, until)
}

/** The end of the grant matters more than its id, which may stay free. */
async function removeFirst(grants: GrantRecords, ended: Grant, until: number): Promise<boolean> {
  const removed = await grants.remove(ended.id)
  await grants.insert(ended.id, ended, until).catch(() => false)
  return removed
}

/** The record of a grant that has ended, or that was denied. It has no client, no user and no token. */
export function endedGrant(id: Grant['id'], now: number, ticketEndsAt: number): Grant {
  const nothing = { clientId: '', scopes: [], resources: [], accessTokens: [] }
  return { id, ...nothing, createdAt: now, usedAt: now, expiresAt: now, ticketEndsAt }
}

/**
 * Writes the signed tokens that a change of a grant ends into the revocation log, before the change is stored: if only the
 * log is written, a token ends that was about to end. The record says whether there are signed tokens, so every process
 * does it, however it is configured.
 *
 * @param after absent when the grant ends
 */
async function logRevoked({ store, now }: Kernel, before: Grant, after?: Grant): Promise<void> {
  // A guard tolerates other clocks, and its own may be behind. A rotation drops expired tokens too, and logs none of them.
  const honoured = now() - (after === undefined ? 2 * CLOCK_TOLERANCE : 0)
  const kept = new Set(after?.accessTokens.map(({ hash }) => hash))
  const ended = before.accessTokens.filter(
    ({ hash, signed, expiresAt }) => signed === true && expiresAt > honoured && !kept.has(hash),
  )
  const { id } = before
  const entries = after === undefined && ended.length > 0 ? [id] : ended.map(({ hash }) => `${id}.${hash}`)
  await Promise.all(entries.map((entry) => store.logRevocation?.(entry)))
}

/** The last of its code and tokens ends then. */
export function liveUntil(grant: Grant): number {
  const ends = grant.accessTokens.map((issued) => issued.expiresAt)
  return Math.max(grant.code?.expiresAt ?? 0, grant.refresh?.expiresAt ?? 0, ...ends)
}

/**
 * The record is needed until this time: the spent code must stay known while a token lives, the id while its ticket does.
 * Without any of them that time is past, and never 0, which Redis takes for no time.
 */
export function keptUntil(grant: Grant): number {
  return Math.max(liveUntil(grant), grant.ticketEndsAt ?? grant.createdAt)
}

// The last use of a personal access token, which its user sees in the list: the time and the network.

/** A personal access token is in use and ends within 7 days. Once for a token; never for one that was made for 7 days or less. */
export interface PersonalTokenExpiring {
  readonly type: 'personal_token_expiring'
  readonly subject: string
  readonly grantId: string
  readonly label: string
  readonly expiresAt: number
}

interface UseRecorder {
  readonly grants: GrantRecords
  readonly emit: Emit
}

/** Seconds between two writes for one token. */
const INTERVAL = 60 * 60
const EXPIRING = 7 * 24 * 60 * 60

/** One write of a token at a time: a store that is slow or down gets no second one. */
const writing = new Set<Grant['id']>()

/**
 * Stores the use of a personal access token, at most once an hour. The request does not wait for it, and a failing write refuses
 * nothing: the next use repeats it.
 *
 * @param seen as the guard has read it: of several writes at once, one succeeds
 */
export function recordUse(
  guard: UseRecorder,
  seen: Stored<Grant>,
  remoteAddress: string | undefined,
  now: number,
): void {
  const { id, createdAt, usedAt } = seen.value
  const isUnused = usedAt === createdAt
  if (writing.has(id) || (now < usedAt + INTERVAL && !isUnused)) return
  const network = remoteAddress === undefined ? undefined : coarseNetworkOf(remoteAddress)
  writing.add(id)
  // Later than its creation, which would mean that it is unused.
  const used = { ...seen.value, usedAt: Math.max(now, createdAt + 1), network }
  void write(guard, seen, used).finally(() => writing.delete(id))
}

async function write({ grants, emit }: UseRecorder, seen: Stored<Grant>, used: Grant): Promise<void> {
  const { id, subject = '', label = '', expiresAt } = used
  const written = await grants.replace(id, seen, used, keptUntil(used)).catch(() => false)
  const soon = expiresAt - EXPIRING
  // Only the first write after that moment, of only one process.
  if (!written || seen.value.usedAt >= soon || used.usedAt < soon) return
  const ids = { subject, grantId: id }
  emit({ type: 'personal_token_expiring', ...ids, label, expiresAt } satisfies PersonalTokenExpiring)
}
