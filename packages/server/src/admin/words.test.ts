import { ERRORS } from '@grantkit/core/errors'
import { expect, it } from 'vitest'
import { eventWords, factWords, reasonWords } from './words.ts'

it('has different words for each reason of a refusal', () => {
  const reasons = new Map<string, string>()
  for (const reason of Object.keys(ERRORS)) {
    expect(reasons.get(reasonWords(reason)), reason).toBeUndefined()
    reasons.set(reasonWords(reason), reason)
  }
})

it('has words for what it does not know', () => {
  expect([eventWords('order_placed'), reasonWords('no_order'), factWords('orderId')]).toEqual([
    'order placed',
    'no order',
    'order id',
  ])
  expect(eventWords('toString')).toBe('tostring')
})
