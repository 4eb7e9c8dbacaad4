import { expect, it } from 'vitest'
import { destinationOf } from './destination.ts'

const page = (headers: Record<string, string>, body = '') => ({ status: 200, headers, body })

it('is the address of a redirect', () => {
  expect(destinationOf(page({ location: '/login' }))).toBe('/login')
})

it.each(['0;url=editor://callback?code=1;2', '0; URL=editor://callback?code=1;2'])(
  'is the address that a page with Refresh: %s goes on to',
  (refresh) => {
    expect(destinationOf(page({ refresh }))).toBe('editor://callback?code=1;2')
  },
)

it('is not where a page loads itself again', () => {
  expect(destinationOf(page({ refresh: '5' }))).toBeUndefined()
})

it('is the redirect URI with what a form posts there', () => {
  const form = `<form method="post" action="https://app.example/cb">
    <input type="hidden" name="code" value="1"><input type="hidden" name="state" value="&quot;&amp;">
    <input type="hidden" name="iss" value="https://auth.example"><button>Continue</button></form>`
  const expected = 'https://app.example/cb?code=1&state=%22%26&iss=https%3A%2F%2Fauth.example'
  expect(destinationOf(page({}, form))).toBe(expected)
  const signed = '<form action="https://app.example/cb"><input name="response" value="e30.e30.x"></form>'
  expect(destinationOf(page({}, signed))).toBe('https://app.example/cb?response=e30.e30.x')
  expect(destinationOf(page({}, form.replace('/cb', '/cb?to=1')))).toBe(expected.replace('?', '?to=1&'))
})
