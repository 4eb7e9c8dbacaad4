/**
 * The log of revoked grants and tokens, for guards that check signed tokens without the store. Every process writes streams of its
 * own: records that are numbered from 0 and never change. One record names the streams. So processes meet only where a stream
 * begins, and no clock decides what a reader sees.
 */
import { CLOCK_TOLERANCE, type Kernel, type RevocationLog } from './kernel.ts'
import { OAuthError, SERVER_ERRORS } from './oauth-error.ts'
import type { Transient } from './records.ts'
import { newId } from './secrets.ts'
import { changeRecord, type Transients } from './store.ts'

/** The maximum lifetime of a signed access token, in seconds: a guard without the store may honour it that long. */
export const MAX_SIGNED_LIFETIME = 600

/** A stream takes entries for so long. All of it expires at once, so it has no gap at its start. */
const OPEN_SECONDS = 120
/** Seconds for which a reader must remember an entry. Twice: a guard tolerates other clocks, and its own may be behind. */
export const KEPT_SECONDS = OPEN_SECONDS + MAX_SIGNED_LIFETIME + 2 * CLOCK_TOLERANCE
const MAX_ATTEMPTS = 16
/** A writer looks so often, in seconds, whether its stream is still there: a failover may lose what it has written last. */
const CHECK_SECONDS = 5
/** A reader looks so many numbers beyond the end of a stream. Each costs a read, so it does in streams that may still grow. */
const LOOK_AHEAD = 3
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

/** `now` in epoch seconds. */
type LogPorts = Pick<Kernel, 'now' | 'time' | 'random'>

export function revocationLog(transients: Transients, ports: LogPorts): RevocationLog {
  const { now, random } = ports
  let open: (Stream & { next: number; readonly until: number; checkedAt: number }) | undefined
  let gathered: { readonly entries: string[]; readonly written: Promise<void> } | undefined
  let lastWrite: Promise<unknown> = Promise.resolve()

  async function openStream() {
    const stream = { id: newId(random), expiresAt: now() + KEPT_SECONDS }
    await register(transients, stream, ports)
    return { ...stream, next: 0, until: now() + OPEN_SECONDS, checkedAt: now() }
  }

  /** The stream of the next entry. A failover may have lost its name or its end: then no reader would come to the entry. */
  async function intactStream() {
    if (open === undefined || now() >= open.until) return openStream()
    const { id, expiresAt, next, checkedAt } = open
    if (now() < checkedAt + CHECK_SECONDS) return open
    const [streams, last] = await Promise.all([
      streamsIn(transients),
      next > 0 && transients.find(entryId(id, next - 1)),
    ])
    if (!streams.some((stream) => stream.id === id)) await register(transients, { id, expiresAt }, ports)
    return last === undefined ? openStream() : Object.assign(open, { checkedAt: now() })
  }

  async function write(entries: readonly string[]): Promise<void> {
    open = await intactStream()
    const { id, expiresAt, checkedAt } = open
    // Until it is written: after an error the next write looks first.
    open.checkedAt = Number.NEGATIVE_INFINITY
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const value: Revocations = { kind: 'revocations', expiresAt, entries }
      const isWritten = await transients.insert(entryId(id, open.next), value, expiresAt)
      // If the number is taken, a write of this process was carried out whose answer was lost.
      open.next++
      if (!isWritten) continue
      open.checkedAt = checkedAt
      return
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
        (await streamsIn(transients)).map(async ({ id, expiresAt }) => {
          const start = seen.get(id)
          const mayGrow = expiresAt > now() + KEPT_SECONDS - OPEN_SECONDS - CLOCK_TOLERANCE
          const ahead = start === undefined || mayGrow ? LOOK_AHEAD : 0
          return { id, ...(await entriesFrom(transients, id, start ?? 0, ahead)) }
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
async function register(transients: Transients, stream: Stream, ports: LogPorts): Promise<void> {
  await changeRecord(transients, STREAMS, ports, (seen): Streams => {
    const others = (seen as Streams | undefined)?.streams ?? []
    const streams = [...others.filter(({ expiresAt }) => expiresAt > ports.now()), stream]
    return {
      ...{ kind: 'revocation-streams', streams },
      expiresAt: Math.max(...streams.map((each) => each.expiresAt)),
    }
  })
}

const MAX_STEP = 64

/** In growing steps: most streams have nothing new. @param ahead how many numbers after a missing one are looked at */
async function entriesFrom(transients: Transients, stream: string, start: number, ahead: number) {
  const entries: string[] = []
  const recordsAt = (numbers: readonly number[]) =>
    Promise.all(
      numbers.map(
        async (number) => (await transients.find(entryId(stream, number)))?.value as Revocations | undefined,
      ),
    )
  let next = start
  for (let step = 1 + ahead; ; step = Math.min(2 * step, MAX_STEP)) {
    const numbers = Array.from({ length: step }, (_, more) => next + more)
    const found = await recordsAt(numbers)
    const last = found.findLastIndex((record) => record !== undefined)
    const missing = numbers.filter((_, at) => at < last && found[at] === undefined)
    // All before the last one were written before it: what is still missing now is lost, and readers go on behind it.
    const late = await recordsAt(missing)
    for (let at = 0; at <= last; at++) entries.push(...((found[at] ?? late.shift())?.entries ?? []))
    next += last + 1
    if (last + 1 < step) return { entries, next }
  }
}
