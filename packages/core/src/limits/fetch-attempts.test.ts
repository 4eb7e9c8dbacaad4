import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fetchAttempts } from './fetch-attempts.ts'

function open() {
  const clock = { now: 1_800_000_000 }
  const attempts = fetchAttempts(() => clock.now)
  const fetched = (id: string, { known = false, well = true } = {}) => {
    const wait = attempts.start(id, known)
    if (wait === 0) attempts.ended(id, well ? 'document' : 'unreachable')
    return wait
  }
  return { clock, attempts, fetched }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => index)
const ID = 'https://app.dev/client.json'

describe('the attempts to fetch documents', () => {
  it('wait longer after each failure, and no more after a success', () => {
    const { clock, fetched } = open()
    for (const wait of [5, 30, 120, 300, 300]) {
      expect(fetched(ID, { well: false })).toBe(0)
      expect(fetched(ID)).toBe(wait)
      clock.now += wait
    }
    expect(fetched(ID)).toBe(0)
    expect(fetched(ID)).toBe(0)
  })

  it('are eight at a time, and two at one host', () => {
    const { attempts } = open()
    expect(numbered(3).map((n) => attempts.start(`https://app.dev/${n}`, false))).toEqual([0, 0, 1])
    expect(numbered(7).map((n) => attempts.start(`https://app${n}.dev/c`, false))).toEqual([
      0, 0, 0, 0, 0, 0, 1,
    ])
    attempts.ended('https://app.dev/0', 'document')
    expect(attempts.start('https://other.dev/c', false)).toBe(0)
  })

  it('are six a minute at one site, however many names it has', () => {
    const { clock, fetched } = open()
    const waits = numbered(7).map((n) => fetched(`https://${n}.a${n}.evil.dev/c`))
    expect(waits).toEqual([0, 0, 0, 0, 0, 0, 60])
    clock.now += 60
    expect(fetched('https://8.evil.dev/c')).toBe(0)
  })

  it('of strangers leave half of the minute to clients that were approved before', () => {
    const { fetched } = open()
    const strangers = numbered(100).map((n) => fetched(`https://evil${n}.dev/c`))
    expect(strangers.filter((wait) => wait === 0)).toHaveLength(30)
    const known = numbered(31).map((n) => fetched(`https://known${n}.dev/c`, { known: true }))
    expect(known.filter((wait) => wait === 0)).toHaveLength(30)
  })

  it('are never more than sixty a minute', () => {
    const { fetched } = open()
    const known = numbered(100).map((n) => fetched(`https://known${n}.dev/c`, { known: true }))
    expect(known.filter((wait) => wait === 0)).toHaveLength(60)
  })

  it('keep all limits, whatever is started and ended', () => {
    const attempt = fc.record({
      host: fc.integer({ min: 0, max: 3 }),
      site: fc.integer({ min: 0, max: 11 }),
      known: fc.boolean(),
      ends: fc.boolean(),
      pause: fc.constantFrom(0, 0, 0, 1, 20),
    })
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 150 }), (steps) => {
        const { clock, attempts } = open()
        let running: string[] = []
        let started: { time: number; site: number; known: boolean }[] = []
        for (const [number, { host, site, known, ends, pause }] of steps.entries()) {
          const at = `https://h${host}.site${site}.dev/`
          const id = `${at}${number}`
          clock.now += pause
          started = started.filter(({ time }) => time > clock.now - 60)
          if (attempts.start(id, known) > 0) continue
          running.push(id)
          started.push({ time: clock.now, site, known })
          expect(running.length).toBeLessThanOrEqual(8)
          expect(running.filter((other) => other.startsWith(at)).length).toBeLessThanOrEqual(2)
          expect(started.length).toBeLessThanOrEqual(60)
          expect(started.filter((one) => !one.known).length).toBeLessThanOrEqual(30)
          expect(started.filter((one) => one.site === site).length).toBeLessThanOrEqual(6)
          if (!ends) continue
          for (const one of running) attempts.ended(one, 'document')
          running = []
        }
      }),
    )
  })

  it('remember that a document is gone until there is one again', () => {
    const { attempts } = open()
    for (const [result, gone] of [
      ['unreachable', false],
      ['gone', true],
      ['unreachable', true],
      ['document', false],
    ] as const) {
      attempts.ended(ID, result)
      expect(attempts.isGone(ID), result).toBe(gone)
    }
  })

  it('forget the oldest of more than a thousand failures', () => {
    const { clock, fetched } = open()
    fetched(ID, { well: false })
    for (const n of numbered(1000)) {
      clock.now += 3
      fetched(`https://app${n}.dev/c`, { well: false })
    }
    fetched(ID, { well: false })
    expect(fetched(ID), 'the wait after a first failure').toBe(5)
  })
})
