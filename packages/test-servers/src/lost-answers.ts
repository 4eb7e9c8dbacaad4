import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import type { TcpProxy } from './tcp-proxy.ts'

/**
 * Two ways to lose the answer to a write that a server carries out. A store gives its commands a time limit, and repeats one that
 * failed after a pause. Its clock is one of the test, so that a slow machine is no third way.
 *
 * @param begin begins the write
 * @param carriedOut ends when the server has carried it out
 * @param back ends when the store can send its second attempt
 * @returns what the store says in the end
 */
type Loss = <T>(
  network: TcpProxy,
  begin: () => Promise<T>,
  carriedOut: () => Promise<unknown>,
  back?: () => Promise<unknown>,
) => Promise<T>

/** Of the store under test, in milliseconds. */
export const LIMIT_MS = 20_000

/** The answer comes after the time limit of the first attempt. */
const late: Loss = async (network, begin, carriedOut) => {
  const answer = Promise.withResolvers<void>()
  try {
    vi.useFakeTimers(CLOCK)
    network.nextAnswer = answer.promise
    const writing = begin()
    await carriedOut()
    vi.advanceTimersByTime(LIMIT_MS)
    // An attempt is given up in the turn after its time limit.
    await nextTurn()
    answer.resolve()
    return await ended(writing)
  } finally {
    answer.resolve()
    vi.useRealTimers()
  }
}

/** The connection breaks before the answer has come. */
const lost: Loss = async (network, begin, carriedOut, back = nextTurn) => {
  try {
    vi.useFakeTimers(CLOCK)
    network.loseReplies = true
    const writing = begin()
    await carriedOut()
    network.reset()
    network.loseReplies = false
    await back()
    return await ended(writing)
  } finally {
    network.loseReplies = false
    vi.useRealTimers()
  }
}

export const LOSSES = [
  ['is late', late],
  ['is lost with its connection', lost],
] as const

const CLOCK: Parameters<typeof vi.useFakeTimers>[0] = { toFake: ['setTimeout', 'clearTimeout'] }

/** A store pauses before its second attempt. While this waits, Vitest lets the clock go on, no faster than the real one. */
async function ended<T>(writing: Promise<T>): Promise<T> {
  let over = false
  const end = () => {
    over = true
  }
  writing.then(end, end)
  await expect.poll(() => over, { interval: 10 }).toBe(true)
  return writing
}
