import { createHash } from 'node:crypto'

/** The seed of a day and a commit: the first 31 bits of SHA-256. */
export function seedOfDay(date: string, commit: string): number {
  return createHash('sha256').update(`${date} ${commit}`).digest().readUInt32BE(0) >>> 1
}
