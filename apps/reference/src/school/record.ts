/** A record of the school. Its other members depend on its area. */
export interface SchoolRecord {
  readonly id: string
  /** Whether everybody may see it, if its area is a catalogue. */
  readonly published?: boolean
  readonly [member: string]: unknown
}

/** A record as it was read. Every change gives it another revision. */
export interface Revised {
  readonly record: SchoolRecord
  readonly revision: number
}
