import { afterAll, beforeAll, expect, it } from 'vitest'
import { runPostingApp } from './posting-app.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { user } from './signed-in-browser.ts'

/** `FORM_POST=on`, by an application from npm. */

let server: RunningServer
let app: Awaited<ReturnType<typeof runPostingApp>>

beforeAll(async () => {
  server = await runServer({ FORM_POST: 'on' })
  app = await runPostingApp(server)
})
afterAll(async () => {
  await app.close()
  await server.close()
})

const cookiesOf = ({ headers }: Response) =>
  headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')

/** Begins a sign-in at the app, and posts the answer as the page of the server would. */
async function signIn(decision: 'allow' | 'deny') {
  const login = await fetch(`${app.baseURL}/login`, { redirect: 'manual' })
  const answer = await user(server.baseUrl)(String(login.headers.get('location')), { decision })
  const init = { method: 'POST', body: answer.searchParams, redirect: 'manual' } as const
  return fetch(answer.origin + answer.pathname, { ...init, headers: { cookie: cookiesOf(login) } })
}

it('express-openid-connect signs its user in by a posted code', async () => {
  const callback = await signIn('allow')
  expect([callback.status, callback.headers.get('location')]).toEqual([302, app.baseURL])
  const me = await fetch(`${app.baseURL}/me`, { headers: { cookie: cookiesOf(callback) } })
  expect(await me.json()).toEqual({ sub: 'demo-account' })
})

it('express-openid-connect hears of a denial by a post', async () => {
  const callback = await signIn('deny')
  expect(callback.status).toBe(400)
  expect(await callback.text()).toContain('authorization response from the server is an error')
})
