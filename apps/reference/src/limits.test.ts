import { describe, expect, it } from 'vitest'
import { countersInMemory, noCounters } from './counters.ts'
import { rateLimiter, signInLimits } from './limits.ts'

async function times(count: number, take: () => Promise<number>): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, take))
}

describe('the limits', () => {
  it('let an address register a hundred clients in ten minutes', async () => {
    const limiter = rateLimiter(countersInMemory)
    const waits = await times(101, () => limiter.take('registration', '203.0.113.7'))
    expect(waits.slice(0, 100)).toEqual(Array(100).fill(0))
    expect(waits[100]).toSatisfy((seconds: number) => seconds > 590 && seconds <= 600)
    expect(await limiter.take('registration', '203.0.113.8'), 'another address').toBe(0)
    expect(await limiter.take('client_failure', '203.0.113.7'), 'another limit').toBe(0)
  })

  it('let an account be guessed at ten times, and forgive it after the right password', async () => {
    const limits = signInLimits(countersInMemory)
    const waits = await times(11, () => limits.secondsToWait('Ada@school.example '))
    expect(waits.map((wait) => wait > 0)).toEqual([...Array(10).fill(false), true])
    expect(await limits.secondsToWait('ada@school.example')).toBeGreaterThan(0)
    await limits.resetAccount('ada@school.example')
    expect(await limits.secondsToWait('ada@school.example')).toBe(0)
  })

  it('are none when they are off', async () => {
    const waits = await times(1000, () => rateLimiter(noCounters).take('registration', 'x'))
    expect(waits.every((wait) => wait === 0)).toBe(true)
  })
})
