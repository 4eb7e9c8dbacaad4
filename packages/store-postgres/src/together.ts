import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { IN_WORKER } from '@grantkit/core/store-kit'

/** A call that takes longer does not hold up the next one. */
const MAX_WAIT_MS = 20

/**
 * Gathers the calls of one turn of the event loop, and during the previous call, into the next call. Under
 * load, calls grow instead of waiting in line. In a Worker every call is alone: its request could wait for ever for the
 * call of another one, which the runtime has ended.
 *
 * @returns the answer to the whole call
 */
export function together<Item, Answer>(
  call: (all: readonly Item[]) => Promise<Answer>,
): (one: Item) => Promise<Answer> {
  if (IN_WORKER) return (one) => call([one])
  let gathered: Item[] = []
  let next: Promise<Answer> | undefined
  let last: Promise<unknown> | undefined

  async function send(): Promise<Answer> {
    await last
    await nextTurn()
    const all = gathered
    gathered = []
    next = undefined
    const answer = call(all)
    last = Promise.race([answer.catch(() => {}), sleep(MAX_WAIT_MS, undefined, { ref: false })])
    return answer
  }

  return (one) => {
    gathered.push(one)
    next ??= send()
    return next
  }
}
