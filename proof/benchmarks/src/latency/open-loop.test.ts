import { describe, expect, test } from 'vitest'
import { poissonArrivals } from './arrivals.ts'
import { openLoop } from './open-loop.ts'

/** Milliseconds, of which a server works on each request. */
const SERVICE = 1

describe('openLoop', () => {
  test('a server that keeps up answers each request in the time that it needs', async () => {
    const { histogram, unanswered, maxPause } = await load({ server: new FakeServer() })
    expect(histogram.count).toBe(100)
    expect(histogram.quantile(1)).toBeCloseTo(SERVICE, 1)
    expect(unanswered).toBe(0)
    // Of the fake clock.
    expect(maxPause).toBe(1)
  })

  test('a server that stalls once makes all later requests wait, and each counts', async () => {
    const server = new FakeServer({ stallsAt: 200, stallsFor: 500 })
    const { histogram, maxOutstanding } = await load({ server })
    // A closed loop would see one slow request of a hundred. Here fifty start while it stalls.
    expect(histogram.count).toBe(100)
    expect(histogram.quantile(0.5)).toBeGreaterThan(SERVICE)
    expect(histogram.quantile(0.75)).toBeGreaterThan(200)
    expect(histogram.quantile(1)).toBeGreaterThanOrEqual(490)
    expect(maxOutstanding).toBeGreaterThanOrEqual(49)
  })

  test('a request that waits for a connection has started', async () => {
    const server = new FakeServer({ stallsAt: 200, stallsFor: 500 })
    const { histogram } = await load({ server, connections: 1 })
    expect(histogram.quantile(0.75)).toBeGreaterThan(200)
  })

  test('a request without a response counts with the time that it waited', async () => {
    const server = new FakeServer({ stallsAt: 500, stallsFor: Number.POSITIVE_INFINITY })
    const { histogram, unanswered } = await load({ server, patience: 1000 })
    expect(histogram.count).toBe(100)
    expect(unanswered).toBeGreaterThanOrEqual(49)
    expect(histogram.quantile(1)).toBeGreaterThanOrEqual(1490)
  })

  test('the requests start in their order', async () => {
    const server = new FakeServer({ stallsAt: 0, stallsFor: 300 })
    await load({ server, connections: 1 })
    expect(server.begunAt).toEqual(server.begunAt.toSorted((one, other) => one - other))
  })
})

describe('poissonArrivals', () => {
  test('the arrivals have the rate, in order', () => {
    const arrivals = poissonArrivals(200, 100, 1)
    expect(arrivals.length / 100).toBeCloseTo(200, -1)
    expect(arrivals).toEqual(arrivals.toSorted())
  })

  test('the gaps vary as much as they are long', () => {
    const gaps = poissonArrivals(1000, 20, 2).map((at, index, all) => at - (all[index - 1] ?? 0))
    const mean = gaps.reduce((sum, gap) => sum + gap) / gaps.length
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length
    expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1)
  })

  test('one seed gives the same arrivals, another one others', () => {
    expect(poissonArrivals(200, 1, 3)).toEqual(poissonArrivals(200, 1, 3))
    expect(poissonArrivals(200, 1, 3)).not.toEqual(poissonArrivals(200, 1, 4))
  })
})

interface Options {
  readonly server: FakeServer
  readonly connections?: number
  readonly patience?: number
}

/** A hundred requests in a second, one each ten milliseconds. */
function load({ server, connections = 100, patience = 10_000 }: Options) {
  const arrivals = Float64Array.from({ length: 100 }, (_, index) => index * 10)
  let free = connections
  const begin = (ended: () => void) => {
    if (free === 0) return false
    free--
    server.answer(() => {
      free++
      ended()
    })
    return true
  }
  return openLoop({ arrivals, begin, patience, clock: server })
}

/** It answers one request after the other, in a time of its own: each turn is a millisecond. */
class FakeServer {
  readonly begunAt: number[] = []
  readonly #stall: { readonly stallsAt: number; readonly stallsFor: number }
  #now = 0
  #freeAt = 0
  #answers: { readonly at: number; readonly answer: () => void }[] = []

  constructor(stall = { stallsAt: Number.POSITIVE_INFINITY, stallsFor: 0 }) {
    this.#stall = stall
  }

  answer(answer: () => void): void {
    this.begunAt.push(this.#now)
    const { stallsAt, stallsFor } = this.#stall
    const begun = Math.max(this.#now, this.#freeAt)
    const stalls = begun >= stallsAt && begun < stallsAt + stallsFor
    this.#freeAt = (stalls ? stallsAt + stallsFor : begun) + SERVICE
    this.#answers.push({ at: this.#freeAt, answer })
  }

  now(): number {
    return this.#now
  }

  soon(callback: () => void): void {
    queueMicrotask(() => {
      this.#now++
      const due = this.#answers.filter(({ at }) => at <= this.#now)
      this.#answers = this.#answers.filter(({ at }) => at > this.#now)
      for (const { answer } of due) answer()
      callback()
    })
  }
}
