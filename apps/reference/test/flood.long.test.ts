import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { countersInMemory } from '@grantkit/limiter'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'
import { type SignedIn, signedIn } from './tokens.ts'

/** The memory of the service on its memory store, when unauthenticated callers add to it. */

const MILLION = 1_000_000
const MAX_BYTES = 300e6

let service: RunningService
let known: SignedIn
beforeAll(async () => {
  service = await runService()
  known = await signedIn(service.baseUrl, 'courses:read')
})
afterAll(() => service.close())

/** The largest heap during the requests, measured ten times, without garbage. */
async function largestHeap(strangers: number, come: (stranger: number) => Promise<unknown>): Promise<number> {
  let largest = 0
  for (let stranger = 1; stranger <= strangers; stranger++) {
    await come(stranger)
    if (stranger % (strangers / 10) !== 0) continue
    service.events.length = 0
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
  const answer = await fetch(`${service.baseUrl}/api/oauth/token`, { method: 'POST', body })
  expect(answer.status).toBe(200)
  known = { ...known, ...((await answer.json()) as SignedIn) }
}

/** The address of an unauthenticated caller. */
function address(stranger: number): string {
  return `10.${(stranger >> 16) & 255}.${(stranger >> 8) & 255}.${stranger & 255}`
}

it.each([
  ['a million registrations, each from an address of its own,', MILLION, 40],
  ['fifty thousand registrations of twenty thousand characters', 50_000, 2000],
])(
  '%s leave the heap small, and let known and new clients in',
  async (_, strangers, length) => {
    const register = service.routes.find(({ path }) => path.endsWith('/register'))
    if (register === undefined) throw new Error('Nobody can register')
    const request = (stranger: number) => ({
      method: 'POST',
      path: '/api/oauth/register',
      query: '',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadataOf(stranger, length)),
      remoteAddress: address(stranger),
    })
    const heap = await largestHeap(strangers, async (stranger) => {
      if ((await register.handle(request(stranger))).status !== 201) throw new Error('Refused')
    })
    expect(heap).toBeLessThan(MAX_BYTES)
    await expectKnownServed()
    expect(await signedIn(service.baseUrl, 'courses:read')).toHaveProperty('access_token')
  },
  300_000,
)

function metadataOf(stranger: number, length: number) {
  const uri = `http://127.0.0.1:7001/${stranger}/`.padEnd(length, 'x')
  return {
    client_name: `App ${stranger}`,
    redirect_uris: length > 1000 ? Array.from('0123456789', (end) => uri + end) : [uri],
  }
}

it('a million invented e-mail addresses leave the heap small', async () => {
  const counter = countersInMemory('account', { points: 10, seconds: 900 })
  const heap = await largestHeap(MILLION, (stranger) => counter.take(`stranger-${stranger}@school.example`))
  expect(heap).toBeLessThan(MAX_BYTES)
  expect(await counter.take('known@school.example')).toBe(0)
}, 300_000)
