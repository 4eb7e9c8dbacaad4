import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { counterInMemory } from './counters.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 0 }))
afterEach(() => void vi.useRealTimers())

it('a key has room again when its window, which began with its first event, has ended', async () => {
  const counter = counterInMemory({ points: 2, duration: 60 })
  const waits: number[] = []
  for (const second of [0, 30, 40, 59.5, 60, 61, 62]) {
    vi.setSystemTime(second * 1000)
    waits.push(await counter.take('a'))
  }
  expect(waits).toEqual([0, 0, 20, 1, 0, 0, 58])
})

it('invented keys make the oldest leave, and never one of the younger half', async () => {
  const counter = counterInMemory({ points: 1, duration: 60 }, 100)
  const take = (key: number) => counter.take(`${key}`)
  for (let key = 0; key < 1000; key++) expect(await take(key)).toBe(0)
  for (let key = 950; key < 1000; key++) expect(await take(key), `${key}`).toBe(60)
  expect(await take(899)).toBe(0)
})

it('a key that is forgotten has room, whenever it was counted', async () => {
  const counter = counterInMemory({ points: 1, duration: 60 }, 4)
  for (const key of ['a', 'b', 'c']) await counter.take(key)
  for (const key of ['a', 'c']) {
    expect(await counter.take(key)).toBe(60)
    await counter.forget(key)
    expect(await counter.take(key)).toBe(0)
  }
})
