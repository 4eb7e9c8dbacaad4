import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { countersInMemory, noCounters } from './counters.ts'
import { rateLimiter } from './rate-limiter.ts'
import { signInLimits } from './sign-in-limits.ts'

async function times(count: number, take: () => Promise<number>): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, take))
}

// A second must not pass between two calls.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterAll(() => void vi.useRealTimers())

const WINDOW = { points: 100, seconds: 600 }

describe('the limits', () => {
  it('are those that the server declares: a hundred registrations of an address in ten minutes', async () => {
    const limiter = rateLimiter(countersInMemory)
    const waits = await times(101, () => limiter.take('registration', '203.0.113.7', WINDOW))
    expect(waits.slice(0, 100)).toEqual(Array(100).fill(0))
    expect(waits[100]).toSatisfy((seconds: number) => seconds > 590 && seconds <= 600)
    expect(await limiter.take('registration', '203.0.113.8', WINDOW), 'another address').toBe(0)
    expect(await limiter.take('client_failure', '203.0.113.7', WINDOW), 'another limit').toBe(0)
  })

  it('can be set by the application', async () => {
    const limiter = rateLimiter(countersInMemory, { registration: { points: 1, seconds: 60 } })
    const waits = await times(2, () => limiter.take('registration', '203.0.113.7', WINDOW))
    expect(waits).toEqual([0, 60])
    const failures = await times(100, () => limiter.take('client_failure', '203.0.113.7', WINDOW))
    expect(failures).toEqual(Array(100).fill(0))
  })

  it('count a refunded event no more, and know nothing of a limit that was never taken', async () => {
    const limiter = rateLimiter(countersInMemory)
    await limiter.refund?.('user_code', 'ada')
    const take = () => limiter.take('user_code', 'ada', { points: 1, seconds: 60 })
    await take()
    await limiter.refund?.('user_code', 'ada')
    expect([await take(), await take()]).toEqual([0, 60])
  })

  it('of a sign-in have names of their own, so a shared store keeps their counts apart', () => {
    const windows: Record<string, unknown> = {}
    signInLimits((name, window) => {
      windows[name] = window
      return countersInMemory(name, window)
    })
    expect(windows).toEqual({
      network: { points: 120, seconds: 60 },
      account: { points: 10, seconds: 900 },
      service: { points: 1200, seconds: 60 },
    })
  })

  it('let a service be guessed at 1,200 times a minute, over all accounts', async () => {
    const limits = signInLimits(countersInMemory)
    let account = 0
    const waits = await times(1201, () => limits.waitOfAccount(`${account++}@server.example`, 'here'))
    expect(waits.map((wait) => wait > 0)).toEqual([...Array(1200).fill(false), true])
  })

  it('let an account be guessed at ten times, and reset after the right password', async () => {
    const limits = signInLimits(countersInMemory)
    const waits = await times(11, () => limits.waitOfAccount('Ada@server.example ', 'here'))
    expect(waits.map((wait) => wait > 0)).toEqual([...Array(10).fill(false), true])
    expect(await limits.waitOfAccount('ada@server.example', 'here')).toBeGreaterThan(0)
    expect(await limits.waitOfAccount('ada@server.example', 'there'), 'its user, elsewhere').toBe(0)
    await limits.reset('ada@server.example', 'here')
    expect(await limits.waitOfAccount('ada@server.example', 'here')).toBe(0)
  })

  it('let a network try 120 times a minute', async () => {
    const limits = signInLimits(countersInMemory)
    const waits = await times(121, () => limits.waitOfNetwork('here'))
    expect(waits.map((wait) => wait > 0)).toEqual([...Array(120).fill(false), true])
    expect(await limits.waitOfNetwork('there')).toBe(0)
  })

  it('let a service sign in behind one address: a right password is not counted', async () => {
    const limits = signInLimits(countersInMemory)
    for (let pupil = 0; pupil < 600; pupil++) {
      expect(await limits.waitOfNetwork('here')).toBe(0)
      await limits.reset(`${pupil}@server.example`, 'here')
    }
  })

  it('count no attempt at a locked account for the service', async () => {
    const limits = signInLimits(countersInMemory)
    await times(5000, () => limits.waitOfAccount('ada@server.example', 'here'))
    expect(await limits.waitOfAccount('bob@server.example', 'there')).toBe(0)
  })

  it('are none when they are off', async () => {
    const waits = await times(1000, () => rateLimiter(noCounters).take('registration', 'x', WINDOW))
    expect(waits.every((wait) => wait === 0)).toBe(true)
  })
})
