/** The Store port: all that Grantkit needs of persistence. A store needs to know no RFC; `@grantkit/testkit` tests the promises. */

import { OAuthError, SERVER_ERRORS } from './oauth-error.ts'
import type { Client, Grant, Transient } from './records.ts'
import { pauseAfter, type WaitingPorts } from './time.ts'

/** A record as it was read, with a version that lets the store notice later writes. */
export interface Stored<T> {
  readonly value: T
  /** Opaque: compared by the store, never read by core. */
  readonly version: unknown
}

export interface Records<T> {
  /** The record, or `undefined` when it was never written, was removed, or has expired. */
  find(id: string): Promise<Stored<T> | undefined>

  /**
   * Writes a new record that vanishes at `expiresAt` (epoch seconds). Of several concurrent inserts under one id,
   * exactly one returns `true`; `false` means the id exists and nothing was written.
   */
  insert(id: string, value: T, expiresAt: number): Promise<boolean>

  /**
   * Compare-and-swap: writes `value` only if the record is still the one that was `seen`, in one atomic step with its
   * new expiry. Returns `false`, and writes nothing, when the record has changed, expired or been removed. Of several
   * concurrent replacements of one `seen`, exactly one returns `true`.
   */
  replace(id: string, seen: Stored<T>, value: T, expiresAt: number): Promise<boolean>

  /**
   * Removes the record, no matter who wrote it last. Removing a missing record is no error. Of several concurrent
   * removals, one returns `true`. After a lost reply the store may not know; then it returns `true`.
   */
  remove(id: string): Promise<boolean>

  /**
   * Every live record, in any order and perhaps twice. Records that exist during the whole scan are always included;
   * others may be. The duration grows with the number of records: no request uses it, only commands of the operator.
   */
  scan(): AsyncIterable<T>
}

/** The owner of a list of grants: a user, or a user and a client. */
export interface GrantOwner {
  readonly subject: string
  readonly clientId?: string | undefined
}

export interface PageRequest {
  /** The maximum number of grants, at least 1. */
  readonly limit: number
  /** `next` of the page before; absent for the first page. A text that the store did not make leads to the first page. */
  readonly after?: string | undefined
}

export interface GrantPage {
  readonly grants: readonly Grant[]
  /** Leads to the next page; absent on the last one. */
  readonly next?: string | undefined
}

export interface GrantRecords extends Records<Grant> {
  /**
   * A page of the live grants of an owner, the newest first. The store reads no more than `limit` grants, however many
   * there are: a page may have fewer, or none, and still lead to the next one. It may lag behind a write, but never
   * includes a removed grant. All pages together include each grant that exists meanwhile.
   */
  list(owner: GrantOwner, page: PageRequest): Promise<GrantPage>
}

type UnlistedRecords<T> = Omit<Records<T>, 'scan'>

/** Transients are never listed. An `insert` that returns `false` reveals a replay. */
export type Transients = UnlistedRecords<Transient>

/**
 * A method rejects when it cannot reach its records. A write also rejects when its outcome is unknown: `false` always means
 * that this call wrote nothing. Core then answers 503, and the request may have taken effect. A `TypeError`, `RangeError`,
 * `ReferenceError` or `SyntaxError` without a `cause` is a bug of the store: core answers 500.
 */
export interface Store {
  readonly clients: Records<Client>
  readonly grants: GrantRecords
  /** If a store has none, a feature that needs them fails at creation. */
  readonly transients?: Transients | undefined
  /**
   * The records of a namespace, in the same engine, such as those of another issuer. Equal ids in two namespaces are two records, and
   * no list, scan, limit or eviction of one knows the records of another. The store itself has the records of no
   * namespace. What `within` returns is light, may be made for each request, and lives as long as the store; it needs no `within` of its own.
   *
   * @param namespace any text of 1 to 256 characters
   * @throws RangeError for another
   */
  within?(namespace: string): Store
}

/** An outage is a 503 everywhere and never looks like a bad token. A bug is unchanged: to repeat the request does not help. */
export function storeErrorsAs503({ clients, grants, transients }: Store): Store {
  return {
    clients: { ...recordErrorsAs503(clients), scan: () => eachRecord(clients) },
    grants: {
      ...recordErrorsAs503(grants),
      scan: () => eachRecord(grants),
      list: errorsAs503((owner: GrantOwner, page: PageRequest) => grants.list(owner, page)),
    },
    transients: transients && recordErrorsAs503(transients),
  }
}

const OF_THE_LANGUAGE = ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError']

async function unavailable(cause: unknown): Promise<never> {
  // `fetch` reports an outage as a `TypeError` too, but with a cause.
  if (cause instanceof Error && OF_THE_LANGUAGE.includes(cause.name) && cause.cause === undefined) throw cause
  throw new OAuthError(SERVER_ERRORS.store_unavailable, undefined, { cause })
}

function recordErrorsAs503<T>(records: UnlistedRecords<T>): UnlistedRecords<T> {
  return {
    find: errorsAs503((id) => records.find(id)),
    insert: errorsAs503((id, value, expiresAt) => records.insert(id, value, expiresAt)),
    replace: errorsAs503((id, seen, value, expiresAt) => records.replace(id, seen, value, expiresAt)),
    remove: errorsAs503((id) => records.remove(id)),
  }
}

async function* eachRecord<T>(records: Records<T>): AsyncGenerator<T> {
  try {
    // A caller that stops ends the scan of the store too.
    yield* records.scan()
  } catch (cause) {
    await unavailable(cause)
  }
}

/** Not `async`: every request calls several of these. */
function errorsAs503<Args extends unknown[], Result>(
  method: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return (...args) => {
    try {
      return method(...args).catch(unavailable)
    } catch (cause) {
      return unavailable(cause)
    }
  }
}

interface RacingPorts extends WaitingPorts {
  /** More lost races than this on one record mean an attack or a fault. Default 16. */
  readonly races?: number | undefined
}

/**
 * Reads a record and writes the next one if it is unchanged; otherwise it starts again, after a pause that grows and is random.
 *
 * @param next the new record; `undefined` leaves it as it is. Called again after another writer changed the record
 * @returns what was written
 * @throws OAuthError of `next`; `temporarily_unavailable` when the record is too contended, and then nothing was written
 */
export async function changeRecord<T extends Client | Transient>(
  records: UnlistedRecords<T>,
  id: string,
  { races = 16, time, random }: RacingPorts,
  next: (seen: T | undefined) => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  for (let attempt = 0; attempt < races; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, { time, random })
    const seen = await records.find(id)
    const changed = await next(seen?.value)
    if (changed === undefined) return undefined
    const written =
      seen === undefined
        ? records.insert(id, changed, changed.expiresAt)
        : records.replace(id, seen, changed, changed.expiresAt)
    if (await written) return changed
  }
  throw new OAuthError(SERVER_ERRORS.contention)
}
