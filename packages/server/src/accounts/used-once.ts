import { createHash } from 'node:crypto'
import type { Store } from '@grantkit/core'
import { storeErrorsAs503 } from '../database/errors-as-503.ts'
import { CLOCK_TOLERANCE } from '../http/signed-value.ts'

/**
 * Remembers what may be used once, such as a state. Call it for what is verified, so that unauthenticated callers write
 * nothing.
 *
 * @param kind of the records, in snake case
 */
export function usedOnce({ transients }: Store, kind: string) {
  if (transients === undefined) throw new Error('The store must keep transients')
  return storeErrorsAs503({
    /** Whether this is the first use. @param end from when it is not valid any more, in epoch seconds */
    add(value: string, end: number): Promise<boolean> {
      const id = `${kind} ${createHash('sha256').update(value).digest('base64url')}`
      const expiresAt = end + CLOCK_TOLERANCE
      return transients.insert(id, { kind, expiresAt }, expiresAt)
    },
  })
}
