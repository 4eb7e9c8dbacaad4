import type { Records, Store, Stored } from '@grantkit/core'
import type { Clock } from '../clock.ts'

/** What the suites examine. */
export interface Subject {
  /** Only there once the tests run. */
  readonly store: Store
  readonly clock: Clock
  readonly realTime: boolean
  /** Crashes what keeps the records and starts it again. */
  restart(): Promise<void>
}

/** Long enough that nothing expires while a test looks elsewhere. */
export function farFrom(clock: Clock): number {
  return clock.now() + 3600
}

/** The record as it is stored. @throws Error when it is not there */
export async function read<T>(records: Pick<Records<T>, 'find'>, id: string): Promise<Stored<T>> {
  const stored = await records.find(id)
  if (stored === undefined) throw new Error(`There is no record ${id}`)
  return stored
}
