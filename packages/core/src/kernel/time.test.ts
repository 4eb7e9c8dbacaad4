import { expect, it, vi } from 'vitest'
import { standstills, systemStandstill } from './time.ts'

/** A process with a wall clock and a monotonic one, which turns its timers. */
function process() {
  const clocks = { wall: 1_800_000_000_000, monotonic: 0 }
  const timers: { readonly at: number; readonly work: () => void }[] = []
  const after = (milliseconds: number, work: () => void) => {
    timers.push({ at: clocks.monotonic + milliseconds, work })
  }
  const standstill = standstills({ wall: () => clocks.wall, monotonic: () => clocks.monotonic }, after)
  const pass = (seconds: number, ticking = seconds) => {
    clocks.wall += seconds * 1000
    clocks.monotonic += ticking * 1000
  }
  const fireDue = () => {
    const due = timers.filter(({ at }) => at <= clocks.monotonic)
    for (const timer of due) {
      timers.splice(timers.indexOf(timer), 1)
      timer.work()
    }
  }
  const run = (seconds: number) => {
    for (let half = 0; half < 2 * seconds; half++) {
      pass(0.5)
      fireDue()
    }
  }
  return { standstill, run, fireDue, freeze: pass, suspend: (seconds: number) => pass(seconds, 0) }
}

it('a process that runs has not stood still, however long no request comes', () => {
  const { standstill, run } = process()
  run(3600)
  expect(standstill()).toBe(0)
})

it.each<[string, 'freeze' | 'suspend']>([
  ['was frozen', 'freeze'],
  ['was suspended with its machine, and its monotonic clock too', 'suspend'],
])('a process that %s knows for how long while it reads what waited', (_, stop) => {
  const stood = process()
  stood.run(10)
  stood[stop](75)
  // A request may be read before the timers.
  expect(stood.standstill()).toBe(75)
  stood.fireDue()
  stood.run(4)
  expect(stood.standstill()).toBe(75)
  stood.run(2)
  expect(stood.standstill()).toBe(0)
})

it('what waited through two standstills in a row waited through both', () => {
  const { standstill, run, freeze, fireDue } = process()
  freeze(30)
  fireDue()
  run(1)
  freeze(40)
  expect(standstill()).toBe(70)
})

it('a second of work that blocks the process is no standstill', () => {
  const { standstill, run, freeze } = process()
  run(10)
  freeze(4)
  expect(standstill()).toBe(0)
})

it('who turns the clocks of a process neither stops the watch nor makes it see a standstill', () => {
  vi.useFakeTimers()
  try {
    systemStandstill()
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(600_000)
    expect(systemStandstill()).toBeLessThan(600)
  } finally {
    vi.useRealTimers()
  }
})
