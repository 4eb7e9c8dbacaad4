import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpResponse } from '@grantkit/core'
import { freePort } from '@grantkit/test-servers/free-port'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { formBrowser, type Send, testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type PreviousRelease, previousRelease } from './previous-release.ts'
import { type Program, run } from './program.ts'
import { HOST, PROXIES, type ProxyName, type ShippedProxy, startProxy } from './shipped-proxies.ts'

/**
 * The configurations of docs/operations, run by the real servers, while two replicas on one Postgres go from the previous
 * release to this one, and back. Both releases start on the tables and use the records of the other.
 */

const WORKERS = 3
const answers = new Map<ProxyName, Map<string, number>>(PROXIES.map((name) => [name, new Map()]))
const BASE_URL = `https://${HOST}`
let postgres: PostgresServer
let previous: PreviousRelease
let ports: [number, number]
let replicas: Program[] = []
let proxies: ShippedProxy[] = []

beforeAll(async () => {
  postgres = await startPostgres('fsync=off')
  previous = await previousRelease()
  ports = [await freePort(), await freePort()]
  replicas = await Promise.all([0, 1].map((index) => started(index, previous.folder)))
  proxies = await Promise.all(PROXIES.map((name) => startProxy(name, ports)))
  await Promise.all(proxies.map(ready))
  await rollingUpgrade()
}, 240_000)
afterAll(async () => {
  for (const proxy of proxies) await proxy.close()
  for (const replica of replicas) replica.stop()
  await Promise.all(replicas.map(({ ended }) => ended))
  await postgres.close()
  await previous.remove()
})

/** nginx has no health checks: it may send a request to a replica in the very moment of its end. */
const MAX_REPEATED: Readonly<Record<ProxyName, number>> = { nginx: 4, Caddy: 0, HAProxy: 0 }

it.each(PROXIES)('%s loses no grant between two releases, and at most requires a retry', (name) => {
  const all = [...(answers.get(name) ?? [])]
  const toRepeat = all.filter(([outcome]) => outcome.endsWith(' 503'))
  const some = expect.any(Number)
  expect(Object.fromEntries(all.filter((one) => !toRepeat.includes(one)))).toEqual({
    'read 200': some,
    'registration 201': some,
    'refresh 200': some,
  })
  const repeated = toRepeat.reduce((sum, [, count]) => sum + count, 0)
  expect(repeated, JSON.stringify(toRepeat)).toBeLessThanOrEqual(MAX_REPEATED[name])
})

it.each(PROXIES)('%s answers in JSON, with the time of a retry, while no replica runs', async (name) => {
  const proxy = await startProxy(name, [await freePort(), await freePort()])
  onTestFinished(() => proxy.close())
  await until(async () => (await statusOf(register(sendThrough(proxy)))) === 503)
  const unavailable = await register(sendThrough(proxy))
  expect([unavailable.status, unavailable.headers['retry-after']]).toEqual([503, '1'])
  expect(JSON.parse(unavailable.body)).toMatchObject({ error: 'temporarily_unavailable' })
})

/** @param release the folder of another release than this one */
async function started(index: number, release?: string): Promise<Program> {
  const environment = {
    DATABASE_URL: postgres.url,
    PORT: `${ports[index]}`,
    BASE_URL,
    // No limits, with a public name.
    NODE_ENV: 'test',
    SECRET: 'the same on every replica, and long enough',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'info',
    DRAIN_SECONDS: '3',
  }
  const replica = run('main.ts', [], { environment, ...(release && { release }) })
  await replica.printed('Try next')
  return replica
}

/** Under load, all the time. */
async function rollingUpgrade(): Promise<void> {
  let over = false
  const load = proxies.flatMap((proxy, index) =>
    Array.from({ length: WORKERS }, () =>
      worker(proxy, answers.get(PROXIES[index] as ProxyName) ?? new Map(), () => over),
    ),
  )
  await restart(0)
  // Its tables now have the version of this release.
  await restart(1, previous.folder)
  await restart(1)
  await restart(0, previous.folder)
  over = true
  await Promise.all(load)
}

async function restart(index: number, release?: string): Promise<void> {
  replicas[index]?.stop('SIGTERM')
  await replicas[index]?.ended
  const replica = await started(index, release)
  replicas[index] = replica
  await Promise.all(proxies.map((proxy) => sendsTo(proxy, replica)))
}

/** Waits until a proxy has noticed that a replica is there again: the log of the replica has one of its registrations. */
async function sendsTo(proxy: ShippedProxy, replica: Program): Promise<void> {
  const ids: string[] = []
  await until(async () => {
    const { status, body } = await register(sendThrough(proxy))
    if (status === 201) ids.push(JSON.parse(body).client_id)
    return ids.some((id) => replica.output().includes(id))
  })
}

/** A hook cannot poll with `expect`; its timeout ends the wait. */
async function until(isMet: () => Promise<boolean>): Promise<void> {
  while (!(await isMet().catch(() => false))) await sleep(50)
}

/** Reads, sends what must not be sent twice, and refreshes, in turn. */
async function worker(proxy: ShippedProxy, counts: Map<string, number>, over: () => boolean): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: proxy.ca })
  const send = sendThrough(proxy, agent)
  const browser = formBrowser({
    origin: BASE_URL,
    typed: { email: 'demo@example.com', password: 'demo' },
    send,
  })
  const client = await testClient(BASE_URL, { send, browser })
  let { refresh_token } = await client.tokens('courses:read')
  const turns = [
    async () => `read ${await statusOf(read(send))}`,
    async () => `registration ${await statusOf(register(send))}`,
    async () => {
      const refreshing = client.refresh(refresh_token)
      refresh_token = (await refreshing.catch(() => undefined))?.refresh_token ?? refresh_token
      return `refresh ${await statusOf(refreshing)}`
    },
  ]
  for (let turn = 0; !over(); turn++) {
    const outcome = (await turns[turn % turns.length]?.()) ?? ''
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  agent.destroy()
}

const read = (send: Send) =>
  send(`${BASE_URL}/.well-known/oauth-authorization-server`, { method: 'GET', headers: {}, body: '' })

const register = (send: Send) =>
  send(`${BASE_URL}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: ['http://127.0.0.1/callback'] }),
  })

/** The outcome of a request without a response. */
const nothing = ({ code, message }: NodeJS.ErrnoException) => ({ status: code ?? message })
const statusOf = async (answer: Promise<{ status: number }>) => (await answer.catch(nothing)).status

function sendThrough({ port, ca }: ShippedProxy, agent?: Agent): Send {
  return (url, { method, headers, body }) =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(url)
      const to = { host: '127.0.0.1', port, servername: HOST, path: pathname + search }
      const sent = request({ ...to, method, headers: { ...headers, host: HOST }, ca, agent, timeout: 15_000 })
      sent.once('error', reject).once('response', async (answer) => {
        const { statusCode: status = 0, headers } = answer
        text(answer).then(
          (body) => resolve({ status, headers: headers as HttpResponse['headers'], body }),
          reject,
        )
      })
      sent.end(body)
    })
}

const ready = (proxy: ShippedProxy) => until(async () => (await statusOf(read(sendThrough(proxy)))) === 200)
