import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemTime } from '../kernel/time.ts'
import { schedule } from './schedule.ts'

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => void vi.useRealTimers())

it.each<[string, dueByTime: Record<number, number>, runs: number[], timers: number]>([
  ['a second after the start, then every minute', {}, [1, 61, 121], 4],
  ['when something is due, and a minute later', { 10: 20 }, [1, 20, 80], 5],
  ['at once for what was due', { 10: 5 }, [1, 10, 70], 5],
  ['no later for what is due later', { 30: 80 }, [1, 61, 121], 4],
  ['once for what is due at one time', { 10: 20, 12: 20 }, [1, 20, 80], 5],
  ['at the first of several times', { 10: 30, 12: 20 }, [1, 20, 80], 6],
])('a schedule runs %s', async (_, dueByTime, runs, timers) => {
  const now = () => Date.now() / 1000
  const after = vi.fn(systemTime.after)
  const ran: number[] = []
  const { at } = schedule(
    { now, time: { ...systemTime, after } },
    async () => void ran.push(Math.round(now())),
  )
  for (const [time, due] of Object.entries(dueByTime)) {
    await vi.advanceTimersByTimeAsync(1000 * (Number(time) - now()))
    at(due)
  }
  await vi.advanceTimersByTimeAsync(1000 * (122 - now()))
  expect(ran).toEqual(runs)
  expect(after).toHaveBeenCalledTimes(timers)
})
