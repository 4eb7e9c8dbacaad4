import { expect, it } from 'vitest'
import { formOfPage } from './consent-form.ts'

it('ticks every scope, and leaves the other checkboxes of the page as they are', () => {
  const body = `<form action="/consent">
    <input type="hidden" name="ticket" value="t">
    <input type="checkbox" name="scope" value="notes:read">
    <input type="checkbox" name="scope" value="openid" disabled>
    <input type="checkbox" name="callback" value="show">
    <input type="checkbox" name="remember" checked>
    <input type="submit" name="decision" value="allow">
  </form>`
  expect(formOfPage({ status: 200, headers: {}, body }).fields).toEqual([
    ['ticket', 't'],
    ['scope', 'notes:read'],
    ['remember', 'on'],
  ])
})
