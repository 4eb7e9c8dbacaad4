/**
 * Messages to receivers on the internet that must arrive at least once (docs/adr/0067). A message is stored first, then tried,
 * by the process that stored it or, if that one ended, by any other process of the server.
 */
import { IN_WORKER } from '../kernel/in-worker.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { newId, sha256 } from '../kernel/secrets.ts'
import type { Transients } from '../kernel/store.ts'
import { systemTime } from '../kernel/time.ts'
import { deliveries } from './delivery.ts'
import { directory } from './directory.ts'
import { gathered } from './gathered.ts'
import type { OutboxOptions } from './options.ts'
import { queues } from './queue.ts'
import type { Entry } from './queue-record.ts'
import { type Schedule, schedule } from './schedule.ts'

export type { OutboxOptions, Undelivered } from './options.ts'

/** A store failed while messages were looked for or delivered. They are tried again. */
export interface OutboxFailed {
  readonly type: 'outbox_failed'
  /** Its name: `logout-outbox` or `webhook-outbox`. */
  readonly outbox: string
  readonly cause: unknown
}

export interface Outbox<Facts> {
  /** Resolves when the messages are stored. @throws OAuthError 503 */
  add(target: string, facts: readonly Facts[]): Promise<void>
  /** Delivers what is due now, and resolves when all of it was tried. */
  deliver(): Promise<void>
}

/** @returns whether the directory must name the queue anew */
type Adder<Facts> = (added: readonly Entry<Facts>[]) => Promise<boolean>

type OutboxKernel = Pick<Kernel, 'now' | 'random' | 'emit'> & Partial<Pick<Kernel, 'time'>>

const MAX_WAITING = 10_000

export function createOutbox<Facts>(
  { now, time = systemTime, random, emit }: OutboxKernel,
  transients: Transients,
  options: OutboxOptions<Facts>,
): Outbox<Facts> {
  const { name, undelivered, timers = !IN_WORKER, maxWaiting = MAX_WAITING } = options
  const listed = directory(transients, name, now)
  const queued = queues<Facts>({ transients, name, now, random, maxWaiting })
  const deliver = deliveries({ now, time, random, options, listed, queued })
  const running = new Map<string, { readonly done: Promise<void>; next?: Promise<void> }>()
  const adders = new Map<string, Adder<Facts>>()
  const alarm: Schedule | undefined = timers ? schedule({ now, time }, () => start()) : undefined

  /** One for each receiver: the operator registers them, so their number is small. */
  function adderOf(key: string, target: string): Adder<Facts> {
    const write = async (added: readonly Entry<Facts>[]) => {
      const { isNew, dropped } = await queued.add(key, target, added)
      if (dropped > 0) undelivered({ target, why: 'overflow', count: dropped })
      return isNew
    }
    const adder = adders.get(key) ?? gathered(write)
    adders.set(key, adder)
    return adder
  }

  /** One at a time for a receiver. What is added during a run may come too late for it, so another run follows. */
  function begin(key: string): Promise<void> {
    const current = running.get(key)
    if (current !== undefined) {
      current.next ??= current.done.then(() => begin(key))
      return current.next
    }
    const done = deliver(key)
      .then((due) => (due === undefined ? undefined : alarm?.at(due)))
      .catch(failed)
      .finally(() => running.delete(key))
    running.set(key, { done })
    return done
  }

  function failed(cause: unknown): void {
    emit({ type: 'outbox_failed', outbox: name, cause } satisfies OutboxFailed)
    alarm?.at(now() + RETRY_SECONDS)
  }

  async function start(): Promise<void> {
    try {
      await Promise.all(listed.keysIn(await listed.read()).map(begin))
    } catch (cause) {
      failed(cause)
    }
  }

  return {
    async add(target, facts) {
      const key = sha256(target)
      const at = now()
      const entry = (facts: Facts) => ({ id: newId(random), storedAt: at, due: at, attempts: 0, facts })
      const isNew = await adderOf(key, target)(facts.map(entry))
      if (!(await listed.add([{ key, isNew }]))) undelivered({ target, why: 'overflow', count: facts.length })
      alarm?.at(at)
    },
    deliver: start,
  }
}

/** After a failure of the store. */
const RETRY_SECONDS = 30
