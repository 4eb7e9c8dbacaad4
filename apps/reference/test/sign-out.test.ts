import { afterAll, beforeAll, expect, it } from 'vitest'
import { DEMO_ACCOUNT } from '../src/demo-accounts.ts'
import { type RunningService, runService } from './service.ts'
import { sessionCookie } from './user.ts'

/** How users end their sessions. */

let service: RunningService
beforeAll(async () => {
  service = await runService()
})
afterAll(() => service.close())

const account = (cookie: string) =>
  fetch(`${service.baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })
const isSignedIn = async (cookie: string) => (await account(cookie)).status === 200
const signOutEverywhere = (cookie: string, token: string) =>
  fetch(`${service.baseUrl}/account/sign-out`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ token }),
    redirect: 'manual',
  })

it('a new sign-in in the same browser ends the session before it', async () => {
  const before = await sessionCookie(service.baseUrl)
  const other = await sessionCookie(service.baseUrl)
  const after = await sessionCookie(service.baseUrl, undefined, undefined, before)
  expect([await isSignedIn(before), await isSignedIn(other), await isSignedIn(after)]).toEqual([
    false,
    true,
    true,
  ])
})

it('a user signs out everywhere on the account page, and no other user is signed out', async () => {
  const [here, elsewhere] = [await sessionCookie(service.baseUrl), await sessionCookie(service.baseUrl)]
  const teacher = await sessionCookie(service.baseUrl, 'teacher@example.com', 'teacher')
  const form = /action="\/account\/sign-out"[\s\S]*?name="token" value="([^"]+)"/
  const [, token = ''] = form.exec(await (await account(here)).text()) ?? []
  const answer = await signOutEverywhere(here, token)
  expect([answer.status, await answer.text()]).toEqual([
    200,
    expect.stringContaining('You are signed out in every browser'),
  ])
  expect(answer.headers.get('set-cookie')).toMatch(/^session[^=]*=; Max-Age=0/)
  expect([await isSignedIn(here), await isSignedIn(elsewhere), await isSignedIn(teacher)]).toEqual([
    false,
    false,
    true,
  ])
  expect(service.events).toContainEqual({ type: 'sessions_ended', subject: DEMO_ACCOUNT, by: 'user' })
})

it('no form of another page signs a user out everywhere', async () => {
  const cookie = await sessionCookie(service.baseUrl)
  expect((await signOutEverywhere(cookie, 'made up')).status).toBe(403)
  expect(await isSignedIn(cookie)).toBe(true)
})
