/**
 * The log of revoked grants and tokens that have not expired, for guards that check signed tokens without the store. Every process writes
 * streams of its own: records that are numbered from 0 and never change. One record names the streams. So processes meet
 * only where a stream begins, a reader goes on where it stopped, and no clock decides what it sees.
 */
import { CLOCK_TOLERANCE, type RevocationLog } from './kernel.ts'
import { OAuthError, SERVER_ERRORS } from './oauth-error.ts'
import type { Transient } from './records.ts'
import { newId, type Random } from './secrets.ts'
import type { Transients } from './store.ts'

/** The maximum lifetime of a signed access token, in seconds: a guard without the store may honour it that long. */
export const MAX_SIGNED_LIFETIME = 600

/** A stream takes entries for so long. All of it expires at once, so it has no gap at its start. */
const OPEN_SECONDS = 120
/** Seconds for which a reader must remember an entry. Twice: a guard tolerates other clocks, and its own may be behind. */
export const KEPT_SECONDS = OPEN_SECONDS + MAX_SIGNED_LIFETIME + 2 * CLOCK_TOLERANCE
const MAX_ATTEMPTS = 16
/** Each command has a stream, and a reader sends their names back. The entries of a stream without a name come again. */
const MAX_NAMED = 400

interface Stream {
  readonly id: string
  readonly expiresAt: number
}

interface Streams extends Transient {
  readonly kind: 'revocation-streams'
  readonly streams: readonly Stream[]
}

interface Revocations extends Transient {
  readonly kind: 'revocations'
  readonly entries: readonly string[]
}

/** @param now epoch seconds */
export function revocationLog(transients: Transients, now: () => number, random: Random): RevocationLog {
  let open: (Stream & { next: number; readonly until: number }) | undefined
  let gathered: { readonly entries: string[]; readonly written: Promise<void> } | undefined
  let lastWrite: Promise<unknown> = Promise.resolve()

  async function write(entries: readonly string[]): Promise<void> {
    if (open === undefined || now() >= open.until) {
      const stream = { id: newId(random), expiresAt: now() + KEPT_SECONDS }
      await register(transients, stream, now())
      open = { ...stream, next: 0, until: now() + OPEN_SECONDS }
    }
    const { id, expiresAt } = open
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const value: Revocations = { kind: 'revocations', expiresAt, entries }
      const isWritten = await transients.insert(entryId(id, open.next), value, expiresAt)
      // If the number is taken, a write of this process was carried out whose answer was lost.
      open.next++
      if (isWritten) return
    }
    throw new OAuthError(SERVER_ERRORS.contention)
  }

  function nextWrite() {
    const entries: string[] = []
    const written = lastWrite.then(() => {
      gathered = undefined
      return write(entries)
    })
    lastWrite = written.catch(() => {})
    return { entries, written }
  }

  return {
    append(entry) {
      gathered ??= nextWrite()
      gathered.entries.push(entry)
      return gathered.written
    },
    async read(after = '') {
      const seen = new Map(
        [...after.matchAll(/([\w-]+)\.(\d{1,9})/g)].map(([, id, next]) => [id, Number(next)]),
      )
      const streams = await Promise.all(
        (await streamsIn(transients)).map(async ({ id }) => {
          const start = seen.get(id) ?? 0
          const records = await recordsFrom(transients, id, start)
          return { id, next: start + records.length, entries: records.flatMap(({ entries }) => entries) }
        }),
      )
      return {
        entries: streams.flatMap(({ entries }) => entries),
        next: streams
          .toSorted((one, other) => other.next - one.next)
          .slice(0, MAX_NAMED)
          .map(({ id, next }) => `${id}.${next}`)
          .join(' '),
      }
    },
  }
}

const STREAMS = 'revocations'

function entryId(stream: string, number: number): string {
  return `${STREAMS}.${stream}.${number}`
}

async function streamsIn(transients: Transients): Promise<readonly Stream[]> {
  return ((await transients.find(STREAMS))?.value as Streams | undefined)?.streams ?? []
}

/** Before its first entry, so that every entry is found. */
async function register(transients: Transients, stream: Stream, now: number): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const seen = await transients.find(STREAMS)
    const others = (seen?.value as Streams | undefined)?.streams ?? []
    const streams = [...others.filter(({ expiresAt }) => expiresAt > now), stream]
    const expiresAt = Math.max(...streams.map((each) => each.expiresAt))
    const value: Streams = { kind: 'revocation-streams', expiresAt, streams }
    const isWritten =
      seen === undefined
        ? await transients.insert(STREAMS, value, expiresAt)
        : await transients.replace(STREAMS, seen, value, expiresAt)
    if (isWritten) return
  }
  throw new OAuthError(SERVER_ERRORS.contention)
}

const MAX_STEP = 64

/** In growing steps: most streams have nothing new. */
async function recordsFrom(transients: Transients, stream: string, start: number): Promise<Revocations[]> {
  const records: Revocations[] = []
  for (let step = 1; ; step = Math.min(2 * step, MAX_STEP)) {
    const first = start + records.length
    const ids = Array.from({ length: step }, (_, more) => entryId(stream, first + more))
    for (const found of await Promise.all(ids.map((id) => transients.find(id)))) {
      // What follows a missing record was written meanwhile. The next call has it, in order.
      if (found === undefined) return records
      records.push(found.value as Revocations)
    }
  }
}
