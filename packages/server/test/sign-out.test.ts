import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { DANA } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** How users end their sessions. */

let server: RunningServer
beforeAll(async () => {
  server = await runServer()
})
afterAll(() => server.close())

const account = (cookie: string, base = server.baseUrl) =>
  fetch(`${base}/account`, { headers: { cookie }, redirect: 'manual' })
const isSignedIn = async (cookie: string) => (await account(cookie)).status === 200
const signOut = (base: string, cookie: string, fields: Record<string, string> = {}) =>
  fetch(`${base}/logout`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
const signOutEverywhere = (cookie: string, token: string) =>
  fetch(`${server.baseUrl}/account/sign-out`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ token }),
    redirect: 'manual',
  })

it('a new sign-in in the same browser ends the session before it', async () => {
  const before = await sessionCookie(server.baseUrl)
  const other = await sessionCookie(server.baseUrl)
  const after = await sessionCookie(server.baseUrl, undefined, undefined, before)
  expect([await isSignedIn(before), await isSignedIn(other), await isSignedIn(after)]).toEqual([
    false,
    true,
    true,
  ])
})

it('a user signs out everywhere on the account page, and no other user is signed out', async () => {
  const [here, elsewhere] = [await sessionCookie(server.baseUrl), await sessionCookie(server.baseUrl)]
  const teacher = await sessionCookie(server.baseUrl, 'teacher@example.com', 'teacher')
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
  expect(server.events).toContainEqual({ type: 'sessions_ended', subject: DANA.id, by: 'user' })
})

it('each button that signs another browser out has a name of its own', async () => {
  const [here] = [await sessionCookie(server.baseUrl), await sessionCookie(server.baseUrl)]
  await sessionCookie(server.baseUrl)
  const names = [...(await (await account(here)).text()).matchAll(/<button>(Sign out<span.*?)<\/button>/g)]
  expect(names.length).toBeGreaterThan(1)
  expect(new Set(names.map(([, name = '']) => name.replace(/<[^>]+>/g, ''))).size).toBe(names.length)
})

it('no form of another page signs a user out everywhere', async () => {
  const cookie = await sessionCookie(server.baseUrl)
  expect((await signOutEverywhere(cookie, 'made up')).status).toBe(403)
  expect(await isSignedIn(cookie)).toBe(true)
})

it('UI-08: a sign-out leads only to this server', async () => {
  const return_to = '//evil.example'
  const page = await fetch(`${server.baseUrl}/logout?${new URLSearchParams({ return_to })}`)
  expect(await page.text()).toContain('name="return_to" value="/"')
  const { headers } = await signOut(server.baseUrl, '', { return_to })
  expect(headers.get('location')).toMatch(/^\/login\?return_to=%2F$/)
})

it('UI-10: a session is neither accepted nor ended while the database is unreachable', async () => {
  const own = await runServer({ DATABASE_URL: 'memory:', STORE_URL: 'memory:' })
  onTestFinished(() => own.close())
  const cookie = await sessionCookie(own.baseUrl)
  const statusOfAccount = async () => (await account(cookie, own.baseUrl)).status
  const { rowsNow } = own.database
  const failing = () => {
    throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 })
  }
  Object.assign(own.database, { rowsNow: failing })
  expect(await statusOfAccount()).toBe(503)
  const refused = await signOut(own.baseUrl, cookie)
  expect([refused.status, refused.headers.get('set-cookie')]).toEqual([503, null])
  Object.assign(own.database, { rowsNow })
  expect(await statusOfAccount(), 'it goes on').toBe(200)
  expect((await signOut(own.baseUrl, cookie)).status).toBe(303)
  expect(await statusOfAccount()).toBe(303)
})

it('LO-08: a sign-out by an app ends the session on the server, and no other', async () => {
  const own = await runServer({ LOGOUT: 'on' })
  onTestFinished(() => own.close())
  const [cookie, other] = [await sessionCookie(own.baseUrl), await sessionCookie(own.baseUrl)]
  const back = 'http://127.0.0.1:49200/signed-out'
  const redirects = { redirect_uris: ['http://127.0.0.1:49200/callback'], post_logout_redirect_uris: [back] }
  const app = await testClient(own.baseUrl, { metadata: redirects, browser: { cookie } })
  const { id_token = '' } = await app.tokens('openid')
  const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: back, state: 's' })
  const answer = await fetch(`${own.baseUrl}/oauth/logout?${query}`, {
    headers: { cookie },
    redirect: 'manual',
  })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `${back}?state=s`])
  expect(answer.headers.get('set-cookie')).toMatch(/^session[^=]*=; Max-Age=0/)
  const statuses = [cookie, other].map(async (one) => (await account(one, own.baseUrl)).status)
  expect(await Promise.all(statuses)).toEqual([303, 200])
})
