/**
 * What the stores of Grantkit share: the text of a record, its version, keys for any id, subject and namespace, cursors, names of tables, the
 * second attempt over a network, the timer of sweeps, the margin of sweeps, and whether this is a Worker. A store of your own may use it and need not.
 *
 * @module
 */
import { type Random, sha256, strongRandom } from './kernel/secrets.ts'
import { fraction, systemTime, type WaitingPorts } from './kernel/time.ts'

export type { Random } from './kernel/secrets.ts'
export { IN_WORKER, systemClock, systemTime, type Time, type WaitingPorts } from './kernel/time.ts'

/** The format of the JSON. A reader accepts this one and the previous one. */
const SCHEMA = 1

/** The text of a record, without its version. It has no NUL and no lone surrogate: every database takes it. */
export function encodeRecord(value: unknown): string {
  return JSON.stringify({ schema: SCHEMA, value })
}

/** @throws Error for a format that this release cannot read */
export function decodeRecord<T>(text: string): T {
  const { schema, value } = JSON.parse(text) as { schema: number; value: T }
  if (schema > SCHEMA)
    throw new Error(`A record has format ${schema}, which a newer release wrote; this one reads ${SCHEMA}`)
  return value
}

export const VERSION_LENGTH = 22
const COUNT_LENGTH = 6

/**
 * A version for one write, in 22 characters: a random name of this process and a counter, so no other write has it. The
 * writer chooses it, so that a store recognises a write that is sent twice.
 */
export const newVersion = versionWriter()

/** The versions of one writer, for a store whose randomness is an option. */
export function versionWriter(random: Random = strongRandom): () => string {
  let writer = ''
  let count = 0
  return () => {
    if (writer === '' || count >= 36 ** COUNT_LENGTH) {
      writer = Buffer.from(random(12)).toString('base64url')
      count = 0
    }
    return writer + (count++).toString(36).padStart(COUNT_LENGTH, '0')
  }
}

/** Ids that the server makes. Others come from the wire and may be any text. */
const PLAIN = /^[\w-]{1,64}$/

/**
 * The key of an id: at most 64 characters of ASCII, different for different ids. SQL databases refuse NUL, fold lone
 * surrogates and limit the length of an indexed text; a key has none of these.
 */
export function recordKey(id: string): string {
  return PLAIN.test(id) ? id : `=${textHash(id)}`
}

/**
 * The key of a subject, or of a subject and a client, which reveals no user: 43 characters, or none for a grant without a
 * subject.
 */
export function subjectKey(subject: string | undefined, clientId?: string): string {
  if (subject === undefined) return ''
  return textHash(clientId === undefined ? subject : [subject, clientId])
}

/** The place of a record in a list: a number that orders it, then its key. */
export interface Place {
  readonly order: number
  readonly key: string
}

/** Before every record: a list goes from high to low. */
const START: Place = { order: Number.MAX_SAFE_INTEGER, key: '' }

/** The cursor of a page that goes on after a place. */
export function cursorOf({ order, key }: Place): string {
  return `${order}.${key}`
}

/** The place where a page goes on: the start without a cursor, and for a cursor that is none. */
export function placeOf(cursor = ''): Place {
  const [, order, key] = /^(\d{1,15})\.([^\0]*)$/s.exec(cursor) ?? []
  return order === undefined || key === undefined ? START : { order: Number(order), key }
}

/** The keys of one namespace, or of none. */
export interface Keys {
  /** As `recordKey`. In a namespace: `~`, 16 characters of its hash, `=`, and the hash of the id; 61 characters. */
  readonly record: typeof recordKey
  /** As `subjectKey`. */
  readonly subject: typeof subjectKey
  /**
   * The keys that begin with `after` and do not begin with `before` are those of the records of this namespace. In the order of
   * bytes they are the ones between the two, so a scan reads one range of the primary key.
   */
  readonly after: string
  readonly before: string
}

const OF_NO_NAMESPACE: Keys = { record: recordKey, subject: subjectKey, after: '', before: '~' }

/**
 * The keys of a namespace. Those of no namespace are the keys that `recordKey` and `subjectKey` make.
 *
 * @throws RangeError for a namespace that is not 1 to 256 characters
 */
export function keysOf(namespace?: string): Keys {
  if (namespace === undefined) return OF_NO_NAMESPACE
  const after = `${namespaceKey(namespace)}=`
  return {
    record: (id) => after + textHash(id),
    subject: (subject, clientId) => (subject === undefined ? '' : textHash([namespace, subject, clientId])),
    after,
    before: `${after}~`,
  }
}

/**
 * A namespace in 17 characters: `~`, which no key of an id has, and 96 bits of its hash.
 *
 * @throws RangeError for a namespace that is not 1 to 256 characters
 */
export function namespaceKey(namespace: string): string {
  if (!(namespace.length >= 1 && namespace.length <= 256))
    throw new RangeError('A namespace must have 1 to 256 characters')
  return `~${textHash(namespace).slice(0, 16)}`
}

/** JSON escapes lone surrogates; UTF-8 has only one replacement for all of them. */
function textHash(text: string | readonly (string | undefined)[]): string {
  return sha256(JSON.stringify(text))
}

/**
 * The table of each kind of record. SQL text is made of such names alone, so no input reaches it.
 *
 * @throws RangeError for a prefix that is not `[a-z_]{1,32}`
 */
export function tableNames(prefix = 'grantkit_'): { client: string; grant: string; transient: string } {
  if (!/^[a-z_]{1,32}$/.test(prefix)) throw new RangeError('The prefix of the tables must be [a-z_]{1,32}')
  return { client: `${prefix}client`, grant: `${prefix}grant`, transient: `${prefix}transient` }
}

/** Long enough to connect again, and short compared with the time limit of a command. */
const PAUSE_MS = 50

/**
 * Makes a call, and once more if it failed. Only for calls that may safely run twice. The second attempt has half the
 * time, so that a request to a silent server is answered within a second.
 *
 * @param call gets its time limit, and whether an earlier attempt may have run
 * @param ports for tests. Default: those of the runtime
 */
export async function tryTwice<T>(
  milliseconds: number,
  call: (milliseconds: number, repeated: boolean) => Promise<T>,
  { time = systemTime, random }: WaitingPorts = {},
): Promise<T> {
  try {
    return await call(milliseconds, false)
  } catch {
    await time.sleep(PAUSE_MS * (1 + fraction(random)))
    return call(milliseconds / 2, true)
  }
}

/** A write was sent twice. The first one may have been carried out, and then other writes have followed it. */
export class UnknownOutcomeError extends Error {
  constructor() {
    super('A write may have been carried out whose answer was lost')
    this.name = 'UnknownOutcomeError'
  }
}

/** Seconds between the end of a record and the deletion of its row: the clock of another process may be behind. */
export const SWEEP_MARGIN = 3600

/**
 * The day up to which rows are deleted now, counted from 1970 (UTC), for an index of the day after the one of their end.
 *
 * @param now epoch seconds
 */
export function sweepDay(now: number): number {
  return Math.floor((now - SWEEP_MARGIN) / 86_400)
}

const INTERVAL_MS = 60_000

/**
 * Calls `work` about once a minute, at random moments, so that processes of one database do not sweep all at once. It
 * keeps no process alive.
 *
 * @param ports for tests. Default: those of the runtime
 * @returns stops it
 */
export function onceAMinute(
  work: () => Promise<unknown>,
  { time = systemTime, random }: WaitingPorts = {},
): () => void {
  let stopped = false
  let cancel = schedule()

  function schedule(): () => void {
    return time.after(INTERVAL_MS * (0.5 + fraction(random)), turn)
  }

  async function turn(): Promise<void> {
    // No caller waits for this sweep, and the next one finds the same rows.
    await work().catch((error) => console.error('Grantkit: expired records were not deleted:', error))
    if (!stopped) cancel = schedule()
  }

  return () => {
    stopped = true
    cancel()
  }
}
