import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { checkedDetail, covers, type DetailTypes, readDetails, sentenceOf } from './detail.ts'

/** Schemas that check little: what they let pass is what these functions have to refuse. */
const TYPES: DetailTypes = {
  budget: {
    schema: z.object({ amount: z.unknown().optional() }),
    describe: () => 'Spend',
    uses: { budget: 'amount', per: 'grant' },
  },
  note: {
    schema: z.object({ text: z.string().default('x'.repeat(4096)) }),
    describe: ({ text }) => String(text),
    within: () => true,
  },
  key: { schema: z.object({ name: z.string() }), describe: () => 'Use a key' },
}

const noteOf = (text: string) => ({ type: 'note', text })

describe('a budget', () => {
  it.each([
    ['zero', 0],
    ['a negative number', -1],
    ['a fraction', 0.5],
    ['a text', '5'],
    ['an unsafe integer', 2 ** 53],
    ['NaN', Number.NaN],
    ['true', true],
    ['a list of a number', [5]],
    ['missing', undefined],
  ])('cannot be %s, though its schema lets it pass', (_, amount) => {
    expect(() => checkedDetail(TYPES, { type: 'budget', amount })).toThrow(
      expect.objectContaining({ reason: 'detail_invalid' }),
    )
  })

  it.each([1, Number.MAX_SAFE_INTEGER])('can be %j', (amount) => {
    const detail = { type: 'budget', amount }
    expect(checkedDetail(TYPES, detail)).toEqual(detail)
  })
})

it('details that their schema fills up beyond 4096 bytes are refused', () => {
  expect(() => readDetails(TYPES, '[{"type":"note"}]')).toThrow(
    expect.objectContaining({ reason: 'details_unreadable' }),
  )
  expect(readDetails(TYPES, '[{"type":"note","text":""}]')).toEqual([noteOf('')])
})

it('a detail covers none of another type, whatever within says, and only the same without within', () => {
  const key = { type: 'key', name: 'a' }
  expect(covers(TYPES, noteOf('a'), noteOf('b'))).toBe(true)
  expect(covers(TYPES, noteOf('a'), key)).toBe(false)
  expect(covers(TYPES, key, { ...key })).toBe(true)
  expect(covers(TYPES, key, { ...key, name: 'b' })).toBe(false)
})

describe('the sentence about a detail', () => {
  it('has at most 300 characters: of more it has 299 and an ellipsis', () => {
    expect(sentenceOf(TYPES, noteOf('🔑'.repeat(300)), 'en')).toBe('🔑'.repeat(300))
    expect(sentenceOf(TYPES, noteOf('🔑'.repeat(301)), 'en')).toBe(`${'🔑'.repeat(299)}…`)
  })

  it.each([
    ['nothing', noteOf('')],
    ['only what is invisible', noteOf(' \u202e\n')],
    ['a type that this server does not know', { type: 'wire' }],
  ])('is an error for %s', (_, detail) => {
    expect(() => sentenceOf(TYPES, detail, 'en')).toThrow(
      `authorizationDetails: describe of ${detail.type} returns no text`,
    )
  })
})
