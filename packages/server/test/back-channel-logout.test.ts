import { quickHash } from '@grantkit/test-servers/quick-hash'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { type TestClient, testClient } from '@grantkit/testkit/client'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { consentingBrowser } from './consenting-browser.ts'
import { type LogoutReceiver, openLogoutReceiver } from './logout-receiver.ts'
import { newUser } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** What ends a session of a user, and which clients hear of it (OpenID Connect Back-Channel Logout 1.0). */

let server: RunningServer
let receiver: LogoutReceiver
beforeAll(async () => {
  receiver = await openLogoutReceiver()
  server = await runServer(receiver.settings)
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})
beforeEach(() => {
  receiver.received.length = 0
  receiver.answer = () => 200
})

const BACK = 'https://app.dev/signed-out'

/** A user of its own, and an app of its own. */
async function opened() {
  const { id, email } = await newUser(server, 'a password')
  const client = await server.clients.add({
    clientName: 'Timetable',
    redirectUris: ['https://app.dev/callback'],
    backchannelLogoutUri: receiver.uri,
    sessionBound: true,
    postLogoutRedirectUris: [BACK],
  })
  return {
    id,
    client,
    signIn: (before?: string) => sessionCookie(server.baseUrl, email, 'a password', before),
  }
}
type Opened = Awaited<ReturnType<typeof opened>>

const appIn = ({ client }: Opened, cookie: string): Promise<TestClient> =>
  testClient(server.baseUrl, { client, browser: consentingBrowser(cookie) })

/** Signs in at the app in the browser of this cookie. @returns the claims of the ID token, and the tokens */
async function signedInAt(user: Opened, cookie: string) {
  const app = await appIn(user, cookie)
  const { id_token, refresh_token } = await app.tokens('openid')
  const refreshed = () => app.refresh(String(refresh_token))
  return { ...decodeJwt<{ sid?: string }>(String(id_token)), idToken: String(id_token), refreshed }
}

async function post(path: string, cookie: string, fields: Record<string, string> = {}) {
  const page = await fetch(`${server.baseUrl}/account`, { headers: { cookie } })
  const token = /name="token" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const body = new URLSearchParams({ token, ...fields })
  return fetch(server.baseUrl + path, { method: 'POST', headers: { cookie }, body, redirect: 'manual' })
}

/** A user signed in with this cookie, and this app of the session that is bound to it. */
async function expectEnded(cookie: string, { refreshed }: Awaited<ReturnType<typeof signedInAt>>) {
  const account = await fetch(`${server.baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })
  expect(account.status, 'the session').toBe(303)
  expect(await refreshed(), 'its grant').toMatchObject({ status: 400, error: 'invalid_grant' })
}

/** Ways to sign in, besides the password. */
async function addMethods(account: string) {
  const rows = server.database
  const key = { id: account, account, name: 'key', public_key: '', counter: 0, transports: '[]', synced: 0 }
  const added_at = new Date().toISOString()
  await rows
    .insertInto('passkey')
    .values({ ...key, added_at, used_at: null })
    .execute()
  const linked = { issuer: 'https://partner.example', subject: account, account, shown_as: 'Ada', added_at }
  await rows.insertInto('identity').values(linked).execute()
}

/** The messages follow the answer to the browser. */
const delivered = () => expect.poll(() => receiver.received)

describe('an app hears that its session has ended', () => {
  it('by the sign-out page', async () => {
    const user = await opened()
    const cookie = await user.signIn()
    const app = await signedInAt(user, cookie)
    const { sid } = app
    expect((await post('/logout', cookie)).status).toBe(303)
    await expectEnded(cookie, app)
    await delivered().toMatchObject([{ sub: user.id, sid, aud: user.client.clientId }])
  })

  it('by the request of an app to log out', async () => {
    const user = await opened()
    const cookie = await user.signIn()
    const app = await signedInAt(user, cookie)
    const { sid, idToken } = app
    const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: BACK })
    const answer = await fetch(`${server.baseUrl}/oauth/logout?${query}`, {
      headers: { cookie },
      redirect: 'manual',
    })
    expect(answer.headers.get('location')).toBe(BACK)
    await expectEnded(cookie, app)
    await delivered().toMatchObject([{ sub: user.id, sid }])
  })

  it('by the end of another browser on the account page, and the others hear nothing', async () => {
    const user = await opened()
    const [here, elsewhere] = [await user.signIn(), await user.signIn()]
    await signedInAt(user, here)
    const app = await signedInAt(user, elsewhere)
    const { sid } = app
    const page = await fetch(`${server.baseUrl}/account`, { headers: { cookie: here } })
    const [, session = ''] = /name="session" value="([^"]+)"/.exec(await page.text()) ?? []
    expect((await post('/account/sessions/end', here, { session })).status).toBe(303)
    await expectEnded(elsewhere, app)
    await delivered().toMatchObject([{ sub: user.id, sid }])
  })

  it.each<[string, (user: Opened, cookie: string) => Promise<unknown>]>([
    ['"Sign out everywhere"', (_, cookie) => post('/account/sign-out', cookie)],
    [
      'a change of the password',
      (_, cookie) =>
        post('/account/password', cookie, {
          ...{ current_password: 'a password', new_password: 'another password' },
          new_password_again: 'another password',
        }),
    ],
    ['the removal of a passkey', ({ id }, cookie) => post('/account/passkeys/remove', cookie, { id })],
    [
      'the removal of a provider',
      ({ id: identity }, cookie) =>
        post('/account/identities/remove', cookie, { issuer: 'https://partner.example', identity }),
    ],
    ['an operator who sets a password', ({ id }) => server.accounts.setPassword(id, quickHash('other'))],
    ['an operator who disables the account', ({ id }) => server.accounts.setDisabled(id, true)],
    ['an operator who ends the sessions', ({ id }) => server.accounts.endSessions(id, 'operator')],
    ['an operator who gives the admin role', ({ id }) => server.accounts.setAdmin(id, true)],
    ['the removal of the account', ({ id }) => server.accounts.remove(id)],
  ])('by %s: once for all sessions, which end with their grants', async (_, act) => {
    const user = await opened()
    await addMethods(user.id)
    const [here, elsewhere] = [await user.signIn(), await user.signIn()]
    const apps = [await signedInAt(user, here), await signedInAt(user, elsewhere)] as const
    await act(user, here)
    await expectEnded(here, apps[0])
    await expectEnded(elsewhere, apps[1])
    await delivered().toHaveLength(1)
    expect(receiver.received[0]).toMatchObject({ sub: user.id, aud: user.client.clientId })
    expect(receiver.received[0]).not.toHaveProperty('sid')
  })

  it('by "Sign out everywhere", also of a session before many others', async () => {
    const user = await opened()
    const first = await user.signIn()
    const app = await signedInAt(user, first)
    for (let time = 0; time < 21; time++) await user.signIn()
    await post('/account/sign-out', first)
    await expectEnded(first, app)
    await delivered().toHaveLength(1)
  })

  it('not by a new sign-in of the same user in the same browser, but by the sign-out after it', async () => {
    const user = await opened()
    const before = await user.signIn()
    const { sid } = await signedInAt(user, before)
    const after = await user.signIn(before)
    expect((await signedInAt(user, after)).sid).toBe(sid)
    expect(receiver.received).toEqual([])
    await post('/logout', after)
    await delivered().toMatchObject([{ sid }])
  })

  it('by the sign-in of another user in the same browser', async () => {
    const [user, other] = [await opened(), await opened()]
    const cookie = await user.signIn()
    const app = await signedInAt(user, cookie)
    const { sid } = app
    await other.signIn(cookie)
    await expectEnded(cookie, app)
    await delivered().toMatchObject([{ sub: user.id, sid }])
  })
})

it.each<[string, (user: Opened, cookie: string) => Promise<unknown>]>([
  ['the passkey is unknown', (_, cookie) => post('/account/passkeys/remove', cookie, { id: 'none' })],
  ['the user was no admin', ({ id }) => server.accounts.setAdmin(id, false)],
  ['the account was not disabled', ({ id }) => server.accounts.setDisabled(id, false)],
])('no app is told, and no grant ends, if %s', async (_, act) => {
  const user = await opened()
  const cookie = await user.signIn()
  const app = await signedInAt(user, cookie)
  await act(user, cookie)
  expect((await app.refreshed()).status).toBe(200)
  expect(receiver.received).toEqual([])
})

it('a client that refuses is in the trail', async () => {
  receiver.answer = () => 400
  const user = await opened()
  const cookie = await user.signIn()
  await signedInAt(user, cookie)
  await post('/logout', cookie)
  const { clientId } = user.client
  const undelivered = { type: 'logout_undelivered', clientId, subject: user.id, why: 'refused', status: 400 }
  await expect.poll(() => server.events).toContainEqual(expect.objectContaining(undelivered))
})
