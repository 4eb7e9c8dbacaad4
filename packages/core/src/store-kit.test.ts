import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  decodeRecord,
  encodeRecord,
  keysOf,
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

describe('the keys of a namespace', () => {
  const anyNamespace = anyText.filter(({ length }) => length > 0)

  it.each(['', 'x'.repeat(257)])('do not exist for %j', (namespace) => {
    expect(() => keysOf(namespace)).toThrow(RangeError)
  })

  it('are those of an id and a subject without one', () => {
    expect([keysOf().record('client-1'), keysOf().subject('alice')]).toEqual([
      'client-1',
      subjectKey('alice'),
    ])
  })

  it('stay as they are: stores have them', () => {
    const { record, subject } = keysOf('tenant')
    expect(record('client-1')).toBe('~2gSO2k54F3EXZJZZ=gES5EZF6DDg59vnpUodwkeuWogc-9iNvoK5_Go9wN5A')
    expect(subject('alice')).toBe('SBiFM1I185wT37rKIFFJrZgCRajoumaXWg0hcW_mmy8')
    expect(subject('alice', 'app')).toBe('so1DIt1pOCLVbfi70CviS6QBAfcqZUZHCq1g1Cqgk38')
  })

  it('have at most 64 characters of ASCII, and are a range in the order of bytes that has no other key', () => {
    fc.assert(
      fc.property(anyNamespace, anyText, anyText, (namespace, id, other) => {
        const [none, own, others] = [keysOf(), keysOf(namespace), keysOf(`${namespace}.`)]
        const isIn = ({ after, before }: typeof own, key: string) => after < key && key < before
        expect(own.record(id)).toMatch(/^~[\w-]{16}=[\w-]{43}$/)
        expect(own.record(id) === own.record(other)).toBe(id === other)
        for (const keys of [none, own, others])
          expect([none, own, others].filter((range) => isIn(range, keys.record(id)))).toEqual([keys])
        // An id that reads like a key of a namespace is none of its records.
        expect(isIn(own, none.record(own.record(id)))).toBe(false)
      }),
    )
  })

  it('of a subject differ from those of every other namespace and owner', () => {
    const of = [keysOf(), ...['a', 'b', 'alice', '\ud800', '\udfff'].map(keysOf)]
    const owners = [['alice'], ['alice', 'app'], ['a', 'alice'], ['app', 'alice'], ['alice', '']] as const
    const keys = of.flatMap(({ subject }) => owners.map(([user, client]) => subject(user, client)))
    expect(new Set(keys).size).toBe(keys.length)
    expect(keysOf('a').subject(undefined, 'app')).toBe('')
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
