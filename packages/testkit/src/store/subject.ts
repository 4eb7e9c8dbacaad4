import type { Store } from '@grantkit/core'
import type { Records, Stored } from '@grantkit/core/feature'
import type { Clock } from '../clock.ts'

/** The store under test. */
export interface Subject {
  /** Available only while the tests run. */
  readonly store: Store
  readonly clock: Clock
  readonly realTime: boolean
  /** The time limit of a test in milliseconds, if the author of the store set one. */
  readonly testTimeout?: number | undefined
  /** Crashes the server of the records and starts it again. */
  restart(): Promise<void>
}

/** The time limit of a test that makes thousands of calls. @param usual milliseconds for a store that is not slow */
export function patienceOf({ testTimeout = 0 }: Subject, usual: number): number {
  return Math.max(testTimeout, usual)
}

/** So late that nothing expires during a test of something else. */
export function farFuture(clock: Clock): number {
  return clock.now() + 3600
}

/** Reads a stored record. @throws Error when it is missing */
export async function read<T>(records: Pick<Records<T>, 'find'>, id: string): Promise<Stored<T>> {
  const stored = await records.find(id)
  if (stored === undefined) throw new Error(`There is no record ${id}`)
  return stored
}
