/**
 * Works on a queue under its lease: moves an inbox to its receivers, and delivers what waits for a receiver. An answer decides when
 * a message is tried again, and a host gets only a few at once.
 */

import { sha256 } from '@grantkit/core/feature'
import type { MessagePost, MessagePostResponse, Random } from '@grantkit/core/internal'
import type { directory } from './directory.ts'
import { type Entry, KEPT_SECONDS, type Ports, type queues } from './queue.ts'

/** Why messages did not arrive. */
export interface Undelivered<Facts> {
  /** The client or the endpoint. Absent if nobody could read it. */
  readonly target?: string | undefined
  /**
   * `refused`: the answer was final. `attempts`: the last attempt failed. `expired`: 30 hours passed without an attempt.
   * `overflow`: too many messages waited. `lost`: the store has lost them.
   */
  readonly why: 'refused' | 'attempts' | 'expired' | 'overflow' | 'lost'
  /** Of the first of them. Absent if nobody could read them. */
  readonly facts?: Facts | undefined
  readonly count: number
  readonly attempts?: number | undefined
  readonly status?: number | undefined
  readonly fault?: string | undefined
}

/** Where the messages of a target go. */
export interface Receiver<Facts> {
  readonly url: string
  /** Makes the message of an attempt. If it rejects, that is no attempt, and it is made again. */
  message(entry: Entry<Facts>): Promise<{
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }>
}

export interface OutboxOptions<Facts> {
  /** The beginning of its record ids. */
  readonly name: string
  readonly post: MessagePost
  /** `gone`: it wants its messages no more. `unknown`: to this process; another one may know it. */
  receiver(target: string): Promise<Receiver<Facts> | 'gone' | 'unknown'>
  undelivered(report: Undelivered<Facts>): void
  /** Whether an answer other than 2xx is final. Default: what does not pass (Back-Channel Logout 2.5). */
  readonly refuses?: ((status: number) => boolean) | undefined
  /** Learns of the attempts that were made together. */
  tried?(target: string, outcomes: readonly Tried[]): Promise<void>
  /** Whose message it is, and whether it goes first from a full queue. */
  share?(facts: Facts): {
    readonly subject?: string | undefined
    readonly isMinor?: boolean | undefined
    /** What is dropped of one subject is reported by kind. */
    readonly kind?: string | undefined
  }
  /** Messages at once to a host. Default 4. */
  readonly atOnce?: number | undefined
  /** Seconds for which messages stay in memory while the store fails, 1,000 calls of `add` at most. Default 0: `add` rejects at once. */
  readonly heldSeconds?: number | undefined
  /** Deliveries follow by timers, or until a signal aborts. `false`: only `deliver` delivers. Default true, but false in a Cloudflare Worker. */
  readonly timers?: boolean | AbortSignal | undefined
  /** The maximum for one receiver. Default 10,000. */
  readonly maxWaiting?: number | undefined
}

export type Tried = Outcome & {
  /** It was the first attempt of its message. */
  readonly isFirst: boolean
}

interface DeliveryContext<Facts> extends Ports {
  readonly options: OutboxOptions<Facts>
  readonly listed: ReturnType<typeof directory>
  readonly queued: ReturnType<typeof queues<Facts>>
  /** Learns why a message could not be made, or moved. */
  readonly failed: (cause: unknown) => void
}

interface Worked {
  /** When the queue has something to do again; infinite if it is empty. */
  readonly due: number
  /** The queues that have got messages. */
  readonly moved: readonly string[]
}

/** What follows an attempt. */
interface Tally<Facts> {
  readonly again?: Entry<Facts> | undefined
  readonly lost?: Undelivered<Facts> | undefined
  /** Absent if there was no attempt. */
  readonly tried?: Tried | undefined
}

const DEADLINE_MS = 5000
const AT_ONCE = 4
/** Seconds until a message that was not tried is looked at again. */
const UNTRIED_SECONDS = 60
/** After a failure of the store. */
export const RETRY_SECONDS = 30

export function deliveries<Facts>(context: DeliveryContext<Facts>): (key: string) => Promise<Worked> {
  const { now, options, queued, listed, failed } = context
  const { atOnce = AT_ONCE, undelivered } = options
  const slots = hostSlots(atOnce)
  const isDue = ({ due }: { due: number }) => due <= now()
  const isExpired = ({ storedAt }: { storedAt: number }) => now() >= storedAt + KEPT_SECONDS

  /** @returns the queue of the receiver */
  async function moveTo(target: string, added: readonly Entry<Facts>[]): Promise<string> {
    const queue = sha256(target)
    const isNew = await queued.add(queue, target, added)
    // Without a name only this process works on it, and it may end.
    if (!(await listed.add([{ key: queue, isNew }])))
      undelivered({ target, why: 'overflow', facts: added[0]?.facts, count: added.length })
    return queue
  }

  /** What one receiver cannot get stays in the inbox: it holds up no other. @returns the queues of the receivers */
  async function move(key: string): Promise<readonly string[]> {
    const claimed = await queued.claim(key, { most: Number.POSITIVE_INFINITY, takes: isDue })
    if (claimed === undefined) return []
    if (claimed.lost > 0) undelivered({ why: 'lost', count: claimed.lost })
    const again: Entry<Facts>[] = []
    const moved = await Promise.all(
      [...Map.groupBy(claimed.entries, ({ target }) => target)].map(([target, added]) =>
        moveTo(target, added).catch((cause): undefined => {
          failed(cause)
          again.push(...added.map((entry) => ({ ...entry, due: now() + RETRY_SECONDS })))
        }),
      ),
    )
    await queued.release(key, again)
    return moved.filter((queue) => queue !== undefined)
  }

  /** Tries some of the messages once. */
  async function tryOnce(
    key: string,
    target: string,
    { most, receiver }: { most: number; receiver: Receiver<Facts> | 'gone' | 'unknown' },
  ): Promise<void> {
    const claimed = await queued.claim(key, { most, takes: receiver === 'unknown' ? isExpired : isDue })
    if (claimed === undefined) return
    if (claimed.lost > 0) undelivered({ target, why: 'lost', count: claimed.lost })
    const tallies = await Promise.all(
      claimed.entries.map(async (entry): Promise<Tally<Facts>> => {
        if (receiver === 'gone') return {}
        if (receiver !== 'unknown' && !isExpired(entry)) return attempt(context, receiver, entry)
        const { facts, attempts } = entry
        return { lost: { target, why: 'expired', facts, count: 1, attempts } }
      }),
    )
    const again = tallies.flatMap(({ again }) => again ?? [])
    // After a lost lease the one who has it reports.
    if (!(await queued.release(key, again))) return
    for (const { lost } of tallies) if (lost !== undefined) undelivered(lost)
    const tried = tallies.flatMap(({ tried }) => tried ?? [])
    if (tried.length > 0) await options.tried?.(target, tried)
  }

  return async (key) => {
    const moved: string[] = []
    for (;;) {
      const { target, due, count, isFull } = await queued.look(key)
      if (due > now()) return { due, moved }
      if (target === undefined) {
        moved.push(...(await move(key)))
        continue
      }
      if (isFull)
        for (const report of overflow(target, await queued.shrink(key), options.share)) undelivered(report)
      const receiver = await options.receiver(target)
      if (typeof receiver !== 'string') {
        const { host } = new URL(receiver.url)
        await slots(host, count, (most) => tryOnce(key, target, { most, receiver }))
        continue
      }
      await tryOnce(key, target, { most: Number.POSITIVE_INFINITY, receiver })
      // Others may know it. What has expired meanwhile is reported by anyone.
      if (receiver === 'unknown') return { due: now() + UNTRIED_SECONDS, moved }
    }
  }
}

async function attempt<Facts>(
  context: DeliveryContext<Facts>,
  { url, message }: Receiver<Facts>,
  entry: Entry<Facts>,
): Promise<Tally<Facts>> {
  const { now, time, options, failed } = context
  let made: Awaited<ReturnType<typeof message>>
  try {
    made = await message(entry)
  } catch (cause) {
    failed(cause)
    return { again: { ...entry, due: now() + UNTRIED_SECONDS } }
  }
  const outcome = await beforeDeadline(time, (signal) => options.post(url, { ...made, signal })).then(
    (answer) => outcomeOf(answer, now(), options.refuses),
    faultOf,
  )
  return {
    ...afterwards(entry, outcome, context),
    tried: { ...outcome, isFirst: entry.attempts === 0 },
  }
}

function afterwards<Facts>(entry: Entry<Facts>, outcome: Outcome, { now, random }: Ports): Tally<Facts> {
  if (outcome.kind === 'delivered') return {}
  const attempts = entry.attempts + 1
  const wait = outcome.kind === 'again' ? waitAfter(attempts, random, outcome) : Number.POSITIVE_INFINITY
  if (now() + wait < entry.storedAt + KEPT_SECONDS)
    return { again: { ...entry, attempts, due: now() + wait } }
  const { kind, retryAfter: _, ...answer } = { retryAfter: undefined, ...outcome }
  const why = kind === 'refused' ? 'refused' : 'attempts'
  return { lost: { target: entry.target, why, facts: entry.facts, count: 1, attempts, ...answer } }
}

/** A post that ignores its signal must not hold the lease. */
function beforeDeadline(
  time: Ports['time'],
  work: (signal: AbortSignal) => ReturnType<MessagePost>,
): ReturnType<MessagePost> {
  const controller = new AbortController()
  return new Promise((resolve, reject) => {
    const cancel = time.after(DEADLINE_MS, () => {
      const late = Object.assign(new Error('No answer in time'), { code: 'timeout' })
      reject(late)
      controller.abort(late)
    })
    work(controller.signal).finally(cancel).then(resolve, reject)
  })
}

/**
 * What goes first from a full queue: minor messages, then those of the subject that has most, its oldest first. So nobody pushes
 * out what is about others.
 */
export function expendable<Facts>(
  all: readonly Entry<Facts>[],
  count: number,
  share: OutboxOptions<Facts>['share'] = () => ({}),
): readonly Entry<Facts>[] {
  const counts = new Map<string, number>()
  return all
    .toSorted((one, other) => other.storedAt - one.storedAt)
    .map((entry) => {
      const { subject, isMinor = false } = share(entry.facts)
      const group = JSON.stringify([isMinor, subject])
      const before = subject === undefined ? 0 : (counts.get(group) ?? 0)
      counts.set(group, before + 1)
      return { entry, before, isMinor }
    })
    .sort(
      (one, other) =>
        Number(other.isMinor) - Number(one.isMinor) ||
        other.before - one.before ||
        one.entry.storedAt - other.entry.storedAt,
    )
    .slice(0, count)
    .map(({ entry }) => entry)
}

/** A report for each subject and kind. */
function overflow<Facts>(
  target: string,
  dropped: readonly Entry<Facts>[],
  share: OutboxOptions<Facts>['share'] = () => ({}),
): readonly Undelivered<Facts>[] {
  const groups = Map.groupBy(dropped, ({ facts }) => JSON.stringify(share(facts)))
  return [...groups.values()].map((entries) => ({
    ...{ target, why: 'overflow', facts: entries[0]?.facts, count: entries.length },
  }))
}

/** How much of this process one host can hold. */
interface Slots {
  free: number
  readonly waiting: { readonly wanted: number; readonly enter: (count: number) => void }[]
}

/** Does work for a host in as many of its slots as are free, one at least. The rest waits in order, and holds nothing meanwhile. */
type HostSlots = <T>(host: string, wanted: number, work: (count: number) => Promise<T>) => Promise<T>

export function hostSlots(most: number): HostSlots {
  const hosts = new Map<string, Slots>()
  function serve(slots: Slots): void {
    for (let next = slots.waiting[0]; next !== undefined && slots.free > 0; next = slots.waiting[0]) {
      slots.waiting.shift()
      const count = Math.min(slots.free, next.wanted)
      slots.free -= count
      next.enter(count)
    }
  }
  return async (host, wanted, work) => {
    const slots = hosts.get(host) ?? { free: most, waiting: [] }
    hosts.set(host, slots)
    const entered = new Promise<number>((enter) => slots.waiting.push({ wanted, enter }))
    serve(slots)
    const count = await entered
    try {
      return await work(count)
    } finally {
      slots.free += count
      serve(slots)
      if (slots.free === most) hosts.delete(host)
    }
  }
}

/** Seconds between the attempts: 0, 5, 30 s, 2, 10 min, 1, 6 and 24 h after the message was stored. */
const WAITS = [5, 25, 90, 480, 3000, 18_000, 64_800]
const MAX_RETRY_AFTER = 3600

/** @returns seconds until the next attempt; infinite after the last one */
export function waitAfter(attempts: number, random: Random, { retryAfter = 0 } = {}): number {
  const wait = WAITS[attempts - 1]
  if (wait === undefined) return Number.POSITIVE_INFINITY
  // Up to a tenth more, so that what failed together does not come back together.
  const jitter = Math.ceil((wait / 10) * ((random(1)[0] ?? 0) / 255))
  return Math.max(wait + jitter, Math.min(retryAfter, MAX_RETRY_AFTER))
}

/** What the answer to an attempt means. */
export type Outcome =
  | { readonly kind: 'delivered' }
  /** The receiver does not want it: repeating does not help. */
  | { readonly kind: 'refused'; readonly status: number }
  | {
      readonly kind: 'again'
      readonly status?: number | undefined
      /** Why there was no answer. */
      readonly fault?: string | undefined
      /** Seconds that the receiver asks for. */
      readonly retryAfter?: number | undefined
    }

/** Only an error that may pass is worth another attempt (Back-Channel Logout 2.5). */
function isFinal(status: number): boolean {
  return status !== 408 && status !== 429 && status < 500
}

export function outcomeOf(
  { status, headers }: MessagePostResponse,
  now: number,
  refuses: (status: number) => boolean = isFinal,
): Outcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  if (refuses(status)) return { kind: 'refused', status }
  return { kind: 'again', status, retryAfter: retryAfterIn(headers['retry-after'], now) }
}

/** Seconds, or a date (RFC 9110 10.2.3). */
function retryAfterIn(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : Date.parse(header) / 1000 - now
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}

/** @param thrown by a `MessagePost` */
export function faultOf(thrown: unknown): Outcome {
  const { code } = Object(thrown)
  return { kind: 'again', fault: typeof code === 'string' ? code : 'unknown' }
}
