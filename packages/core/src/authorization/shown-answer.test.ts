import { expect, it } from 'vitest'
import type { Client } from '../kernel/records.ts'
import { shownAnswer } from './approval.ts'
import { QUERY } from './response-mode.ts'

type Arguments = Parameters<typeof shownAnswer>

const fail = () => {
  throw new Error('This page has nothing to open')
}

const context = {
  ...{ interaction: { openAppPage: fail }, callbackPage: fail, lifetimes: { code: 60 } },
} as unknown as Arguments[0]
const page = {} as Arguments[1]

it('the redirect to a consent page of the application stays as it is', async () => {
  const redirect = { status: 303, headers: { location: '/consent?ticket=1' }, body: '' }
  expect(await shownAnswer(context, page, redirect)).toBe(redirect)
})

// No policy accepts them. They could only come from a record of the store.
it.each([
  'javascript:/%0aalert(1)',
  'JavaScript:/alert(1)',
  'data:/text',
  'intent:/x',
  'http:/x',
  'HTTPS:/x',
])('no page navigates to %s', async (redirectUri) => {
  const to = { client: {} as Client, redirectUri }
  const target = { ...to, responseMode: QUERY }
  const shown = await shownAnswer(context, page, { target, parameters: { code: 'a' } })
  expect([shown.status, shown.headers.location]).toEqual([303, `${redirectUri}?code=a`])
})
