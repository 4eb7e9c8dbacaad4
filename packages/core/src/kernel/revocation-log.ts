/**
 * Writes the log of revoked grants and tokens, for guards that check signed tokens without the store; the revocation feed reads it.
 * Every process writes streams of its own: records that are numbered from 0 and never change. One record names the streams. So
 * processes meet only where a stream begins, and no clock decides what a reader sees.
 */
import { CLOCK_TOLERANCE, type Kernel } from './kernel.ts'
import { OAuthError, SERVER_ERRORS } from './oauth-error.ts'
import type { Transient } from './records.ts'
import { newId } from './secrets.ts'
import { changeRecord, type Transients } from './store.ts'

/** The maximum lifetime of a signed access token, in seconds: a guard without the store may honour it that long. */
export const MAX_SIGNED_LIFETIME = 600

/** A stream takes entries for so long. All of it expires at once, so it has no gap at its start. */
export const OPEN_SECONDS = 120
/** Seconds for which a reader must remember an entry. Twice: a guard tolerates other clocks, and its own may be behind. */
export const KEPT_SECONDS = OPEN_SECONDS + MAX_SIGNED_LIFETIME + 2 * CLOCK_TOLERANCE
const MAX_ATTEMPTS = 16
/** A writer looks so often, in seconds, whether its stream is still there: a failover may lose what it has written last. */
const CHECK_SECONDS = 5

interface Stream {
  readonly id: string
  readonly expiresAt: number
}

interface Streams extends Transient {
  readonly kind: 'revocation-streams'
  readonly streams: readonly Stream[]
}

export interface Revocations extends Transient {
  readonly kind: 'revocations'
  readonly entries: readonly string[]
}

/** `now` in epoch seconds. */
type LogPorts = Pick<Kernel, 'now' | 'time' | 'random'>

export function revocationLog(transients: Transients, ports: LogPorts): (entry: string) => Promise<void> {
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

  return (entry) => {
    gathered ??= nextWrite()
    gathered.entries.push(entry)
    return gathered.written
  }
}

const STREAMS = 'revocations'

export function entryId(stream: string, number: number): string {
  return `${STREAMS}.${stream}.${number}`
}

export async function streamsIn(transients: Transients): Promise<readonly Stream[]> {
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
