import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { fakeClock, realClock } from './clock.ts'

const OVER = AbortSignal.abort(new Error('the test timed out'))

describe('the clock of a store under test', () => {
  it('is not turned by a test that timed out and goes on', async () => {
    const clock = fakeClock()
    const before = clock.now()
    await expect(clock.reach(before + 8, OVER)).rejects.toThrow('the test timed out')
    expect(clock.now()).toBe(before)
  })

  it('does not keep a test waiting that timed out', async () => {
    await expect(realClock.reach(realClock.now() + 3600, OVER)).rejects.toThrow()
  })

  it('never goes back', async () => {
    const clock = fakeClock()
    const { signal } = new AbortController()
    await clock.reach(clock.now() + 8, signal)
    const later = clock.now()
    await clock.reach(later - 4, signal)
    expect(clock.now()).toBe(later)
  })
})

describe('a test that ran out of time', () => {
  const clock = fakeClock()
  const start = clock.now()
  let late: Promise<unknown>

  it.fails('is over, but goes on', { timeout: 50 }, async ({ signal }) => {
    late = sleep(200).then(() => clock.reach(start + 8, signal))
    await late
  })

  it('leaves the clock to the next one as it was', async () => {
    await expect(late).rejects.toThrow()
    expect(clock.now()).toBe(start)
  })
})
