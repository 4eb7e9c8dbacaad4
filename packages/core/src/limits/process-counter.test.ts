import { describe, expect, it } from 'vitest'
import { processCounter } from './rate-limits.ts'

function counterOf(points: number, maxKeys?: number) {
  const clock = { now: 0 }
  return { clock, counter: processCounter({ points, seconds: 60 }, () => clock.now, maxKeys) }
}

describe('a counter in the process', () => {
  it('allows events again when the window, which began with the first one, has ended', async () => {
    const { clock, counter } = counterOf(2)
    const waits: number[] = []
    for (const second of [0, 30, 40, 59, 60, 61, 62]) {
      clock.now = second
      waits.push(await counter.take('a'))
    }
    expect(waits).toEqual([0, 0, 20, 1, 0, 0, 58])
  })

  it('forgets the oldest keys when there are too many, and none of the younger half', async () => {
    const { counter } = counterOf(1, 100)
    for (let key = 0; key < 1000; key++) expect(await counter.take(`${key}`)).toBe(0)
    for (let key = 950; key < 1000; key++) expect(await counter.take(`${key}`), `${key}`).toBe(60)
    expect(await counter.take('899')).toBe(0)
  })

  it('takes one event back by a refund, and never more than were counted', async () => {
    const { counter } = counterOf(1)
    await counter.refund('a')
    expect(await counter.take('a')).toBe(0)
    await counter.refund('a')
    await counter.refund('a')
    expect([await counter.take('a'), await counter.take('a')]).toEqual([0, 60])
  })

  it('takes all events of a key back by a reset, whenever they were counted', async () => {
    const { counter } = counterOf(1, 4)
    for (const key of ['a', 'b', 'c']) await counter.take(key)
    for (const key of ['a', 'c']) {
      expect(await counter.take(key)).toBe(60)
      await counter.reset(key)
      expect(await counter.take(key)).toBe(0)
    }
  })

  it('keeps the events of a key for as long as it is told, and says how many there are', async () => {
    const { clock, counter } = counterOf(1)
    expect(await counter.extend('a', 600), 'a key without events').toBe(0)
    expect(await counter.take('a')).toBe(0)
    expect(await counter.extend('a', 600)).toBe(1)
    clock.now = 599
    expect(await counter.take('a')).toBe(1)
    clock.now = 600
    expect(await counter.take('a')).toBe(0)
  })
})
