import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { countersInMemory } from '../src/limits/counters.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { type SignedIn, signedIn } from './signed-in-browser.ts'

/** The memory of the server on its memory store, when unauthenticated callers add to it. */

/** What the memory store holds of clients takes 65 MB; without its limits, any of these floods would take 200 MB. */
const MAX_BYTES = 200e6

let server: RunningServer
let known: SignedIn
beforeAll(async () => {
  server = await runServer({ DATABASE_URL: 'memory:', STORE_URL: 'memory:' })
  known = await signedIn(server.baseUrl, 'notes:read')
})
afterAll(() => server.close())

/** The largest heap during the requests, measured ten times, without garbage. */
async function largestHeap(callers: number, come: (caller: number) => Promise<unknown>): Promise<number> {
  let largest = 0
  for (let caller = 1; caller <= callers; caller++) {
    await come(caller)
    if (caller % (callers / 10) !== 0) continue
    server.events.length = 0
    await new Promise(setImmediate)
    collectGarbage()
    largest = Math.max(largest, process.memoryUsage().heapUsed)
  }
  return largest
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

async function expectKnownServed(): Promise<void> {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: known.client_id,
    refresh_token: known.refresh_token,
  })
  const answer = await fetch(`${server.baseUrl}/api/oauth/token`, { method: 'POST', body })
  expect(answer.status).toBe(200)
  known = { ...known, ...((await answer.json()) as SignedIn) }
}

/** The address of an unauthenticated caller. */
function address(caller: number): string {
  return `10.${(caller >> 16) & 255}.${(caller >> 8) & 255}.${caller & 255}`
}

it.each([
  ['registrations, each from an address of its own,', 300_000, 40],
  ['registrations of four thousand characters', 60_000, 380],
])(
  'many %s leave the heap small, and let known and new clients in',
  async (_, callers, length) => {
    const register = server.routes.find(({ path }) => path.endsWith('/register'))
    if (register === undefined) throw new Error('Registration is disabled')
    const request = (caller: number) => ({
      method: 'POST',
      path: '/api/oauth/register',
      query: '',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadataOf(caller, length)),
      remoteAddress: address(caller),
    })
    const heap = await largestHeap(callers, async (caller) => {
      if ((await register.handle(request(caller))).status !== 201) throw new Error('Refused')
    })
    expect(heap).toBeLessThan(MAX_BYTES)
    await expectKnownServed()
    expect(await signedIn(server.baseUrl, 'notes:read')).toHaveProperty('access_token')
  },
  300_000,
)

function metadataOf(caller: number, length: number) {
  const uri = `http://127.0.0.1:7001/${caller}/`.padEnd(length, 'x')
  return {
    client_name: `App ${caller}`,
    redirect_uris: length > 100 ? Array.from('0123456789', (end) => uri + end) : [uri],
  }
}

it('document URLs of callers who are not signed in leave the heap small', async () => {
  const authorize = server.routes.find(({ path }) => path === '/oauth/authorize')
  const request = (caller: number) => ({
    method: 'GET',
    path: '/oauth/authorize',
    query: `client_id=${encodeURIComponent(`https://app${caller}.dev/client.json`)}&response_type=code`,
    headers: {},
    body: '',
    remoteAddress: address(caller),
  })
  const heap = await largestHeap(300_000, async (caller) => {
    const answer = await authorize?.handle(request(caller))
    if (answer?.status !== 303) throw new Error(`It was answered with ${answer?.status}`)
  })
  expect(heap).toBeLessThan(MAX_BYTES)
}, 300_000)

it('a million invented e-mail addresses leave the heap small', async () => {
  const counter = countersInMemory('account', { points: 10, seconds: 900 })
  const heap = await largestHeap(1_000_000, (caller) => counter.take(`caller-${caller}@school.example`))
  expect(heap).toBeLessThan(MAX_BYTES)
  expect(await counter.take('known@school.example')).toBe(0)
}, 300_000)
