import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  decodeRecord,
  encodeRecord,
  newVersion,
  onceAMinute,
  recordKey,
  subjectKey,
  type Time,
  tryTwice,
  VERSION_LENGTH,
  versionWriter,
} from './store-kit.ts'

const anyText = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) })

describe('the text of a record', () => {
  it('gives any value back, and is text that every database takes', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, anyText), (value) => {
        const text = encodeRecord(value)
        expect(text.isWellFormed()).toBe(true)
        expect(text).not.toContain('\0')
        expect(decodeRecord(text)).toEqual(value)
      }),
    )
  })

  it('keeps its format: older releases read it, too', () => {
    expect(encodeRecord({ clientId: 'a', logo: undefined })).toBe('{"schema":1,"value":{"clientId":"a"}}')
  })

  it('is refused in a format of the future', () => {
    expect(() => decodeRecord('{"schema":2,"value":{}}')).toThrow('newer release')
  })
})

describe('a version', () => {
  it('is another one for each write, always of the same length', () => {
    const versions = Array.from({ length: 10_000 }, newVersion)
    expect(new Set(versions).size).toBe(versions.length)
    for (const version of versions) expect(version).toHaveLength(VERSION_LENGTH)
  })
})

describe('the key', () => {
  it.each(['4hXBYKJ0UcKsG4yCMnSy2g', 'client-1', 'x'.repeat(64)])('of the id %s is the id', (id) => {
    expect(recordKey(id)).toBe(id)
  })

  it.each(['', ' a', 'a\n', 'größ', 'a\0b', '\ud800', 'x'.repeat(65), '='])(
    'of the id %j is a hash',
    (id) => {
      expect(recordKey(id)).toMatch(/^=[\w-]{43}$/)
    },
  )

  it('differs for different ids, even for lone surrogates', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(recordKey(one) === recordKey(other)).toBe(one === other)
      }),
    )
    expect(recordKey('\ud800')).not.toBe(recordKey('\ud801'))
    expect(recordKey(recordKey('\ud800'))).not.toBe(recordKey('\ud800'))
  })

  it('of a subject reveals no user, and differs for every subject', () => {
    expect(subjectKey('alice')).toMatch(/^[\w-]{43}$/)
    expect(subjectKey('\ud800')).not.toBe(subjectKey('\ufffd'))
    expect(subjectKey('')).not.toBe(subjectKey(undefined))
    expect(subjectKey('alice', 'app')).not.toBe(subjectKey('alice'))
    expect(subjectKey('a', 'b,c')).not.toBe(subjectKey('a,b', 'c'))
    expect(subjectKey(undefined, 'app')).toBe('')
  })
})

describe('the sweep', () => {
  it('runs where a timer is a number, as in workerd', async () => {
    const turns: (() => Promise<void>)[] = []
    const [set, clear] = [globalThis.setTimeout, globalThis.clearTimeout]
    onTestFinished(() => void Object.assign(globalThis, { setTimeout: set, clearTimeout: clear }))
    const setTimeout = (turn: () => Promise<void>) => turns.push(turn)
    Object.assign(globalThis, { setTimeout, clearTimeout: () => {} })
    let swept = 0
    const stop = onceAMinute(async () => void swept++)
    await turns[0]?.()
    stop()
    await turns[1]?.()
    expect([swept, turns.length]).toEqual([2, 2])
  })
})

describe('the ports of a store', () => {
  const half = (size: number) => new Uint8Array(size).fill(128)

  it('decide how long a second attempt waits, and when the sweep comes', async () => {
    const waits: number[] = []
    const turns: (() => void)[] = []
    const time: Time = {
      sleep: async (milliseconds) => void waits.push(milliseconds),
      after: (milliseconds, work) => {
        waits.push(milliseconds)
        turns.push(work)
        return () => void turns.pop()
      },
    }
    const limits: number[] = []
    const call = async (milliseconds: number, repeated: boolean) => {
      limits.push(milliseconds)
      if (!repeated) throw new Error('No answer')
      return 'done'
    }
    expect(await tryTwice(1000, call, { time, random: half })).toBe('done')
    const stop = onceAMinute(async () => {}, { time, random: half })
    stop()
    expect(limits).toEqual([1000, 500])
    expect(waits.map(Math.floor)).toEqual([75, 60_117])
    expect(turns).toEqual([])
  })

  it('name the writer of a version', () => {
    const [one, other] = [versionWriter(half), versionWriter(half)]
    expect([one(), one()]).toEqual([`${'gICA'.repeat(4)}000000`, `${'gICA'.repeat(4)}000001`])
    expect(other()).toBe(`${'gICA'.repeat(4)}000000`)
  })
})
