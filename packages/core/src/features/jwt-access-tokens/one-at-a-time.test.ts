import { expect, it } from 'vitest'
import { systemTime } from '../../kernel/time.ts'
import { oneAtATime } from './revoked-tokens.ts'

/** Reads that the test ends, and the timers of those who wait. */
function openReads() {
  const clock = { now: 0 }
  const reads: PromiseWithResolvers<void>[] = []
  const timers = new Set<() => void>()
  const after = (_: number, work: () => void) => {
    timers.add(work)
    return () => void timers.delete(work)
  }
  const read = () => {
    const next = Promise.withResolvers<void>()
    reads.push(next)
    return next.promise
  }
  const reading = oneAtATime(read, { now: () => clock.now, time: { ...systemTime, after } })
  /** All microtasks run before it resolves. */
  const end = (index: number) => {
    reads[index]?.resolve()
    return new Promise((resolve) => setImmediate(resolve))
  }
  return { clock, reading, end, counts: () => [reads.length, timers.size] }
}

it('a read that was cut off counts for six seconds, and its late end does not end the next one', async () => {
  const { clock, reading, end } = openReads()
  const first = reading.start()
  clock.now = 6
  expect(reading.current()).toBe(first)
  clock.now = 7
  expect(reading.current()).toBeUndefined()
  const second = reading.start()
  await end(0)
  expect(reading.current()).toBe(second)
  await end(1)
  expect(reading.current()).toBeUndefined()
})

it('the next read begins when the one in progress has ended, and then no one waits for the timeout', async () => {
  const { reading, end, counts } = openReads()
  void reading.start()
  const next = [reading.startNext(), reading.startNext()]
  expect(counts()).toEqual([1, 2])
  await end(0)
  expect(counts()).toEqual([2, 1])
  await end(1)
  expect(counts()).toEqual([3, 0])
  await end(2)
  await Promise.all(next)
})
