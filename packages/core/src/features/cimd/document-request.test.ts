import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { freshFor, type ResponseHeaders } from './document-request.ts'

const NOW = 1_800_000_000
const HOUR = 3600
const at = (time: number) => new Date(time * 1000).toUTCString()

describe('a document is fresh', () => {
  it.each<[string, ResponseHeaders, number | undefined]>([
    ['an hour, if nothing is said', {}, HOUR],
    ['for max-age', { 'cache-control': 'public, max-age=7200' }, 7200],
    ['for s-maxage rather', { 'cache-control': 'max-age=7200, s-maxage=600' }, 600],
    ['less its age', { 'cache-control': 'max-age=7200', age: '3000' }, 4200],
    ['until it expires', { expires: at(NOW + 7200), date: at(NOW) }, 7200],
    ['until it expires, by our clock', { expires: at(NOW + 7200) }, 7200],
    ['for max-age, whatever expires', { 'cache-control': 'max-age=600', expires: at(NOW + 7200) }, 600],
    ['a day at most', { 'cache-control': 'max-age=99999999' }, 24 * HOUR],
    ['five minutes at least', { 'cache-control': 'max-age=0' }, 300],
    ['five minutes, if it is old already', { 'cache-control': 'max-age=600', age: '9999' }, 300],
    ['five minutes, if that is badly written', { 'cache-control': 'max-age=1e9' }, 300],
    ['five minutes, if it is said twice', { 'cache-control': 'max-age=600, max-age=7200' }, 300],
    ['five minutes, if it expires at no time', { expires: '0' }, 300],
    ['five minutes, if it must be revalidated', { 'cache-control': 'no-cache, max-age=0' }, 300],
    ['never, for no-store', { 'cache-control': 'No-Store, max-age=600' }, undefined],
    ['never, for private', { 'cache-control': 'private' }, undefined],
    ['never, if it varies by everything', { vary: '*' }, undefined],
  ])('%s', (_, headers, expected) => {
    expect(freshFor(headers, NOW)).toBe(expected)
  })

  it('between five minutes and a day, whatever the headers say', () => {
    const header = fc.option(fc.string(), { nil: undefined })
    const headers = fc.record({ 'cache-control': header, age: header, expires: header, date: header })
    fc.assert(
      fc.property(headers, (input) => {
        const seconds = freshFor(input, NOW) ?? 300
        expect(seconds >= 300 && seconds <= 24 * HOUR).toBe(true)
      }),
    )
  })
})
