/** A record of the school. Its other members depend on its area. */
export interface SchoolRecord {
  readonly id: string
  /** Whether it is public, if its area is a catalogue. */
  readonly published?: boolean
  readonly [member: string]: unknown
}

/** A record as it was read. Every change creates a new revision. */
export interface Revised {
  readonly record: SchoolRecord
  readonly revision: number
}
