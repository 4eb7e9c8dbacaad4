import { setTimeout as delay } from 'node:timers/promises'
import type { Budget } from '../client/budget.ts'
import type { Delivery, Transport } from '../client/transport.ts'
import type { SeededRandom } from '../random.ts'
import type { Attempt } from './attempt.ts'

/** How the requests of a burst start: all with one write, or within 50 ms. */
export type Start = 'together' | 'staggered'

/** The server has to read what it got before the last bytes come, in milliseconds. */
const SETTLE_MS = 4
const STAGGER_MS = 50

/**
 * Sends requests at once: each but for its last byte, then all last bytes within one turn of the event loop. Two requests
 * overlap far more often than with requests that are only sent in parallel.
 */
export async function sendTogether(
  transport: Transport,
  budget: Budget,
  attempts: readonly Attempt[],
  start: { readonly start: Start; readonly random: SeededRandom },
): Promise<readonly Delivery[]> {
  await budget.take(attempts.length)
  const held = await Promise.all(attempts.map(({ request, replica }) => transport.hold(request, replica)))
  await delay(SETTLE_MS)
  if (start.start === 'together') return Promise.all(held.map((each) => each.release()))
  const delays = held.map(() => start.random.below(STAGGER_MS))
  return Promise.all(
    held.map(async (each, at) => {
      await delay(delays[at])
      return each.release()
    }),
  )
}

/** Sends a request and destroys its socket some milliseconds after the last byte: a lost answer. */
export async function sendTorn(
  transport: Transport,
  budget: Budget,
  { request, replica }: Attempt,
  afterMs: number,
): Promise<Delivery> {
  await budget.take()
  return (await transport.hold(request, replica)).release(afterMs)
}
