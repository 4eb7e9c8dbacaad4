import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../kernel/records.ts'
import { type CachedDocument, documentCache } from './document-request.ts'

function document(text = '', keptUntil = Number.POSITIVE_INFINITY): CachedDocument {
  return { client: { clientName: text } as Client, freshUntil: 0, keptUntil }
}
const always = () => 0

describe('the documents in memory', () => {
  it('are the thousand that were used last', () => {
    const cache = documentCache(always)
    for (let number = 0; number < 1000; number++) cache.set(`${number}`, document())
    cache.get('0')
    cache.set('1000', document())
    expect(['0', '1', '2', '1000'].map((id) => cache.get(id) !== undefined)).toEqual([
      true,
      false,
      true,
      true,
    ])
  })

  it('have four million characters at most', () => {
    const cache = documentCache(always)
    const million = 'x'.repeat(1024 * 1024 - 100)
    for (const id of ['0', '1', '2', '3']) cache.set(id, document(million))
    expect(cache.get('0')).toBeDefined()
    cache.set('4', document(million))
    expect(['0', '1', '4'].map((id) => cache.get(id) !== undefined)).toEqual([true, false, true])
    for (const id of ['0', '2', '3', '4']) cache.set(id, document())
    cache.set('5', document(million))
    expect(cache.get('0'), 'what was replaced takes no room').toBeDefined()
  })

  it('are there until they must not be kept any longer', () => {
    const clock = { now: 0 }
    const cache = documentCache(() => clock.now)
    cache.set('one', document('', 600))
    clock.now = 599
    expect(cache.get('one')).toBeDefined()
    clock.now = 600
    expect(cache.get('one')).toBeUndefined()
  })

  it('are always the last ones that fit, whatever is set, read and deleted', () => {
    const id = fc.integer({ min: 0, max: 9 }).map(String)
    const step = fc.oneof(
      fc.record({ verb: fc.constant('set' as const), id, size: fc.integer({ min: 0, max: 1_500_000 }) }),
      fc.record({ verb: fc.constantFrom('get' as const, 'delete' as const), id, size: fc.constant(0) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const cache = documentCache(always)
        let expected: { id: string; document: CachedDocument }[] = []
        for (const { verb, id, size } of steps) {
          const before = expected.find((one) => one.id === id)
          expected = expected.filter((one) => one.id !== id)
          if (verb === 'get') {
            expect(cache.get(id)).toBe(before?.document)
            if (before !== undefined) expected.push(before)
          } else if (verb === 'delete') cache.delete(id)
          else {
            const input = document('x'.repeat(size))
            cache.set(id, input)
            expected.push({ id, document: input })
            while (charactersOf(expected) > 4 * 1024 * 1024) expected.shift()
          }
        }
        for (const { id, document: kept } of expected) expect(cache.get(id)).toBe(kept)
      }),
      { numRuns: 30 },
    )
  })
})

function charactersOf(kept: readonly { document: CachedDocument }[]): number {
  return kept.reduce((sum, one) => sum + JSON.stringify(one.document).length, 0)
}
