/** One request at a time, for whoever needs its answer, on runtimes where a request may be cut off with the one that began it. */

import type { Time } from '../kernel/time.ts'

export const ANSWER_TIMEOUT_MS = 5000
/** How long a request waits for an answer that another request or the timer has begun to read. */
export const MAX_WAIT_MS = 1000

interface OneAtATime {
  /** The read in progress. */
  current(): Promise<void> | undefined
  /** Epoch seconds. */
  lastStart(): number
  /** Reads. Only if nothing is in progress. */
  start(): Promise<void>
  /** Reads once what is in progress has ended: the answer has everything until this call. */
  startNext(): Promise<void>
}

interface Clock {
  /** Epoch seconds. */
  readonly now: () => number
  readonly time: Time
}

export function oneAtATime(read: () => Promise<void>, { now, time }: Clock): OneAtATime {
  let running: Promise<void> | undefined
  let startedAt = Number.NEGATIVE_INFINITY

  /** A read that was cut off never ends, not even by its timeout. So after that time it does not count. */
  const current = () => (now() - startedAt > 1 + ANSWER_TIMEOUT_MS / 1000 ? undefined : running)

  function start(): Promise<void> {
    startedAt = now()
    const started = read().finally(() => {
      if (running === started) running = undefined
    })
    running = started
    return started
  }

  async function startNext(): Promise<void> {
    for (let before = current(); before !== undefined; before = current())
      await atMost(time, ANSWER_TIMEOUT_MS, before)
    return start()
  }

  return { current, lastStart: () => startedAt, start, startNext }
}

/** Waits for the end of something, whatever its result, and no longer than a limit. */
export function atMost(time: Time, milliseconds: number, ending: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = time.after(milliseconds, resolve)
    const end = () => {
      cancel()
      resolve()
    }
    ending.then(end, end)
  })
}
