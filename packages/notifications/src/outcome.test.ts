import { expect, it } from 'vitest'
import { faultOf, outcomeOf, waitAfter } from './delivery.ts'

const NOW = 1_800_000_000
const dated = (time: number) => new Date(1000 * time).toUTCString()

it.each<[number, string]>([
  [199, 'refused'],
  [200, 'delivered'],
  [299, 'delivered'],
  [300, 'refused'],
  [408, 'again'],
  [429, 'again'],
  [499, 'refused'],
  [500, 'again'],
])('the answer %d means %s', (status, kind) => {
  expect(outcomeOf({ status, headers: {} }, NOW)).toMatchObject({ kind })
})

it.each([
  [undefined, undefined],
  ['7', 7],
  ['999999999', 999_999_999],
  ['1234567890', undefined],
  ['7s', undefined],
  ['soon', undefined],
  [dated(NOW + 7), 7],
  [dated(NOW - 7), 0],
])('Retry-After: %s means %s seconds', (header, retryAfter) => {
  const answer = outcomeOf({ status: 503, headers: { 'retry-after': header as string } }, NOW)
  expect(answer).toEqual({ kind: 'again', status: 503, retryAfter })
})

it.each([
  [1, 0, {}, 5],
  [1, 255, {}, 6],
  [7, 255, {}, 71_280],
  [8, 0, {}, Number.POSITIVE_INFINITY],
  [1, 0, { retryAfter: 60 }, 60],
  [1, 0, { retryAfter: 3601 }, 3600],
  [6, 0, { retryAfter: 3600 }, 18_000],
])('after %d attempts with the random byte %d and %o comes a wait of %s', (attempts, byte, asked, wait) => {
  expect(waitAfter(attempts, () => Uint8Array.of(byte) as never, asked)).toBe(wait)
})

it.each([
  [Object.assign(new Error(), { code: 'connect' }), 'connect'],
  [Object.assign(new Error(), { code: 7 }), 'unknown'],
  [undefined, 'unknown'],
])('what was thrown names its code: %o', (thrown, fault) => {
  expect(faultOf(thrown)).toEqual({ kind: 'again', fault })
})
