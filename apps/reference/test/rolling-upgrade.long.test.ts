import { Agent, request } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '@grantkit/test-servers/free-port'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type NewStorage, newStorage } from './new-storage.ts'
import { type Program, run } from './program.ts'
import { HOST, PROXIES, type ProxyName, type ShippedProxy, startProxy } from './shipped-proxies.ts'

/** The configurations of docs/operations, run by the real servers, while one replica after the other is restarted. */

const WORKERS = 3
const answers = new Map<ProxyName, Map<string, number>>(PROXIES.map((name) => [name, new Map()]))
let storage: NewStorage
let ports: [number, number]
let replicas: Program[] = []
let proxies: ShippedProxy[] = []

beforeAll(async () => {
  storage = await newStorage('redis')
  ports = [await freePort(), await freePort()]
  replicas = await Promise.all(ports.map(started))
  proxies = await Promise.all(PROXIES.map((name) => startProxy(name, ports)))
  await Promise.all(proxies.map(ready))
  await rollingUpgrade()
}, 120_000)
afterAll(async () => {
  for (const proxy of proxies) await proxy.close()
  for (const replica of replicas) replica.stop()
  await Promise.all(replicas.map(({ ended }) => ended))
  await storage.close()
})

it.each(PROXIES)('%s loses no request, though both replicas are restarted', (name) => {
  const counts = Object.fromEntries(answers.get(name) ?? [])
  expect(counts).toEqual({ 'GET 200': expect.any(Number), 'POST 201': expect.any(Number) })
})

async function started(port: number): Promise<Program> {
  const environment = {
    ...storage.environment,
    PORT: `${port}`,
    BASE_URL: `https://${HOST}`,
    SECRET: 'the same on every replica, and long enough',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'silent',
    DRAIN_SECONDS: '3',
  }
  const replica = run('main.ts', [], { environment })
  await replica.printed('Try next')
  return replica
}

/** Under load, all the time. */
async function rollingUpgrade(): Promise<void> {
  let over = false
  const load = proxies.flatMap((proxy, index) =>
    Array.from({ length: WORKERS }, () =>
      worker(proxy, answers.get(PROXIES[index] as ProxyName), () => over),
    ),
  )
  for (const [index, port] of ports.entries()) {
    replicas[index]?.stop('SIGTERM')
    await replicas[index]?.ended
    replicas[index] = await started(port)
    // Those that check are given the time to notice it.
    await setTimeout(1500)
  }
  over = true
  await Promise.all(load)
}

/** Reads, and sends what must not be sent twice, in turn. */
async function worker(
  proxy: ShippedProxy,
  counts = new Map<string, number>(),
  over: () => boolean,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: proxy.ca })
  for (let turn = 0; !over(); turn++) {
    const method = turn % 2 === 0 ? 'GET' : 'POST'
    const outcome = `${method} ${await statusOf(proxy, method, agent)}`
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  agent.destroy()
}

const PATHS = { GET: '/.well-known/oauth-authorization-server', POST: '/api/oauth/register' }
const REGISTRATION = JSON.stringify({ redirect_uris: ['http://127.0.0.1/callback'] })

function statusOf(
  { port, ca }: ShippedProxy,
  method: 'GET' | 'POST',
  agent?: Agent,
): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { host: HOST, 'content-type': 'application/json' }
    const to = { host: '127.0.0.1', port, servername: HOST, path: PATHS[method] }
    const sent = request({ ...to, method, headers, ca, agent, timeout: 15_000 }, (answer) => {
      answer.resume().once('close', () => resolve(answer.statusCode ?? 0))
    })
    sent.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    sent.end(method === 'POST' ? REGISTRATION : undefined)
  })
}

const ready = (proxy: ShippedProxy) =>
  vi.waitFor(async () => expect(await statusOf(proxy, 'GET')).toBe(200), { timeout: 20_000 })
