import { describe, expect, test } from 'vitest'
import { formOf } from './form.ts'

describe('the form of a page', () => {
  test('is the one with a field that the user types', () => {
    const page = `<form action="/search"><input name="q"><button>Submit</button></form>
      <form method=post action='/login?a=1&amp;b=2'><input type="hidden" name="csrf" value="x&quot;y">
      <input name="email"><input type="password" name="password"><button>Log in</button></form>`
    expect(formOf(page, { email: 'ada@example.com', password: 'secret' })).toEqual({
      action: '/login?a=1&b=2',
      method: 'POST',
      fields: [
        ['csrf', 'x"y'],
        ['email', 'ada@example.com'],
        ['password', 'secret'],
      ],
    })
  })

  test('allows, although the button that denies comes first', () => {
    const page = `<form method="post"><input type="checkbox" name="scope" value="read">
      <button name="decision" value="deny">Do not allow</button><button name="decision" value="allow">Allow</button></form>`
    expect(formOf(page, {})?.fields).toEqual([
      ['scope', 'read'],
      ['decision', 'allow'],
    ])
  })

  test('is missing on a page that only denies', () => {
    expect(formOf('<form><button>Cancel</button></form>', {})).toBeUndefined()
  })
})
