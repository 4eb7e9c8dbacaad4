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

it('invented keys make the oldest one leave, and no other', async () => {
  const counter = counterInMemory({ points: 1, duration: 60 }, 100)
  for (let n = 0; n < 101; n++) expect(await counter.take(`${n}`)).toBe(0)
  expect(await counter.take('1'), 'the second').toBe(60)
  expect(await counter.take('100'), 'the last').toBe(60)
  expect(await counter.take('0'), 'the first').toBe(0)
})

it('a key that is forgotten or has ended makes room for others', async () => {
  const counter = counterInMemory({ points: 1, duration: 60 }, 2)
  await counter.take('first')
  vi.setSystemTime(30_000)
  await counter.take('second')
  vi.setSystemTime(60_000)
  await counter.take('third')
  expect(await counter.take('second')).toBe(30)
  await counter.forget('second')
  await counter.take('fourth')
  expect(await counter.take('third')).toBe(60)
  expect(await counter.take('second')).toBe(0)
})
