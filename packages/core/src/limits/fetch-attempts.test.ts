import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FetchAttempt, fetchAttempts, siteOf } from './fetch-attempts.ts'

/** A fetch at an address whose site is its host without the first label. */
function attemptAt(id: string, more: Partial<FetchAttempt> = {}): FetchAttempt {
  return { id, site: new URL(id).hostname.replace(/^[^.]+\./, ''), known: false, ...more }
}

function open() {
  const clock = { now: 1_800_000_000 }
  const attempts = fetchAttempts(() => clock.now)
  const fetched = (id: string, { well = true, ...more }: Partial<FetchAttempt> & { well?: boolean } = {}) => {
    const wait = attempts.start(attemptAt(id, more))
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
    const start = (id: string) => attempts.start(attemptAt(id))
    expect(numbered(3).map((n) => start(`https://a.app.dev/${n}`))).toEqual([0, 0, 1])
    expect(numbered(7).map((n) => start(`https://a.app${n}.dev/c`))).toEqual([0, 0, 0, 0, 0, 0, 1])
    attempts.ended('https://a.app.dev/0', 'document')
    expect(start('https://a.other.dev/c')).toBe(0)
  })

  it('give back the slot of the one that ended, and of no other', () => {
    const { attempts } = open()
    const start = (id: string) => attempts.start(attemptAt(id))
    for (const id of ['https://a.app.dev/1', 'https://a.app.dev/2', 'https://a.other.dev/c']) start(id)
    attempts.ended('https://a.other.dev/c', 'document')
    expect(start('https://a.app.dev/3')).toBe(1)
    attempts.ended('https://a.app.dev/1', 'document')
    expect([start('https://a.app.dev/3'), start('https://a.app.dev/4')]).toEqual([0, 1])
  })

  it('of new clients that hang take no slot of an approved one', () => {
    const { attempts } = open()
    const start = (id: string, known: boolean) => attempts.start(attemptAt(id, { known }))
    for (const n of numbered(8)) start(`https://a.slow${n}.dev/c`, false)
    expect([start('https://a.app.dev/c', false), start('https://a.slow0.dev/d', true)]).toEqual([1, 0])
  })

  it('are six a minute at one site, however many names it has', () => {
    const { clock, fetched } = open()
    for (const minute of ['first', 'second']) {
      const waits = numbered(7).map((n) => fetched(`https://a${n}.evil.dev/c`))
      expect(waits, minute).toEqual([0, 0, 0, 0, 0, 0, 60])
      clock.now += 60
    }
  })

  it('keep these limits after a failure, too', () => {
    const { clock, fetched } = open()
    const failed = 'https://b.app.dev/failed'
    expect(fetched(failed, { well: false })).toBe(0)
    clock.now += 5
    for (const n of numbered(5)) fetched(`https://a${n}.app.dev/c`)
    expect(fetched('https://b.app.dev/c')).toBe(55)
    expect(fetched(failed)).toBe(55)
  })

  it('are thirty a minute of new clients and thirty of approved ones, whoever comes first', () => {
    for (const known of [true, false]) {
      const { fetched } = open()
      const begun = (kind: boolean) =>
        numbered(100).filter((n) => fetched(`https://a.${kind}${n}.dev/c`, { known: kind }) === 0)
      expect([begun(known), begun(!known)].map(({ length }) => length)).toEqual([30, 30])
    }
  })

  it('of an approved client take no slot of a new one at the same site', () => {
    const { fetched } = open()
    for (const n of numbered(6)) fetched('https://a.app.dev/c', { known: true, user: `user${n}` })
    expect(fetched('https://a.app.dev/new', { user: 'bob' })).toBe(0)
  })

  it.each<[string, number, (n: number) => string]>([
    ['three a minute at one site', 3, (n) => `https://a${n}.evil.dev/c`],
    ['fifteen a minute', 15, (n) => `https://a.evil${n}.dev/c`],
  ])('for one user are %s, and the rest is for others', (_, most, address) => {
    const { fetched } = open()
    const waits = numbered(most + 1).map((n) => fetched(address(n), { user: 'eve' }))
    expect(waits).toEqual([...Array(most).fill(0), 60])
    expect(fetched(address(99), { user: 'alice' })).toBe(0)
  })

  it('for one user are four at a time, and the rest is for others', () => {
    const { attempts } = open()
    const start = (n: number, user: string) => attempts.start(attemptAt(`https://a.app${n}.dev/c`, { user }))
    expect(numbered(5).map((n) => start(n, 'eve'))).toEqual([0, 0, 0, 0, 1])
    expect(start(5, 'alice')).toBe(0)
  })

  it('keep all limits, whatever is started and ended', () => {
    const step = fc.record({
      host: fc.integer({ min: 0, max: 3 }),
      site: fc.integer({ min: 0, max: 11 }),
      user: fc.constantFrom('alice', 'bob', undefined),
      known: fc.boolean(),
      ends: fc.boolean(),
      pause: fc.constantFrom(0, 0, 0, 1, 20),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const { clock, attempts } = open()
        let running: FetchAttempt[] = []
        let started: (FetchAttempt & { time: number })[] = []
        for (const [number, { host, site, user, known, ends, pause }] of steps.entries()) {
          const at = `https://h${host}.site${site}.dev/`
          const attempt = attemptAt(`${at}${number}`, { user, known })
          clock.now += pause
          started = started.filter(({ time }) => time > clock.now - 60)
          if (attempts.start(attempt) > 0) continue
          running.push(attempt)
          started.push({ ...attempt, time: clock.now })
          const alike = started.filter((one) => one.known === known)
          const own = alike.filter((one) => user !== undefined && one.user === user)
          const there = (all: FetchAttempt[]) => all.filter((one) => one.site === attempt.site).length
          const same = running.filter((one) => one.known === known)
          expect(same.length).toBeLessThanOrEqual(8)
          expect(same.filter(({ id }) => id.startsWith(at)).length).toBeLessThanOrEqual(2)
          expect([alike.length <= 30, own.length <= 15]).toEqual([true, true])
          expect([there(alike) <= 6, there(own) <= 3]).toEqual([true, true])
          if (!ends) continue
          for (const { id } of running) attempts.ended(id, 'document')
          running = []
        }
      }),
    )
  })

  it('remember that a document is gone until there is one again, and that the last attempt was withheld', () => {
    const { attempts } = open()
    expect([attempts.isGone(ID), attempts.isWithheld(ID)]).toEqual([false, false])
    for (const [result, gone, withheld] of [
      ['unreachable', false, false],
      ['withheld', false, true],
      ['gone', true, false],
      ['withheld', true, true],
      ['unreachable', true, false],
      ['document', false, false],
    ] as const) {
      attempts.ended(ID, result)
      expect([attempts.isGone(ID), attempts.isWithheld(ID)], result).toEqual([gone, withheld])
    }
  })

  it('forget the oldest of more than a thousand failures', () => {
    const { clock, fetched } = open()
    fetched(ID, { well: false })
    for (const n of numbered(1000)) {
      clock.now += 3
      fetched(`https://a.app${n}.dev/c`, { well: false })
    }
    fetched(ID, { well: false })
    expect(fetched(ID), 'the wait after a first failure').toBe(5)
  })
})

it.each([
  ['editor.dev', 'editor.dev'],
  ['a.b.editor.dev', 'editor.dev'],
  ['a.shop.co.uk', 'shop.co.uk'],
  ['someone.github.io', 'someone.github.io'],
  ['a.someone.github.io', 'someone.github.io'],
  ['github.io', 'github.io'],
  ['bucket.s3.eu-west-1.amazonaws.com', 'bucket.s3.eu-west-1.amazonaws.com'],
  ['account.blob.core.windows.net', 'account.blob.core.windows.net'],
  ['cdn.jsdelivr.net', 'jsdelivr.net'],
  ['xn--80ak6aa92e.xn--p1ai', 'xn--80ak6aa92e.xn--p1ai'],
])('the site of %s is %s', async (host, site) => {
  expect(await siteOf(`https://${host}/client.json`)).toBe(site)
})
