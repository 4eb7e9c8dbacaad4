import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Budget, DEFAULT_LIMITS } from '../src/client/budget.ts'
import { newDpopKey } from '../src/client/dpop-proof.ts'
import { hostGate } from '../src/client/hosts.ts'
import { Transport } from '../src/client/transport.ts'

let server: Server
let base: string
let transport: Transport
/** What arrived as a whole. */
let arrived: { readonly body: string; readonly headers: IncomingMessage['headers'] }[] = []
let started = 0

beforeAll(async () => {
  server = createServer(async (message, response) => {
    started += 1
    arrived.push({ body: await text(message), headers: message.headers })
    if (message.url === '/busy') response.writeHead(429, { 'retry-after': '1' })
    else if (message.url === '/nonce' && !nonceOf(message)) demandNonce(response)
    else if (message.url === '/elsewhere') response.writeHead(302, { location: 'http://203.0.113.9/' })
    if (message.url !== '/hangs' && !response.writableEnded) response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  transport.close()
  server.close()
  server.closeAllConnections()
})
beforeEach(() => {
  const budget = new Budget({ ...DEFAULT_LIMITS, rate: 1000 })
  transport = new Transport({ issuer: 'http://localhost:9', gate: hostGate({}), budget, timeoutMs: 500 })
  arrived = []
  started = 0
})

function nonceOf({ headers }: IncomingMessage): unknown {
  const [, claims = ''] = String(headers.dpop).split('.')
  return JSON.parse(String(Buffer.from(claims, 'base64url'))).nonce
}

function demandNonce(response: ServerResponse): void {
  response.writeHead(400, { 'dpop-nonce': 'fresh' }).end('{"error":"use_dpop_nonce"}')
}

const post = (path: string) => ({ method: 'POST', url: `${base}${path}`, body: 'grant_type=x' }) as const

test('a held request has arrived but for its last byte', async () => {
  const held = await transport.hold(post('/token'))
  await expect.poll(() => started).toBe(1)
  expect(arrived).toEqual([])
  const { answer } = await held.release()
  expect(answer?.status).toBe(200)
  expect(arrived[0]?.body).toBe('grant_type=x')
})

test('a torn request arrives, and its answer does not', async () => {
  const held = await transport.hold(post('/hangs'))
  expect(await held.release(5)).toMatchObject({ torn: true })
  await expect.poll(() => arrived[0]?.body).toBe('grant_type=x')
})

test('a request that hangs ends without an answer', async () => {
  const delivery = await transport.send(post('/hangs'))
  expect(delivery.answer).toBeUndefined()
  expect(delivery.returned - delivery.invoked).toBeGreaterThan(400)
})

test('a replica gets the Host of the issuer', async () => {
  await transport.send({ ...post('/token'), url: 'http://localhost:9/token' }, base)
  expect(arrived[0]?.headers.host).toBe('localhost:9')
  expect(arrived[0]?.headers['user-agent']).toMatch(/^grantkit-torture /)
})

test('a request without the nonce that the server demands is sent once more, with it', async () => {
  const proven = { ...post('/nonce'), possession: { key: newDpopKey() } }
  expect((await transport.send(proven)).answer?.body).toBe('{}')
  expect(arrived.length).toBe(2)
  await transport.send(proven)
  expect(arrived.length).toBe(3)
})

test('a redirect is not followed', async () => {
  const { answer } = await transport.send({ method: 'GET', url: `${base}/elsewhere` })
  expect(answer?.status).toBe(302)
})

test('nothing is sent for as long as Retry-After says', async () => {
  const busy = await transport.send(post('/busy'))
  const next = await transport.send(post('/token'))
  expect(next.invoked - busy.returned).toBeGreaterThan(900)
  expect(arrived.length).toBe(2)
})
