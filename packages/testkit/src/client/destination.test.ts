import { expect, it } from 'vitest'
import { destinationOf } from './destination.ts'

it('is the address of a redirect', () => {
  expect(destinationOf({ headers: { location: '/login' } })).toBe('/login')
})

it.each(['0;url=editor://callback?code=1;2', '0; URL=editor://callback?code=1;2'])(
  'is the address that a page with Refresh: %s goes on to',
  (refresh) => {
    expect(destinationOf({ headers: { refresh } })).toBe('editor://callback?code=1;2')
  },
)

it('is not where a page loads itself again', () => {
  expect(destinationOf({ headers: { refresh: '5' } })).toBeUndefined()
})
