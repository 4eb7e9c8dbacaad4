import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type RunningService, runService } from './service.ts'
import { type SignedIn, signedIn } from './tokens.ts'

/** A service whose Postgres, also used for its store, is unreachable for a while. */

let server: PostgresServer
let network: TcpProxy
let service: RunningService
let app: SignedIn
let cookie: string
beforeAll(async () => {
  server = await startPostgres('fsync=off')
  network = await startProxy(server.port)
  service = await runService({ DATABASE_URL: farUrl(), STORE_URL: '' })
  app = await signedIn(service.baseUrl, 'openid courses:read courses:write')
  cookie = await sessionCookie(service.baseUrl)
})
afterAll(async () => {
  await service.close()
  await network.close()
  await server.close()
})

const farUrl = () => server.url.replace(`${server.port}`, `${network.port}`)
/** Generous, for a busy machine. Without a limit, a request to a silent server has no answer at all. */
const DEADLINE_MS = 10_000
const send = (path: string, init: RequestInit = {}) =>
  fetch(`${service.baseUrl}${path}`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(DEADLINE_MS),
    ...init,
  })
const json = { 'content-type': 'application/json' }
const withToken = () => ({ authorization: `Bearer ${app.access_token}`, ...json })
const addCourse = (title: string) =>
  send('/api/courses', { method: 'POST', headers: withToken(), body: JSON.stringify({ title }) })

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
    scope: 'courses:read',
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
  ['a public list', 'json', () => send('/api/courses'), 200],
  ['a record', 'json', () => send('/api/courses/bread-at-home'), 200],
  ['a call with a token', 'json', () => send('/api/courses', { headers: withToken() }), 200],
  ['UserInfo', 'json', () => send('/api/oauth/userinfo', { headers: withToken() }), 200],
  ['a refresh', 'json', refresh, 200],
  ['the prices', 'json', () => send('/pricing.md'), 200],
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
const FRUGAL = ['/', '/login', '/healthz', '/openapi.json', '/auth.md', '/.well-known/openid-configuration']

/** All of them at once, because each waits until the service gives up. */
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
async function expectService(): Promise<void> {
  await expect.poll(async () => (await send('/readyz')).status).toBe(200)
  for (const [name, , request, status] of NEEDY) expect((await request()).status, name).toBe(status)
}

const silenced = (way: 'cut' | 'loseReplies', silent: boolean) => async () => {
  network[way] = silent
}
const OUTAGES: readonly [string, () => Promise<void>, () => Promise<void>][] = [
  ['crashes', () => server.stop(), () => server.restart()],
  ['is cut off', silenced('cut', true), silenced('cut', false)],
  ['gives no answer', silenced('loseReplies', true), silenced('loseReplies', false)],
]

describe.each(OUTAGES)('while Postgres %s', (_, begin, end) => {
  it('every request that needs it is a 503 in time, and succeeds as soon as it is back', async () => {
    await expectService()
    await begin()
    await expectOutage().finally(end)
    await expectService()
  })

  it('pending requests are answered, and a course is stored completely or not at all', async () => {
    const title = (n: number) => `Course ${n} while Postgres ${_}`
    const adding = Array.from({ length: 40 }, (__, n) => addCourse(title(n)).then(({ status }) => status))
    const reading = Array.from({ length: 40 }, () => send('/api/courses').then(({ status }) => status))
    await begin()
    const statuses = await Promise.all([...adding, ...reading])
    await end()
    expect(statuses.filter((status) => ![200, 201, 503].includes(status))).toEqual([])
    await expectService()
    const listed = await send('/api/courses?limit=100&offset=6', { headers: withToken() })
    const { items } = (await listed.json()) as { items: { title: string; id: string }[] }
    for (const [n, status] of (await Promise.all(adding)).entries()) {
      const found = items.filter((item) => item.title === title(n))
      expect(found.length, `${n}: ${status}`).toBeGreaterThanOrEqual(status === 201 ? 1 : 0)
      expect(found.length).toBeLessThanOrEqual(1)
      for (const { id } of found)
        expect((await send(`/api/courses/${id}`, { method: 'DELETE', headers: withToken() })).status).toBe(
          204,
        )
    }
  })
})

it('without its database, but with its store, grants can be revoked and sessions ended', async () => {
  const apart = await runService({ DATABASE_URL: farUrl(), STORE_URL: 'memory:' })
  onTestFinished(() => apart.close())
  const { client_id, access_token, refresh_token } = await signedIn(apart.baseUrl, 'courses:read')
  const post = (path: string, form: Record<string, string>) =>
    fetch(`${apart.baseUrl}${path}`, { method: 'POST', body: new URLSearchParams({ client_id, ...form }) })
  const courses = () =>
    fetch(`${apart.baseUrl}/api/courses`, { headers: { authorization: `Bearer ${access_token}` } })
  const refreshing = { grant_type: 'refresh_token', refresh_token }
  await server.stop()
  expect((await post('/api/oauth/token', refreshing)).status, 'it is unknown whether the user exists').toBe(
    503,
  )
  expect((await courses()).status).toBe(503)
  expect((await post('/api/oauth/revoke', { token: refresh_token })).status).toBe(200)
  expect((await courses()).status).toBe(401)
  await server.restart()
  expect((await post('/api/oauth/token', refreshing)).status).toBe(400)
})
