import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'
import { type SignedIn, signedIn } from './signed-in-browser.ts'

/** A server whose Postgres, also used for its store, is unreachable for a while. */

let postgres: PostgresServer
let network: TcpProxy
let server: RunningServer
let app: SignedIn
/** The token of a client of the operator, for the admin API. */
let operator: Readonly<Record<string, string>>
let cookie: string
beforeAll(async () => {
  postgres = await startPostgres('fsync=off')
  network = await startProxy(postgres.port)
  const settings = { ADMIN_API: 'on', CLIENT_CREDENTIALS: 'on' }
  server = await runServer({ DATABASE_URL: farUrl(), STORE_URL: '', ...settings })
  app = await signedIn(server.baseUrl, 'openid notes:read')
  cookie = await sessionCookie(server.baseUrl)
  operator = { authorization: `Bearer ${await operatorToken()}`, 'content-type': 'application/json' }
})
afterAll(async () => {
  await server.close()
  await network.close()
  await postgres.close()
})

const farUrl = () => postgres.url.replace(`${postgres.port}`, `${network.port}`)
/** Generous, for a busy machine. Without a limit, a request to a silent server has no answer at all. */
const DEADLINE_MS = 10_000
const send = (path: string, init: RequestInit = {}) =>
  fetch(`${server.baseUrl}${path}`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(DEADLINE_MS),
    ...init,
  })
const withToken = () => ({ authorization: `Bearer ${app.access_token}` })
const users = (path = '') => send(`/admin/api/users${path}`, { headers: operator })
const addUser = (email: string) =>
  send('/admin/api/users', {
    method: 'POST',
    headers: operator,
    body: JSON.stringify({ email, name: 'Ada' }),
  })

async function operatorToken(): Promise<string> {
  const { clientId: client_id, clientSecret: client_secret = '' } = await server.clients.add({
    clientName: 'Job',
    redirectUris: [],
    grantTypes: ['client_credentials'],
    clientCredentialsScopes: ['admin:read', 'admin:write'],
    tokenEndpointAuthMethod: 'client_secret_post',
  })
  const resource = `${server.baseUrl}/admin/api`
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, resource })
  return (await (await send('/api/oauth/token', { method: 'POST', body })).json()).access_token
}

async function refresh(): Promise<Response> {
  const { client_id, refresh_token } = app
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
  const answer = await send('/api/oauth/token', { method: 'POST', body })
  if (answer.ok) app = { ...app, ...((await answer.clone().json()) as SignedIn) }
  return answer
}

async function signIn(): Promise<Response> {
  const form = await send('/login')
  const [token = ''] = /(?<=name="token" value=")[^"]+/.exec(await form.text()) ?? []
  const headers = { cookie: form.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
  const body = new URLSearchParams({ token, email: 'demo@example.com', password: 'demo' })
  return send('/login', { method: 'POST', headers, body })
}

const authorization = () =>
  new URLSearchParams({
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: 'http://127.0.0.1:49200/callback',
    scope: 'notes:read',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  })

/** What needs the database or the store, and the status when both are there. */
const NEEDY: readonly [
  name: string,
  type: 'json' | 'html',
  request: () => Promise<Response>,
  status: number,
][] = [
  ['a list of the admin API', 'json', () => users(), 200],
  ['a user of the admin API', 'json', () => users('/demo-account'), 200],
  ['UserInfo', 'json', () => send('/api/oauth/userinfo', { headers: withToken() }), 200],
  ['a refresh', 'json', refresh, 200],
  ['the account page', 'html', () => send('/account', { headers: { cookie } }), 200],
  [
    'the consent page',
    'html',
    () => send(`/oauth/authorize?${authorization()}`, { headers: { cookie } }),
    200,
  ],
  ['a sign-in', 'html', signIn, 303],
]
const CONTENT_TYPES = { json: /^application\/json/, html: /^text\/html/ }
/** What needs neither. */
const FRUGAL = ['/', '/login', '/healthz', '/admin/api/openapi.json', '/.well-known/openid-configuration']

/** All of them at once, because each waits until the server gives up. */
async function expectOutage(): Promise<void> {
  const check = async ([name, type, request]: (typeof NEEDY)[number]) => {
    const answer = await request()
    expect([answer.status, answer.headers.get('retry-after')], name).toEqual([503, '1'])
    expect(answer.headers.get('content-type'), name).toMatch(CONTENT_TYPES[type])
    if (type === 'json') expect(await answer.json(), name).toMatchObject({ error: 'temporarily_unavailable' })
    else expect(await answer.text(), name).toContain('Please try again in a moment')
  }
  await Promise.all(NEEDY.map(check))
  expect((await send('/readyz')).status).toBe(503)
  for (const path of FRUGAL) expect((await send(path)).status, path).toBe(200)
}

/** Nothing is restarted, no user signs in again, and the first request of each kind succeeds. */
async function expectRecovery(): Promise<void> {
  await expect.poll(async () => (await send('/readyz')).status).toBe(200)
  for (const [name, , request, status] of NEEDY) expect((await request()).status, name).toBe(status)
}

const silenced = (way: 'cut' | 'loseReplies', silent: boolean) => async () => {
  network[way] = silent
}
const OUTAGES: readonly [string, () => Promise<void>, () => Promise<void>][] = [
  ['crashes', () => postgres.stop(), () => postgres.restart()],
  ['is cut off', silenced('cut', true), silenced('cut', false)],
  ['gives no answer', silenced('loseReplies', true), silenced('loseReplies', false)],
]

describe.each(OUTAGES)('while Postgres %s', (_, begin, end) => {
  it('every request that needs it is a 503 in time, and succeeds as soon as it is back', async () => {
    await expectRecovery()
    await begin()
    await expectOutage().finally(end)
    await expectRecovery()
  })

  it('pending requests are answered, and a user is stored completely or not at all', async () => {
    const prefix = _.replaceAll(' ', '-')
    const email = (n: number) => `${prefix}-${n}@example.com`
    const adding = Array.from({ length: 40 }, (__, n) => addUser(email(n)).then(({ status }) => status))
    const reading = Array.from({ length: 40 }, () => users().then(({ status }) => status))
    await begin()
    const statuses = await Promise.all([...adding, ...reading])
    await end()
    expect(statuses.filter((status) => ![200, 201, 503].includes(status))).toEqual([])
    await expectRecovery()
    const { items } = (await (await users(`?prefix=${prefix}&limit=100`)).json()) as {
      items: { email: string; sub: string }[]
    }
    for (const [n, status] of (await Promise.all(adding)).entries()) {
      const found = items.filter((item) => item.email === email(n))
      expect(found.length, `${n}: ${status}`).toBeGreaterThanOrEqual(status === 201 ? 1 : 0)
      expect(found.length).toBeLessThanOrEqual(1)
      for (const { sub } of found) expect((await users(`/${sub}`)).status).toBe(200)
    }
  })
})

it('without its database, but with its store, grants can be revoked and sessions ended', async () => {
  const apart = await runServer({ DATABASE_URL: farUrl(), STORE_URL: 'memory:' })
  onTestFinished(() => apart.close())
  const { client_id, access_token, refresh_token } = await signedIn(apart.baseUrl, 'openid')
  const post = (path: string, form: Record<string, string>) =>
    fetch(`${apart.baseUrl}${path}`, { method: 'POST', body: new URLSearchParams({ client_id, ...form }) })
  const userInfo = () =>
    fetch(`${apart.baseUrl}/api/oauth/userinfo`, { headers: { authorization: `Bearer ${access_token}` } })
  const refreshing = { grant_type: 'refresh_token', refresh_token }
  await postgres.stop()
  expect((await post('/api/oauth/token', refreshing)).status, 'it is unknown whether the user exists').toBe(
    503,
  )
  expect((await userInfo()).status).toBe(503)
  expect((await post('/api/oauth/revoke', { token: refresh_token })).status).toBe(200)
  expect((await userInfo()).status).toBe(401)
  await postgres.restart()
  expect((await post('/api/oauth/token', refreshing)).status).toBe(400)
})
