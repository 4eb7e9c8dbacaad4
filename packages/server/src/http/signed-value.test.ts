import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { hmacKeys, verifyValue } from './signed-value.ts'

const KEY = hmacKeys('a secret of the tests, long enough', 'test')

/** Signed with the right key, with any content. */
function signed(content: object): string {
  const text = Buffer.from(JSON.stringify(content)).toString('base64url')
  return `${text}.${createHmac('sha256', KEY[0]).update(text).digest('base64url')}`
}

it.each([
  ['a minute from now', -59, 60, true],
  ['now', -60, 60, false],
  ['in a year, after a life of a minute', -60, 31_536_000, false],
  ['before its life is over', -30, 20, false],
  ['a minute after a beginning that is ahead of this clock', 30, 60, true],
  ['a minute after a beginning in an hour', 3600, 60, false],
])('content with a life of a minute that ends %s', (_, began, life, isOpen) => {
  const now = Math.floor(Date.now() / 1000)
  const iat = now + began
  const verified = verifyValue(
    KEY,
    signed({ iat, exp: iat + life, who: 'alice' }),
    z.object({ who: z.string() }),
    60,
  )
  expect(verified).toEqual(isOpen ? { who: 'alice' } : undefined)
})
