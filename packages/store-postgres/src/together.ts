import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** A call that takes longer does not hold up the next one. */
const MAX_WAIT_MS = 20

/**
 * Gathers the calls of one turn of the event loop, and during the previous call, into the next call. Under
 * load, calls grow instead of waiting in line.
 *
 * @returns the answer to the whole call
 */
export function together<Item, Answer>(
  call: (all: readonly Item[]) => Promise<Answer>,
): (one: Item) => Promise<Answer> {
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
