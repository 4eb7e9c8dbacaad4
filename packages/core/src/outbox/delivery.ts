/** Delivers what waits for a receiver, under its lease. */
import type { Kernel } from '../kernel/kernel.ts'
import { attempts } from './attempt.ts'
import type { directory } from './directory.ts'
import type { OutboxOptions } from './options.ts'
import { type Outcome, waitAfter } from './outcome.ts'
import type { queues } from './queue.ts'
import { type Entry, KEPT_SECONDS } from './queue-record.ts'

interface DeliveryContext<Facts> extends Pick<Kernel, 'now' | 'time' | 'random'> {
  readonly options: OutboxOptions<Facts>
  readonly listed: ReturnType<typeof directory>
  readonly queued: ReturnType<typeof queues<Facts>>
}

/** @returns when the queue has something to do again; `undefined`: it is empty */
type Deliver = (key: string) => Promise<number | undefined>

export function deliveries<Facts>(context: DeliveryContext<Facts>): Deliver {
  const { now, time, options, listed, queued } = context
  const attempt = attempts(options, { now, time })

  /** @returns the message, if it must be tried again */
  async function tried(target: string, entry: Entry<Facts>): Promise<Entry<Facts> | undefined> {
    const outcome = await attempt(target, entry)
    await options.tried?.(target, outcome)
    return outcome.kind === 'delivered' ? undefined : againOrReported(context, target, entry, outcome)
  }

  return async (key) => {
    for (;;) {
      // Before the queue is closed: see `directory.remove`.
      const seen = await listed.read()
      const claimed = await queued.claim(key)
      if (typeof claimed === 'number') return claimed
      if (claimed === undefined) {
        if (!(await queued.close(key))) continue
        await listed.remove(key, seen)
        return undefined
      }
      const { target, entries } = claimed
      const left = await Promise.all(entries.map((entry) => tried(target, entry)))
      await queued.release(
        key,
        left.filter((entry) => entry !== undefined),
      )
    }
  }
}

function againOrReported<Facts>(
  { now, random, options }: DeliveryContext<Facts>,
  target: string,
  entry: Entry<Facts>,
  outcome: Exclude<Outcome, { kind: 'delivered' }>,
): Entry<Facts> | undefined {
  const attempts = entry.attempts + 1
  const wait = outcome.kind === 'again' ? waitAfter(attempts, random, outcome) : Number.POSITIVE_INFINITY
  if (now() + wait < entry.storedAt + KEPT_SECONDS) return { ...entry, attempts, due: now() + wait }
  const { kind, retryAfter: _, ...answer } = { retryAfter: undefined, ...outcome }
  const why = kind === 'refused' ? 'refused' : 'attempts'
  options.undelivered({ target, why, facts: entry.facts, count: 1, attempts, ...answer })
  return undefined
}
