/**
 * The messages that wait for one receiver, in transients. One record per receiver has the latest messages and says who delivers;
 * older ones lie in batches that never change. Everything is written by compare-and-swap.
 */
import { OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import { newId, type Random } from '../kernel/secrets.ts'
import type { Transients } from '../kernel/store.ts'
import {
  type Batch,
  dueIn,
  dueOf,
  EMPTY_QUEUE,
  type Entry,
  KEPT_SECONDS,
  type Queue,
  type StoredBatch,
  waitingIn,
} from './queue-record.ts'

/** What a process delivers under its lease. */
interface Claimed<Facts> {
  readonly target: string
  readonly entries: readonly Entry<Facts>[]
}

/** In one record. Delivered four at a time within five seconds each, they are done before the lease ends. */
const MAX_ENTRIES = 32
const LEASE_SECONDS = 60
const MAX_ATTEMPTS = 32

interface QueueContext {
  readonly transients: Transients
  readonly name: string
  readonly now: () => number
  readonly random: Random
  readonly maxWaiting: number
}

export function queues<Facts>({ transients, name, now, random, maxWaiting }: QueueContext) {
  let own: string | undefined
  /** Of this process. A Worker has no randomness when a server is created. */
  function worker(): string {
    own ??= newId(random)
    return own
  }
  const idOf = (key: string) => `${name}.${key}`

  /** @param changed `undefined` leaves it as it is. It may run several times. @returns what was written */
  async function change(
    key: string,
    changed: (queue: Queue<Facts> | undefined) => Promise<Queue<Facts> | undefined>,
  ): Promise<Queue<Facts> | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const seen = await transients.find(idOf(key))
      const next = await changed(seen?.value as Queue<Facts> | undefined)
      if (next === undefined) return undefined
      const after = { ...next, expiresAt: now() + KEPT_SECONDS }
      const isWritten =
        seen === undefined
          ? await transients.insert(idOf(key), after, after.expiresAt)
          : await transients.replace(idOf(key), seen, after, after.expiresAt)
      if (isWritten) return after
    }
    throw new OAuthError(SERVER_ERRORS.contention)
  }

  async function storedBatch(key: string, entries: readonly Entry<Facts>[]): Promise<Batch> {
    const id = newId(random)
    const value: StoredBatch<Facts> = { kind: 'outbox-batch', expiresAt: now() + KEPT_SECONDS, entries }
    await transients.insert(`${idOf(key)}.${id}`, value, value.expiresAt)
    const storedAt = Math.min(...entries.map((entry) => entry.storedAt))
    return { id, due: dueOf(entries), storedAt, count: entries.length }
  }

  /** Adds messages, the older ones in batches. */
  async function grown(key: string, queue: Queue<Facts>, added: readonly Entry<Facts>[]) {
    const entries = [...queue.entries, ...added]
    const batches = [...queue.batches]
    while (entries.length > MAX_ENTRIES) batches.push(await storedBatch(key, entries.splice(0, MAX_ENTRIES)))
    return { ...queue, entries, batches }
  }

  return {
    /** @returns whether the directory must name the queue anew, and how many of the oldest messages were dropped */
    async add(key: string, target: string, added: readonly Entry<Facts>[]) {
      let isNew = false
      let dropped = 0
      await change(key, async (queue = { ...EMPTY_QUEUE, target }) => {
        const { closed = false, ...whole } = await grown(key, queue, added)
        isNew = closed
        const excess = waitingIn(whole) - maxWaiting
        dropped = 0
        const batches = [...whole.batches]
          .sort((one, other) => one.storedAt - other.storedAt)
          .filter(({ count }) => {
            if (dropped >= excess) return true
            dropped += count
            return false
          })
        return { ...whole, batches }
      })
      return { isNew, dropped }
    },

    /** Takes the lease and what is due. @returns the messages, or when to look again; `undefined`: the queue is empty */
    async claim(key: string): Promise<Claimed<Facts> | number | undefined> {
      const found: { next?: number | undefined; batch?: Batch | undefined } = {}
      const claimed = await change(key, async (queue) => {
        found.next = queue && dueIn(queue)
        if (queue === undefined || found.next === undefined || found.next > now()) return undefined
        const { running: left, batches, entries } = queue
        const lease = { by: worker(), until: now() + LEASE_SECONDS }
        if (left.length > 0) return { ...queue, lease }
        const batch = batches.find(({ due }) => due <= now())
        found.batch = batch
        const taken = batch === undefined ? entries : await entriesOf(key, batch)
        const [running, early] = parted(taken, ({ due }) => due <= now())
        if (batch === undefined) return { ...queue, lease, running, entries: early }
        const others = batches.filter((other) => other !== batch)
        return { ...(await grown(key, { ...queue, batches: others }, early)), lease, running }
      })
      if (claimed === undefined) return found.next
      if (found.batch !== undefined) await transients.remove(`${idOf(key)}.${found.batch.id}`)
      const { target, running } = claimed
      return { target, entries: running }
    },

    /** Gives the lease back. @param again the messages to try again; after a lost lease another process has them */
    async release(key: string, again: readonly Entry<Facts>[]): Promise<void> {
      await change(key, async (queue) => {
        if (queue?.lease?.by !== worker()) return undefined
        return { ...(await grown(key, queue, again)), running: [], lease: undefined }
      })
    },

    /** @returns whether it is empty, and closed now */
    async close(key: string): Promise<boolean> {
      let isEmpty = false
      await change(key, async (queue) => {
        isEmpty = queue === undefined || waitingIn(queue) === 0
        return queue && isEmpty ? { ...queue, closed: true } : undefined
      })
      return isEmpty
    },
  }

  async function entriesOf(key: string, { id }: Batch): Promise<readonly Entry<Facts>[]> {
    const found = await transients.find(`${idOf(key)}.${id}`)
    return (found?.value as StoredBatch<Facts> | undefined)?.entries ?? []
  }
}

function parted<T>(all: readonly T[], isFirst: (each: T) => boolean): readonly [T[], T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))]
}
