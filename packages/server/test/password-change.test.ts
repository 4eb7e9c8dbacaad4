import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { newUser } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** A user changes the password on the account page, and ends sessions in other browsers. */

let server: RunningServer
beforeAll(async () => {
  server = await runServer()
})
afterAll(() => server.close())

const OLD = 'an old password'
const NEW = 'a new password'

const newAccount = () => newUser(server, OLD)

const account = (cookie: string) =>
  fetch(`${server.baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })
const isSignedIn = async (cookie: string) => (await account(cookie)).status === 200
const signIn = (email: string, password: string) => sessionCookie(server.baseUrl, email, password)
const canSignIn = async (email: string, password: string) => isSignedIn(await signIn(email, password))

async function submit(cookie: string, path: string, fields: Record<string, string>) {
  const page = await (await account(cookie)).text()
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const body = new URLSearchParams({ token, ...fields })
  const answer = await fetch(`${server.baseUrl}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body,
  })
  const next = answer.headers.getSetCookie().find((line) => line.startsWith('session')) ?? ''
  return { status: answer.status, text: await answer.text(), cookie: next.split(';')[0] ?? '' }
}

const change = (cookie: string, fields: Record<string, string> = {}) =>
  submit(cookie, '/account/password', {
    ...{ current_password: OLD, new_password: NEW, new_password_again: NEW },
    ...fields,
  })

describe('a change of the password', () => {
  it('keeps this browser signed in, ends every other session, and is in the trail', async () => {
    const { id, email } = await newAccount()
    const [here, elsewhere] = [await signIn(email, OLD), await signIn(email, OLD)]
    const { status, cookie } = await change(here)
    expect([status, await isSignedIn(cookie)]).toEqual([303, true])
    expect([await isSignedIn(here), await isSignedIn(elsewhere)]).toEqual([false, false])
    expect([await canSignIn(email, OLD), await canSignIn(email, NEW)]).toEqual([false, true])
    expect(server.events).toContainEqual({ type: 'account_password_changed', subject: id, by: 'user' })
  })

  it.each([
    ['without the current password', { current_password: 'a guess' }, 'current password is not right'],
    ['with two different ones', { new_password_again: 'another one' }, 'same new password twice'],
    ['to a short one', { new_password: 'short', new_password_again: 'short' }, 'at least 8 characters'],
    ['by a form of another page', { token: 'made up' }, 'open for too long'],
  ])('is refused %s', async (_, fields, problem) => {
    const { email } = await newAccount()
    const cookie = await signIn(email, OLD)
    const { status, text } = await change(cookie, fields)
    expect([status, text]).toEqual([403, expect.stringContaining(problem)])
    expect([await isSignedIn(cookie), await canSignIn(email, OLD)]).toEqual([true, true])
  })

  it('has the rate limits of a sign-in, so that the password cannot be guessed at an open browser', async () => {
    const { email } = await newAccount()
    const cookie = await signIn(email, OLD)
    for (let guess = 0; guess < 10; guess++) await change(cookie, { current_password: `guess ${guess}` })
    expect((await change(cookie)).text).toContain('Too many attempts')
  })

  it('succeeds once of two at the same time', async () => {
    const { email } = await newAccount()
    const cookie = await signIn(email, OLD)
    const other = { new_password: 'another one', new_password_again: 'another one' }
    const answers = await Promise.all([change(cookie), change(cookie, other)])
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403])
    const which = answers[0]?.status === 303 ? NEW : 'another one'
    expect(await canSignIn(email, which)).toBe(true)
  })
})

describe('the sessions of a user', () => {
  it('are shown with this browser, and one of them can be ended', async () => {
    const { id, email } = await newAccount()
    const [here, elsewhere, third] = [
      await signIn(email, OLD),
      await signIn(email, OLD),
      await signIn(email, OLD),
    ]
    const page = await (await account(here)).text()
    expect(page.match(/this browser/g)).toHaveLength(1)
    const listed = [...page.matchAll(/name="session" value="([^"]+)"/g)].map(([, session = '']) => session)
    expect(listed).toHaveLength(2)
    expect((await submit(here, '/account/sessions/end', { session: listed[1] ?? '' })).status).toBe(303)
    expect([await isSignedIn(here), await isSignedIn(elsewhere), await isSignedIn(third)]).toEqual([
      true,
      false,
      true,
    ])
    expect(server.events).toContainEqual({ type: 'signed_out', subject: id, sessionId: listed[1] })
    const after = await (await account(here)).text()
    expect(after.match(/name="session"/g)).toHaveLength(1)
    expect(after).toContain('Earlier sign-ins')
  })

  it('are not those before the last sign-out everywhere, nor expired ones', async () => {
    const { id, email } = await newAccount()
    await signIn(email, OLD)
    await server.accounts.endSessions(id, 'user')
    const cookie = await signIn(email, OLD)
    expect(await (await account(cookie)).text()).not.toContain('name="session"')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61 * 60 * 1000 })
    onTestFinished(() => void vi.useRealTimers())
    const later = await signIn(email, OLD)
    expect(await (await account(later)).text()).not.toContain('name="session"')
  })

  it('cannot be ended by another user, or by a form of another page', async () => {
    const { email } = await newAccount()
    const [here, elsewhere] = [await signIn(email, OLD), await signIn(email, OLD)]
    const [, session = ''] = /name="session" value="([^"]+)"/.exec(await (await account(here)).text()) ?? []
    const other = await signIn((await newAccount()).email, OLD)
    await submit(other, '/account/sessions/end', { session })
    expect((await submit(here, '/account/sessions/end', { session, token: 'x' })).status).toBe(403)
    expect(await isSignedIn(elsewhere)).toBe(true)
  })
})
