import type { Grant, Records } from '@grantkit/core/feature'

/** A store that is filled from outside, as fast as its database takes rows. */
export interface Growing {
  readonly name: string
  readonly grants: Records<Grant>
  /** Adds the grants with these numbers, the last one excluded. */
  fill(from: number, to: number): Promise<void>
  /** What a grant takes on the disk, with its share of the indexes. */
  bytesPerGrant(): Promise<number>
  close(): Promise<void>
}
