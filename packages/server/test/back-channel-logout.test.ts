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

/** Signs in at the app in the browser of this cookie. @returns the claims of the ID token, and the token */
async function signedInAt(user: Opened, cookie: string) {
  const { id_token } = await (await appIn(user, cookie)).tokens('openid')
  return { ...decodeJwt<{ sid?: string }>(String(id_token)), idToken: String(id_token) }
}

async function post(path: string, cookie: string, fields: Record<string, string> = {}) {
  const page = await fetch(`${server.baseUrl}/account`, { headers: { cookie } })
  const token = /name="token" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const body = new URLSearchParams({ token, ...fields })
  return fetch(server.baseUrl + path, { method: 'POST', headers: { cookie }, body, redirect: 'manual' })
}

/** The messages follow the answer to the browser. */
const delivered = () => expect.poll(() => receiver.received)

describe('an app hears that its session has ended', () => {
  it('by the sign-out page', async () => {
    const user = await opened()
    const cookie = await user.signIn()
    const { sid } = await signedInAt(user, cookie)
    expect((await post('/logout', cookie)).status).toBe(303)
    await delivered().toMatchObject([{ sub: user.id, sid, aud: user.client.clientId }])
  })

  it('by the request of an app to log out', async () => {
    const user = await opened()
    const cookie = await user.signIn()
    const { sid, idToken } = await signedInAt(user, cookie)
    const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: BACK })
    const answer = await fetch(`${server.baseUrl}/oauth/logout?${query}`, {
      headers: { cookie },
      redirect: 'manual',
    })
    expect(answer.headers.get('location')).toBe(BACK)
    await delivered().toMatchObject([{ sub: user.id, sid }])
  })

  it('by the end of another browser on the account page, and the others hear nothing', async () => {
    const user = await opened()
    const [here, elsewhere] = [await user.signIn(), await user.signIn()]
    await signedInAt(user, here)
    const { sid } = await signedInAt(user, elsewhere)
    const page = await fetch(`${server.baseUrl}/account`, { headers: { cookie: here } })
    const [, session = ''] = /name="session" value="([^"]+)"/.exec(await page.text()) ?? []
    expect((await post('/account/sessions/end', here, { session })).status).toBe(303)
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
    ['an operator who sets a password', ({ id }) => server.accounts.setPassword(id, quickHash('other'))],
    ['an operator who disables the account', ({ id }) => server.accounts.setDisabled(id, true)],
    ['an operator who ends the sessions', ({ id }) => server.accounts.endSessions(id, 'operator')],
    ['the removal of the account', ({ id }) => server.accounts.remove(id)],
  ])('by %s: once for all sessions', async (_, act) => {
    const user = await opened()
    const [here, elsewhere] = [await user.signIn(), await user.signIn()]
    for (const cookie of [here, elsewhere]) await signedInAt(user, cookie)
    await act(user, here)
    await delivered().toHaveLength(1)
    expect(receiver.received[0]).toMatchObject({ sub: user.id, aud: user.client.clientId })
    expect(receiver.received[0]).not.toHaveProperty('sid')
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
    const { sid } = await signedInAt(user, cookie)
    await other.signIn(cookie)
    await delivered().toMatchObject([{ sub: user.id, sid }])
  })
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
