import type { Answer } from '@grantkit/reference/test/security/wire'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { FURTHER_REQUESTS, MALFORMED } from './every-route.ts'
import { type FuzzedRequest, fuzzedRequest } from './mutations.ts'
import { GOOD_REQUESTS, type GoodRequest, type Pair } from './requests.ts'
import { SideBySide } from './side-by-side.ts'

/**
 * Sends the same requests to the service on each framework, and expects the same answers. The layers below a framework
 * then need tests on only one of them.
 */

let services: SideBySide
beforeAll(async () => {
  // Otherwise answers could come in different seconds, and token lifetimes would differ.
  vi.useFakeTimers({ toFake: ['Date'] })
  services = await SideBySide.start()
})
afterAll(async () => {
  await services.stop()
  vi.useRealTimers()
})
afterEach(() => {
  expect(services.unexpectedFailures()).toEqual([])
  services.fault = undefined
})

const FORM: Pair = ['Content-Type', 'application/x-www-form-urlencoded']
const JSON_TYPE: Pair = ['Content-Type', 'application/json']
const ORIGIN: Pair = ['Origin', 'https://elsewhere.example']
const ALL = [...GOOD_REQUESTS, ...FURTHER_REQUESTS]

type At = (path: string) => GoodRequest
const PREFLIGHT: At = (path) => ({
  method: 'OPTIONS',
  path,
  headers: [ORIGIN, ['Access-Control-Request-Method', 'POST']],
})
const POSTED: At = (path) => ({ method: 'POST', path, headers: [FORM], form: [['a', 'b']] })

/** Requests for any path, supported or not. */
const READS: readonly At[] = [
  ...['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE'].map(
    (method) => (path: string) => ({ method, path }),
  ),
  PREFLIGHT,
  (path) => ({ method: 'GET', path, headers: [ORIGIN, ['Authorization', 'Bearer bad']] }),
  POSTED,
  (path) => ({ method: 'POST', path, headers: [FORM], form: [['a', 'x'.repeat(70_000)]] }),
  (path) => ({ method: 'POST', path, headers: [['Content-Type', 'text/plain']], text: 'a=b' }),
  (path) => ({ method: 'POST', path, headers: [JSON_TYPE], text: '{' }),
  (path) => ({ method: 'POST', path, headers: [ORIGIN, JSON_TYPE], text: '{}' }),
]

it('REQ-71: every good request is answered alike on Fastify, Express and Hono', async () => {
  for (const request of ALL) {
    await services.expectSameAnswers(request)
    // The session is over.
    if (request.method === 'POST' && request.path === '/logout') await services.renew()
  }
})

/** A framework has routes for the protocol only. It passes all other paths to one application, without a look at them. */
const OF_THE_APPLICATION = [
  '/',
  '/login',
  '/account/apps/name',
  '/api/courses/none',
  '/mcp',
  '/nowhere',
  '/%zz',
]

it('REQ-71, REQ-75, HT-12: any request to a route is answered alike, and by no answer with a secret, a stack or a framework', async () => {
  for (const path of [...services.mounted, ...OF_THE_APPLICATION])
    for (const read of READS) await services.expectSameAnswers(read(path))
})

it('REQ-71: GET, its revalidation, POST and preflight of any path are answered alike', async () => {
  expect(services.paths.length).toBeGreaterThan(80)
  for (const path of services.paths.map((path) => path.replace(/:\w+/, 'none'))) {
    for (const read of [PREFLIGHT, POSTED]) await services.expectSameAnswers(read(path))
    const { lines } = await services.expectSameAnswers({ method: 'GET', path })
    for (const [, etag] of lines.filter(([name]) => name === 'etag'))
      await services.expectSameAnswers({ method: 'GET', path, headers: [['If-None-Match', etag]] })
  }
})

it('REQ-71: bytes that are no request are answered alike', async () => {
  for (const bytes of MALFORMED) await services.expectSameAnswersToBytes(bytes)
})

it('REQ-71: every good request is answered alike when the store is lost', async () => {
  await services.renew()
  services.fault = () => Promise.reject(new Error('connection lost'))
  for (const good of ALL) await services.expectSameAnswers(good)
})

it('REQ-71: requests beyond a limit are answered alike, also on plain HTTP', async () => {
  const limited = await SideBySide.start({ RATE_LIMITS: 'on', BASE_URL: 'http://school.example' })
  const guess = GOOD_REQUESTS.find(({ method, path }) => method === 'POST' && path === '/login')
  const registration = (address: number): GoodRequest => ({
    method: 'POST',
    path: '/api/oauth/register',
    headers: [JSON_TYPE, ['X-Forwarded-For', `203.0.113.${address}`]],
    text: '{"redirect_uris":["http://127.0.0.1/cb"]}',
  })
  for (let n = 0; n < 101; n++) await limited.expectSameAnswers(registration(n))
  for (let n = 0; n < 11; n++) if (guess) await limited.expectSameAnswers(guess)
  expect([...limited.statuses].sort()).toEqual([201, 401, 429])
  await limited.stop()
})

it('REQ-71: the comparison covered every status of the service', () => {
  const all = [200, 201, 204, 303, 304, 400, 401, 403, 404, 405, 406, 413, 415, 417, 431, 503]
  expect([...services.statuses].sort()).toEqual(all)
})

/** They need a ticket of their form, or a callback of the provider. */
const REFUSING = [
  '/oauth/logout/confirm',
  '/oauth/device/decision',
  '/oauth/requests/decision',
  '/login/enrol',
  '/login/enrol/passkey',
  '/login/with/:provider',
  '/login/with/:provider/callback',
]

it('REQ-71: every route returned a success, not only errors', () => {
  const served = [...services.answered].filter(([, statuses]) => [...statuses].some((status) => status < 400))
  const matches = (route: string) => new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`)
  const refusing = services.paths.filter((route) => !served.some(([path]) => matches(route).test(path)))
  expect(refusing).toEqual(REFUSING)
})

/** Whether a framework refused before any route. Each does that in its own way, and all are safe. */
function isOwnRefusal({ status, body }: Answer): boolean {
  return [400, 404].includes(status) && (body === '' || /"not_found"|not an HTTP request/.test(body))
}

/** Fastify refuses a malformed content type itself; the others leave it to the endpoint. */
function isUnreadableType({ body }: Answer): boolean {
  return body.includes('The body could not be read')
}

const PATHS = new Set(GOOD_REQUESTS.map(({ path }) => path))

it('REQ-71: malformed requests are also answered alike', async () => {
  const whole = fuzzedRequest.filter(({ method, path, form = [], text = '', framing, noise, headers }) => {
    // Fastify ignores a body that a method does not expect.
    const unexpected = ['GET', 'HEAD', 'TRACE'].includes(method) && (form.length > 0 || text !== '')
    if (unexpected) return false
    const own = (headers ?? []).some(([name]) =>
      /^(host|te|expect|upgrade|content-length|transfer|connection)/i.test(name),
    )
    // Each framework decides which spellings of a path are equal; none leads past a guard (HT-09).
    if (!PATHS.has(path)) return false
    // Node keeps the first value of a repeated header, and Hono all of them.
    const names = (headers ?? []).map(([name]) => name.toLowerCase())
    if (new Set(names).size < names.length) return false
    return noise.length === 0 && ['length', 'chunked'].includes(framing) && !own
  })
  await fc.assert(fc.asyncProperty(whole, expectSameUnlessRefused), { numRuns: 150 })
})

/** Successful requests use up credentials. */
const RENEWED_EVERY = 100
let sent = 0

async function expectSameUnlessRefused(request: FuzzedRequest): Promise<void> {
  if (++sent % RENEWED_EVERY === 0) await services.renew()
  const answers = await services.answersTo(request)
  if (answers.every(isOwnRefusal)) return
  // It may have signed out on the frameworks that left it to the endpoint.
  if (answers.some(isUnreadableType)) return services.renew()
  services.expectSame(request.path, JSON.stringify(request), answers)
}
