import { createHash } from 'node:crypto'
import { aClient, aGrant, aTransient } from '@grantkit/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compactRecord, expandRecord } from './compact-record.ts'
import { SHORT_NAMES } from './short-names.ts'

const NAMES = [
  ...Object.entries(SHORT_NAMES).flat(),
  '!',
  '!s',
  '!!',
  '=',
  '!=',
  '==',
  '0',
  '7',
  '__proto__',
  '',
]
const TEXT = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...NAMES, '\ud800', '\u0000'))

/** Any JSON, often with names and lists that look like those of the format. */
const { value: ANY_JSON } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    TEXT,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom(['a', 'b'], ['a'], ['!='], []),
    fc.array(tie('value')),
    fc.dictionary(TEXT, tie('value')),
  ),
}))

describe('the compact text of a record', () => {
  it('loses nothing of any JSON, whatever its names', () => {
    fc.assert(
      fc.property(ANY_JSON, (value) => {
        const members = { value, again: value }
        expect(expandRecord(compactRecord(members))).toStrictEqual(JSON.parse(JSON.stringify(members)))
      }),
      { numRuns: 2000 },
    )
  })

  it.each([aClient(), aGrant(), aTransient()])('keeps members that only a newer release knows', (record) => {
    const newer = { ...record, badge: 'gold', s: 1, parts: [{ scopes: ['x'], o: ['x'], '=': 0 }] }
    expect(expandRecord(compactRecord(newer))).toStrictEqual(newer)
  })

  it('has every list of texts once', () => {
    const scopes = ['notes:read', 'notes:write']
    const resources = ['https://api.example.com']
    expect(compactRecord({ scopes, resources, refresh: { scopes, resources } })).toBe(
      '{"o":["notes:read","notes:write"],"r":["https://api.example.com"],"f":{"o":{"=":0},"r":{"=":1}}}',
    )
  })

  it('gives each list of a record an array of its own', () => {
    const { scopes, again } = expandRecord<Record<string, string[]>>(
      compactRecord({ scopes: ['a'], again: ['a'] }),
    )
    again?.push('b')
    expect(scopes).toEqual(['a'])
  })

  it('has the same names in every release, or an older one would read other members', () => {
    const table = JSON.stringify(Object.entries(SHORT_NAMES).sort())
    expect(createHash('sha256').update(table).digest('base64url')).toBe(
      'Ccq96KmFxN7zkKQNGfErMGyPgcksTFPCb1r8G9EcjU8',
    )
  })

  it('is rejected in a format of a newer release', () => {
    expect(() => expandRecord('{"schema":2,"value":{}}')).toThrow('newer release')
  })

  it('is read in the format of the other stores, too', () => {
    expect(expandRecord('{"schema":1,"value":{"s":"alice"}}')).toEqual({ subject: 'alice' })
  })

  it('is not mistaken for a format when its first member is named schema', () => {
    const record = { schema: 7, value: 'x' }
    expect(expandRecord(compactRecord(record))).toEqual(record)
  })

  it('has a short name for nothing twice', () => {
    const short = Object.values(SHORT_NAMES)
    expect(new Set(short).size).toBe(short.length)
    expect(short.filter((name) => !/^[A-Za-z]{1,2}$/.test(name))).toEqual([])
  })
})
