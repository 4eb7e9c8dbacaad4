/**
 * The Store port: all that Grantkit asks of persistence. Two kinds of record and an optional third, five verbs, one
 * promise of concurrency. No store needs to know an RFC; `@grantkit/testkit` proves the promises.
 */
import type { Client, Grant, Transient } from './records.ts'

/** A record as it was read, with what the store needs to notice that somebody wrote it since. */
export interface Stored<T> {
  readonly value: T
  /** Opaque: compared by the store, never read by core. */
  readonly version: unknown
}

export interface Records<T> {
  /** The record, or `undefined` when it was never written, was removed, or has expired. */
  find(id: string): Promise<Stored<T> | undefined>

  /**
   * Writes a new record that vanishes at `expiresAt` (epoch seconds). Of any number of concurrent inserts under
   * one id exactly one answers `true`; `false` means the id exists and nothing was written.
   */
  insert(id: string, value: T, expiresAt: number): Promise<boolean>

  /**
   * Compare-and-swap: writes `value` only if the record is still the one that was `seen`, in one atomic step
   * with its new expiry. Answers `false`, and writes nothing, when the record changed, expired or is gone. Of any
   * number of concurrent replacements of one `seen` exactly one answers `true`.
   */
  replace(id: string, seen: Stored<T>, value: T, expiresAt: number): Promise<boolean>

  /** Removes the record, whoever wrote it last. Removing what is not there is no error. */
  remove(id: string): Promise<void>

  /**
   * Every live record, in no particular order and perhaps twice. What lives from the first step to the last is
   * named; what comes or goes meanwhile may be. It takes as long as there are records: no request needs it, only
   * the operator's commands do.
   */
  scan(): AsyncIterable<T>
}

export interface GrantRecords extends Records<Grant> {
  /** The live grants of one subject, in no particular order. May lag behind a write; never names a removed grant. */
  listBySubject(subject: string): Promise<Grant[]>
}

/** Nobody lists these: an `insert` that answers `false` is the check for a replay. */
export type Transients = Omit<Records<Transient>, 'scan'>

/** A method that cannot reach its records rejects; core then answers 503 and has changed nothing. */
export interface Store {
  readonly clients: Records<Client>
  readonly grants: GrantRecords
  /** A feature that needs them fails at creation when a store has none. */
  readonly transients?: Transients | undefined
}
