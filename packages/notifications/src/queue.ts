/**
 * Queues of messages in transients: the inbox of each process, and the messages that wait for one receiver. One record per queue
 * has the latest messages and says who works; older ones lie in batches that never change. All is written by compare-and-swap.
 */
import { newId, type Transient, type Transients } from '@grantkit/core/feature'
import { changeRecord, type Random, type Time } from '@grantkit/core/internal'

/** Seconds: longer than the last attempt takes. A message that is older has expired. */
export const KEPT_SECONDS = 30 * 60 * 60
/** Records outlive messages, so that an expired message is found and reported. */
export const RECORD_SECONDS = KEPT_SECONDS + 60 * 60

/** A message that waits: ids, and no token. */
export interface Entry<Facts> {
  readonly id: string
  readonly target: string
  /** Epoch seconds. */
  readonly storedAt: number
  readonly due: number
  /** How often it was tried. */
  readonly attempts: number
  readonly facts: Facts
}

/** Messages in a record of their own. */
interface Batch {
  readonly id: string
  readonly due: number
  readonly storedAt: number
  readonly count: number
}

interface Queue<Facts> extends Transient {
  readonly kind: 'outbox-queue'
  /** The receiver. Absent: the inbox of a process. */
  readonly target?: string | undefined
  readonly entries: readonly Entry<Facts>[]
  readonly batches: readonly Batch[]
  /** What the holder of the lease works on. Who finds them under an ended lease takes them again. */
  readonly running: readonly Entry<Facts>[]
  readonly lease?: { readonly by: string; readonly until: number } | undefined
  /** It is empty, and not in the directory or about to leave it. */
  readonly closed?: true | undefined
}

interface StoredBatch<Facts> extends Transient {
  readonly kind: 'outbox-batch'
  readonly entries: readonly Entry<Facts>[]
}

/** What a look at a queue says. */
export interface Look {
  readonly target?: string | undefined
  /** When it needs work; infinite if it is empty. */
  readonly due: number
  /** How many messages may be due. */
  readonly count: number
  /** It is empty, and its name may leave the directory. */
  readonly isClosed: boolean
  readonly isFull: boolean
}

/** Which messages a worker takes. */
interface Take {
  readonly most: number
  readonly takes: (each: Pick<Entry<unknown>, 'due' | 'storedAt'>) => boolean
}

const BATCH_SIZE = 32
/** Longer than each work under it: posts of five seconds, all at once. */
const LEASE_SECONDS = 60
const MAX_RACES = 32
/** An empty queue keeps its name so long: a busy one does not write the directory for each message. */
const IDLE_SECONDS = 120

const EMPTY_QUEUE = {
  kind: 'outbox-queue',
  expiresAt: 0,
  entries: [],
  batches: [],
  running: [],
  closed: true,
} as const

/** The world, as far as messages need it. */
export interface Ports {
  /** The clock, in epoch seconds. */
  readonly now: () => number
  readonly time: Time
  readonly random: Random
}

interface QueueContext<Facts> extends Ports {
  readonly transients: Transients
  readonly name: string
  /** Of this process. */
  readonly worker: () => string
  readonly maxWaiting: number
  /** Which `count` of messages are dropped from a full queue. */
  readonly expendable: (all: readonly Entry<Facts>[], count: number) => readonly Entry<Facts>[]
}

export function queues<Facts>(context: QueueContext<Facts>) {
  const { transients, name, now, random, worker, maxWaiting } = context
  const idOf = (key: string) => `${name}.${key}`
  const batchId = (key: string, { id }: Batch) => `${idOf(key)}.${id}`
  type Changed = (queue: Queue<Facts> | undefined, made: Batch[]) => Promise<Queue<Facts> | undefined>

  /** @param changed `undefined` leaves it as it is. It may run several times. @returns what was written */
  async function change(key: string, changed: Changed): Promise<Queue<Facts> | undefined> {
    const made: Batch[] = []
    const { time } = context
    const written = await changeRecord(
      transients,
      idOf(key),
      { time, random, races: MAX_RACES },
      async (seen) => {
        // The batches of a queue that was not written are never read. Those of the last lost race expire.
        await remove(key, made.splice(0))
        const next = await changed(seen as Queue<Facts> | undefined, made)
        return next && { ...next, expiresAt: now() + RECORD_SECONDS }
      },
    )
    return written as Queue<Facts> | undefined
  }

  async function storedBatch(key: string, entries: readonly Entry<Facts>[]): Promise<Batch> {
    const storedAt = Math.min(...entries.map((entry) => entry.storedAt))
    const batch = { id: newId(random), due: dueOf(entries), storedAt, count: entries.length }
    const value: StoredBatch<Facts> = { kind: 'outbox-batch', expiresAt: now() + RECORD_SECONDS, entries }
    await transients.insert(batchId(key, batch), value, value.expiresAt)
    return batch
  }

  function storedBatches(key: string, entries: readonly Entry<Facts>[]): Promise<Batch[]> {
    const starts = Array.from({ length: Math.ceil(entries.length / BATCH_SIZE) }, (_, at) => at * BATCH_SIZE)
    return Promise.all(starts.map((start) => storedBatch(key, entries.slice(start, start + BATCH_SIZE))))
  }

  /** Adds messages, the older ones in batches. @param made gets the batches, which nobody reads unless the queue is written */
  async function grown(
    key: string,
    queue: Queue<Facts>,
    { added, made }: { added: readonly Entry<Facts>[]; made: Batch[] },
  ): Promise<Queue<Facts>> {
    const entries = [...queue.entries, ...added]
    const full = Math.floor(entries.length / BATCH_SIZE) - 1
    const older = entries.splice(0, Math.max(0, full) * BATCH_SIZE)
    made.push(...(await storedBatches(key, older)))
    return { ...queue, entries, batches: [...queue.batches, ...made] }
  }

  async function entriesOf(key: string, batch: Batch): Promise<readonly Entry<Facts>[] | undefined> {
    return ((await transients.find(batchId(key, batch)))?.value as StoredBatch<Facts> | undefined)?.entries
  }

  async function remove(key: string, batches: readonly Batch[]): Promise<void> {
    await Promise.all(batches.map((batch) => transients.remove(batchId(key, batch))))
  }

  /** The queue under a lease of this process, with what the last holder left; `undefined` while another one works. */
  function leased(queue: Queue<Facts> | undefined): Queue<Facts> | undefined {
    if (queue === undefined || (queue.lease?.until ?? 0) > now()) return undefined
    const lease = { by: worker(), until: now() + LEASE_SECONDS }
    return { ...queue, lease, entries: [...queue.running, ...queue.entries], running: [] }
  }

  return {
    /** @returns whether the directory must name the queue anew */
    async add(key: string, target: string | undefined, added: readonly Entry<Facts>[]): Promise<boolean> {
      let isNew = false
      await change(key, async (queue = { ...EMPTY_QUEUE, target }, made) => {
        const { closed = false, ...open } = queue
        // A write whose answer was lost comes again, or one whose name the directory could not get.
        const known = new Set([...queue.entries, ...queue.running].map(({ id }) => id))
        isNew = closed || added.some(({ id }) => known.has(id))
        return grown(key, open, { added: added.filter(({ id }) => !known.has(id)), made })
      })
      return isNew
    },

    /** Closes the queue if it has been empty for a while. */
    async look(key: string): Promise<Look> {
      const found = (await transients.find(idOf(key)))?.value as Queue<Facts> | undefined
      if (found === undefined)
        return { due: Number.POSITIVE_INFINITY, count: 0, isClosed: true, isFull: false }
      const isIdle = (queue: Queue<Facts> | undefined): queue is Queue<Facts> =>
        queue !== undefined &&
        waitingIn(queue) === 0 &&
        now() + RECORD_SECONDS - queue.expiresAt >= IDLE_SECONDS
      const close = () =>
        change(key, async (queue) => (isIdle(queue) ? { ...queue, closed: true } : undefined))
      const isClosed = found.closed === true || (isIdle(found) && (await close()) !== undefined)
      const isDue = ({ due }: { due: number }) => due <= now()
      const count = waitingIn({
        ...found,
        entries: found.entries.filter(isDue),
        batches: found.batches.filter(isDue),
      })
      const isFull = waitingIn(found) > maxWaiting
      return { target: found.target, due: dueIn(found), count, isClosed, isFull }
    },

    /** Takes the lease, and messages. @returns them; `undefined` if there are none, or another process works */
    async claim(key: string, { most, takes }: Take) {
      const found: { batch?: Batch | undefined; lost: number } = { lost: 0 }
      const claimed = await change(key, async (seen, made) => {
        const queue = leased(seen)
        const oldest = (some: readonly { storedAt: number }[]) =>
          Math.min(...some.map(({ storedAt }) => storedAt))
        const own = queue?.entries.filter(takes) ?? []
        const batches = queue?.batches.filter(takes) ?? []
        if (queue === undefined || own.length + batches.length === 0) return undefined
        const isBatch = oldest(batches) < oldest(own) || own.length === 0
        const batch = isBatch ? batches.find(({ storedAt }) => storedAt === oldest(batches)) : undefined
        const read = batch && (await entriesOf(key, batch))
        Object.assign(found, { batch, lost: batch !== undefined && read === undefined ? batch.count : 0 })
        const all = [...(read ?? []), ...queue.entries]
        const running = all
          .filter(takes)
          .sort((one, other) => one.storedAt - other.storedAt)
          .slice(0, most)
        const taken = new Set(running)
        const rest = {
          ...queue,
          entries: all.filter((entry) => !taken.has(entry)),
          batches: queue.batches.filter((each) => each !== batch),
        }
        return { ...(await grown(key, rest, { added: [], made })), running }
      })
      if (claimed === undefined) return undefined
      if (found.batch !== undefined) await remove(key, [found.batch])
      return { entries: claimed.running, lost: found.lost }
    },

    /** Gives the lease back. @param again the messages to try again @returns `false` after a lost lease: another process has them */
    async release(key: string, again: readonly Entry<Facts>[]): Promise<boolean> {
      const released = await change(key, async (queue, made) => {
        if (queue?.lease?.by !== worker()) return undefined
        return { ...(await grown(key, queue, { added: again, made })), running: [], lease: undefined }
      })
      return released !== undefined
    },

    /** Makes room in a full queue, a tenth at once since it reads all of it. @returns what was dropped */
    async shrink(key: string): Promise<readonly Entry<Facts>[]> {
      const queue = await change(key, async (seen) => leased(seen))
      if (queue === undefined) return []
      const stored = await Promise.all(queue.batches.map((batch) => entriesOf(key, batch)))
      const all = [...stored.flatMap((entries) => entries ?? []), ...queue.entries]
      const waiting = waitingIn(queue)
      // Another process may have made room.
      const excess = waiting > maxWaiting ? waiting - Math.floor(maxWaiting * 0.9) : 0
      const dropped = context.expendable(all, excess)
      const gone = new Set(dropped.map(({ id }) => id))
      const isKept = ({ id }: Entry<Facts>) => !gone.has(id)
      const old = queue.batches.filter((_, index) => stored[index]?.every(isKept) === false)
      const kept = stored.flatMap((entries) =>
        entries?.every(isKept) === false ? entries.filter(isKept) : [],
      )
      const made = await storedBatches(key, kept)
      const ids = new Set(old.map(({ id }) => id))
      const after = await change(key, async (queue) => {
        if (queue?.lease?.by !== worker()) return undefined
        const batches = [...queue.batches.filter(({ id }) => !ids.has(id)), ...made]
        return { ...queue, batches, entries: queue.entries.filter(isKept), lease: undefined }
      })
      await remove(key, after === undefined ? made : old)
      return after === undefined ? [] : dropped
    },
  }
}

/** How many messages wait. */
function waitingIn({ entries, batches, running }: Queue<unknown>): number {
  return batches.reduce((sum, { count }) => sum + count, entries.length + running.length)
}

function dueIn({ entries, batches, running, lease }: Queue<unknown>): number {
  const free = lease?.until ?? 0
  return running.length > 0 ? free : Math.max(dueOf([...entries, ...batches]), free)
}

/** When the first of them is due. */
function dueOf(all: readonly { readonly due: number }[]): number {
  return Math.min(...all.map(({ due }) => due))
}
