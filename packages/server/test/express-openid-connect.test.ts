import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import express, { type Express } from 'express'
import openidConnect from 'express-openid-connect'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { consentingBrowser } from './consenting-browser.ts'
import { type LogoutReceiver, openLogoutReceiver } from './logout-receiver.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** A relying party from npm, whose own session ends by a logout token of the server. */

let app: Express
let baseURL: string
let receiver: LogoutReceiver
let server: RunningServer
const site = createServer((request, response) => app(request, response))

beforeAll(async () => {
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  baseURL = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  receiver = await openLogoutReceiver((request, response) => app(request as never, response as never))
  const CLIENT_AUTHENTICATION = 'none,client_secret_basic'
  server = await runServer({ ...receiver.settings, CLIENT_AUTHENTICATION })
  const { clientId, clientSecret = '' } = await server.clients.add({
    clientName: 'Timetable',
    redirectUris: [`${baseURL}/callback`],
    backchannelLogoutUri: receiver.uri,
    backchannelLogoutSessionRequired: true,
  })
  app = express()
    .use(
      openidConnect.auth({
        ...{ issuerBaseURL: server.baseUrl, baseURL, clientID: clientId, clientSecret },
        secret: 'a secret of the relying party',
        authRequired: false,
        authorizationParams: { response_type: 'code', scope: 'openid' },
        clientAuthMethod: 'client_secret_basic',
        backchannelLogout: { store: logoutStore() },
      }),
    )
    .get('/me', (request, response) => void response.json({ sub: request.oidc.user?.sub ?? null }))
})
afterAll(async () => {
  site.closeAllConnections()
  site.close()
  await server.close()
  await receiver.close()
})

/** What `express-session` stores do. */
function logoutStore() {
  const kept = new Map<string, unknown>()
  return {
    get: (id: string, done: (error: null, value: unknown) => void) => done(null, kept.get(id)),
    set: (id: string, value: unknown, done?: (error: null) => void) => {
      kept.set(id, value)
      done?.(null)
    },
    destroy: (id: string, done?: (error: null) => void) => {
      kept.delete(id)
      done?.(null)
    },
  } as never
}

const cookiesOf = ({ headers }: Response) => headers.getSetCookie().map((line) => line.split(';')[0])

/** Signs in at the app. @returns the cookies of the app */
async function signedIn(cookie: string): Promise<string> {
  const login = await fetch(`${baseURL}/login`, { redirect: 'manual' })
  const callback = await consentingBrowser(cookie)(String(login.headers.get('location')))
  const headers = { cookie: cookiesOf(login).join('; ') }
  return cookiesOf(await fetch(callback, { headers, redirect: 'manual' })).join('; ')
}

const userAt = async (cookie: string) =>
  (await (await fetch(`${baseURL}/me`, { headers: { cookie } })).json()).sub

it('express-openid-connect signs its user out when the server says that the session has ended', async () => {
  const session = await sessionCookie(server.baseUrl)
  const teachers = await sessionCookie(server.baseUrl, 'teacher@example.com', 'teacher')
  const [cookies, cookiesOfTeacher] = [await signedIn(session), await signedIn(teachers)]
  const [demo, teacher] = [await userAt(cookies), await userAt(cookiesOfTeacher)]
  expect(demo).not.toBeNull()
  expect(teacher).not.toBe(demo)
  await fetch(`${server.baseUrl}/logout`, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams() },
    headers: { cookie: session },
  })
  await expect.poll(() => userAt(cookies)).toBeNull()
  expect(await userAt(cookiesOfTeacher), 'another user goes on').toBe(teacher)
  expect(server.events.filter(({ type }) => type === 'logout_undelivered')).toEqual([])
})
