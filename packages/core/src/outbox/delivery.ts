/** Works on a queue under its lease: moves an inbox to its receivers, and delivers what waits for a receiver. */
import type { MessagePost } from '../http/message-post.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { sha256 } from '../kernel/secrets.ts'
import type { directory } from './directory.ts'
import { hostSlots } from './host-slots.ts'
import type { OutboxOptions, Receiver, Tried, Undelivered } from './options.ts'
import { faultOf, type Outcome, outcomeOf, waitAfter } from './outcome.ts'
import { type Entry, KEPT_SECONDS, type queues } from './queue.ts'

interface DeliveryContext<Facts> extends Pick<Kernel, 'now' | 'time' | 'random'> {
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
/** Messages at once to a host. */
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
        for (const report of overflow(target, await queued.shrink(key), options)) undelivered(report)
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
  { now, time, random, options: { post, refuses }, failed }: DeliveryContext<Facts>,
  { url, message }: Receiver<Facts>,
  entry: Entry<Facts>,
): Promise<Tally<Facts>> {
  let made: Awaited<ReturnType<typeof message>>
  try {
    made = await message(entry)
  } catch (cause) {
    failed(cause)
    return { again: { ...entry, due: now() + UNTRIED_SECONDS } }
  }
  const outcome = await beforeDeadline(time, (signal) => post(url, { ...made, signal })).then(
    (answer) => outcomeOf(answer, now(), refuses),
    faultOf,
  )
  return {
    ...afterwards(entry, outcome, { now, random }),
    tried: { ...outcome, isFirst: entry.attempts === 0 },
  }
}

function afterwards<Facts>(
  entry: Entry<Facts>,
  outcome: Outcome,
  { now, random }: Pick<Kernel, 'now' | 'random'>,
): Tally<Facts> {
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
  time: Kernel['time'],
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

type Sharing<Facts> = Pick<OutboxOptions<Facts>, 'share'>

/**
 * What goes first from a full queue: minor messages, then those of the subject that has most, its oldest first. So nobody pushes
 * out what is about others.
 */
export function expendable<Facts>(
  all: readonly Entry<Facts>[],
  count: number,
  { share = () => ({}) }: Sharing<Facts>,
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
  { share = () => ({}) }: Sharing<Facts>,
): readonly Undelivered<Facts>[] {
  const groups = Map.groupBy(dropped, ({ facts }) => JSON.stringify(share(facts)))
  return [...groups.values()].map((entries) => ({
    ...{ target, why: 'overflow', facts: entries[0]?.facts, count: entries.length },
  }))
}
