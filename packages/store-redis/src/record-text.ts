import { randomBytes } from 'node:crypto'

/**
 * The stored form of a record: a version that is unique to one write, then JSON. A replacement compares only the
 * version, so a compare-and-swap sends 22 characters and not the old record.
 */

/** The format of the JSON. A reader accepts this one and the previous one. */
const SCHEMA = 1
export const VERSION_LENGTH = 22

export interface Decoded<T> {
  readonly value: T
  readonly version: string
}

export function encode<T>(value: T): string {
  return `${newVersion()}${JSON.stringify({ schema: SCHEMA, value })}`
}

const COUNT_LENGTH = 6
let writer = ''
let count = 0

/** A random name of this process and a counter: unique for every write of any process. */
function newVersion(): string {
  if (writer === '' || count >= 36 ** COUNT_LENGTH) {
    writer = randomBytes(12).toString('base64url')
    count = 0
  }
  return writer + (count++).toString(36).padStart(COUNT_LENGTH, '0')
}

/** @throws Error for a format that this release cannot read */
export function decode<T>(text: string): Decoded<T> {
  const { schema, value } = JSON.parse(text.slice(VERSION_LENGTH)) as { schema: number; value: T }
  if (schema > SCHEMA)
    throw new Error(`A record has format ${schema}, which a newer release wrote; this one reads ${SCHEMA}`)
  return { value, version: text.slice(0, VERSION_LENGTH) }
}
