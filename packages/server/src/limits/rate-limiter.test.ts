import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { countersInMemory, noCounters } from './counters.ts'
import { rateLimiter, signInLimits } from './rate-limiter.ts'

async function times(count: number, take: () => Promise<number>): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, take))
}

// A second must not pass between two calls.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterAll(() => void vi.useRealTimers())

const [HERE, THERE] = ['203.0.113.7', '198.51.100.9']
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

  it('of the wider networks of a caller follow the limit that the application sets, or have their own', async () => {
    const limiter = rateLimiter(countersInMemory, {
      device_request: { points: 2, seconds: 60 },
      device_request_48: { points: 1, seconds: 60 },
    })
    const passed = async (limit: string) =>
      (await times(9, () => limiter.take(limit, 'x', WINDOW))).filter((wait) => wait === 0).length
    const limits = ['device_request', 'device_request_56', 'device_request_48']
    expect(await Promise.all(limits.map(passed))).toEqual([2, 4, 1])
  })

  it('of a sign-in have names of their own, so a shared store keeps their counts apart', () => {
    const windows: Record<string, unknown> = {}
    signInLimits((name, window) => {
      windows[name] = window
      return countersInMemory(name, window)
    })
    expect(windows).toEqual({
      network: { points: 120, seconds: 60 },
      network_56: { points: 240, seconds: 60 },
      network_48: { points: 480, seconds: 60 },
      account: { points: 10, seconds: 900 },
      account_56: { points: 20, seconds: 900 },
      account_48: { points: 40, seconds: 900 },
    })
  })

  it('never count for the whole service: a flood from many networks lets every other network sign in', async () => {
    const limits = signInLimits(countersInMemory)
    for (let n = 0; n < 5000; n++) {
      const address = `10.${n >> 8}.${n & 255}.1`
      await limits.networks.take(address)
      await limits.accounts.take(address, `${n}@server.example`)
    }
    expect(await limits.networks.take(THERE)).toBe(0)
    expect(await limits.accounts.take(THERE, 'ada@server.example')).toBe(0)
  })

  it('UI-11: attempts never count for an account over all networks, so no other network locks its user out', async () => {
    const limits = signInLimits(countersInMemory)
    for (let n = 0; n < 1000; n++)
      await limits.accounts.take(`10.${n >> 8}.${n & 255}.1`, 'ada@server.example')
    expect(await limits.accounts.take(THERE, 'ada@server.example')).toBe(0)
  })

  it('count a /56 and a /48 of IPv6 too: a /48 is allowed 480 attempts a minute, 40 of them for one account', async () => {
    const limits = signInLimits(countersInMemory)
    const address = (n: number) => `2001:db8:1:${n.toString(16)}00::1`
    const passed = async (take: (n: number) => Promise<number>) => {
      let count = 0
      for (let n = 0; n < 600; n++) if ((await take(n % 256)) === 0) count++
      return count
    }
    expect(await passed((n) => limits.networks.take(address(n)))).toBe(480)
    expect(await passed((n) => limits.accounts.take(address(n), 'ada@server.example'))).toBe(40)
    expect(await limits.accounts.take('2001:db8:2::1', 'ada@server.example'), 'another /48').toBe(0)
    expect(await limits.accounts.take(address(1), 'bob@server.example'), 'another account').toBe(0)
  })

  it.each([HERE, '2001:db8:1::1'])(
    'UI-11: an account can be guessed at ten times from one network, until its password is right: %s',
    async (here) => {
      const limits = signInLimits(countersInMemory)
      const waits = await times(11, () => limits.accounts.take(here, 'Ada@server.example '))
      expect(waits.map((wait) => wait > 0)).toEqual([...Array(10).fill(false), true])
      expect(await limits.accounts.take(here, 'ada@server.example')).toBeGreaterThan(0)
      expect(await limits.accounts.take(THERE, 'ada@server.example'), 'its user, elsewhere').toBe(0)
      await limits.accounts.reset(here, 'ada@server.example')
      expect(await limits.accounts.take(here, 'ada@server.example')).toBe(0)
    },
  )

  it.each([HERE, '2001:db8:1::1'])(
    'let a service sign in behind the address %s: a right password is refunded',
    async (here) => {
      const limits = signInLimits(countersInMemory)
      for (let pupil = 0; pupil < 600; pupil++) {
        expect(await limits.networks.take(here)).toBe(0)
        await limits.networks.refund(here)
      }
    },
  )

  it('are none when they are off', async () => {
    const waits = await times(1000, () => rateLimiter(noCounters).take('registration', 'x', WINDOW))
    expect(waits.every((wait) => wait === 0)).toBe(true)
  })
})
