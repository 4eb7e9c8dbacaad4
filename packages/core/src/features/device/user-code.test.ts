import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { strongRandom } from '../../kernel/secrets.ts'
import { newUserCode, requestIdOf, shownUserCode, typedUserCode } from './device-authorization.ts'

const WELL_FORMED = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/

describe('a new user code', () => {
  it('is eight consonants, each as likely as the others', () => {
    const codes = Array.from({ length: 2000 }, () => newUserCode(strongRandom))
    const counts = new Map<string, number>()
    for (const code of codes) {
      expect(code).toMatch(WELL_FORMED)
      for (const letter of code) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
    expect(counts.size).toBe(20)
    // 800 of each are expected; seven standard deviations are 193.
    for (const count of counts.values()) expect(Math.abs(count - 800)).toBeLessThan(193)
  })

  it('draws again for bytes that would favour some letters', () => {
    const draws = [Uint8Array.of(255, 240, 0, 0, 0, 0, 0, 0), Uint8Array.of(1, 19, 20, 239, 0, 0, 0, 0)]
    expect(newUserCode(() => draws.shift() ?? new Uint8Array(8))).toBe('BBBBBBCZ')
  })
})

describe('a typed code', () => {
  it.each(['WDJB-MJHT', 'wdjbmjht', ' wdjb mjht ', 'W.D.J.B.M.J.H.T', 'wdjb\u2013mjht', 'WDJB\u00a0MJHT\n'])(
    'is read with any case and separators: %j',
    (typed) => expect(typedUserCode(typed)).toBe('WDJBMJHT'),
  )

  it.each(['', 'WDJB-MJH', 'WDJB-MJHTT', 'WDJB-MJHA', 'WDJB-MJH0', 'WDJB-MJHE', `${'-'.repeat(32)}WDJBMJHT`])(
    'that no code can be is none: %j',
    (typed) => expect(typedUserCode(typed)).toBeUndefined(),
  )

  it('is the code that was shown', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat(255)), (bytes) => {
        const code = newUserCode((size) => Uint8Array.from({ length: size }, () => bytes.next().value ?? 0))
        expect(typedUserCode(shownUserCode(code))).toBe(code)
      }),
    )
  })
})

it('the id of a request depends on the secret of the server', () => {
  expect(requestIdOf('one secret', 'WDJBMJHT')).toMatch(/^[\w-]{22}$/)
  expect(requestIdOf('one secret', 'WDJBMJHT')).not.toBe(requestIdOf('another', 'WDJBMJHT'))
})
