import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bytesOf } from '../../fuzz/bytes.ts'
import { type FuzzedRequest, fuzzedRequest } from '../../fuzz/mutations.ts'
import { GOOD_REQUESTS } from '../../fuzz/requests.ts'
import { FRAMEWORKS } from '../../src/frameworks/frameworks.ts'
import { Bench } from './bench.ts'
import type { Answer } from './wire.ts'

/** The same bytes to the service on each framework, and the same answers. */

const BASE_URL = 'https://school.example'
const benches = Object.keys(FRAMEWORKS).map((framework) => ({ framework, bench: new Bench('memory') }))
beforeAll(async () => {
  for (const { framework, bench } of benches) await bench.start({ FRAMEWORK: framework, BASE_URL })
})
afterAll(async () => {
  for (const { bench } of benches) await bench.stop()
})

const PATHS = new Set(GOOD_REQUESTS.map(({ path }) => path))

/** What is said of the connection, and what is random or the time, differs. */
const OF_THE_CONNECTION = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']
const RANDOM =
  /[0-9a-f]{8}(-[0-9a-f]{4,12}){4}|\b[0-9a-f]{32}\b|[\w-]+\.[\w-]+\.[\w-]{43}|(?<![\w-])([\w-]{43}|[\w-]{22})(?![\w-])|\b1\d{9}\b/g

function seen(answer: Answer): object {
  const lines = answer.lines.filter(([name]) => !OF_THE_CONNECTION.includes(name))
  const headers = lines.map(([name, value]) => `${name}: ${value.replaceAll(RANDOM, '*')}`)
  return { status: answer.status, headers: headers.sort(), body: answer.body.replaceAll(RANDOM, '*') }
}

/** What a framework refuses by itself, before there is a route: each in its own way, and all of them safely. */
function isOwnRefusal({ status, body }: Answer): boolean {
  return [400, 404].includes(status) && (body === '' || /"not_found"|not an HTTP request/.test(body))
}

/** Fastify reads no body whose type is none, where the others leave it to the endpoint. */
function isUnreadableType({ body }: Answer): boolean {
  return body.includes('The body could not be read')
}

async function expectSameAnswers(request: FuzzedRequest): Promise<void> {
  const headers = [['Host', 'school.example'] as const, ...(request.headers ?? [])]
  const bytes = bytesOf({ ...request, headers }, {}, 0)
  const answers = await Promise.all(benches.map(({ bench }) => bench.exchange(bytes)))
  if (answers.every(isOwnRefusal) || answers.some(isUnreadableType)) return
  const [first, ...others] = answers.map(seen)
  for (const [index, other] of others.entries())
    expect(other, `${benches[index + 1]?.framework}: ${bytes.toString('latin1').slice(0, 500)}`).toEqual(
      first,
    )
}

it('REQ-71: every good request is answered alike on Fastify, Express and Hono', async () => {
  for (const good of GOOD_REQUESTS)
    await expectSameAnswers({ ...good, framing: 'length', encoded: true, noise: [] })
})

it('REQ-71: requests that no good client sends are answered alike too', async () => {
  const whole = fuzzedRequest.filter(({ method, path, form = [], text = '', framing, noise, headers }) => {
    // Fastify does not look at a body where none is expected.
    const unexpected = ['GET', 'HEAD', 'TRACE'].includes(method) && (form.length > 0 || text !== '')
    if (unexpected) return false
    const own = (headers ?? []).some(([name]) =>
      /^(host|te|expect|upgrade|content-length|transfer|connection)/i.test(name),
    )
    // Which spellings of a path are a path of its own is for each framework; none leads past a guard (HT-09).
    if (!PATHS.has(path)) return false
    // Of a repeated header Node keeps the first value, and Hono all of them.
    const names = (headers ?? []).map(([name]) => name.toLowerCase())
    if (new Set(names).size < names.length) return false
    return noise.length === 0 && ['length', 'chunked'].includes(framing) && !own
  })
  await fc.assert(fc.asyncProperty(whole, expectSameAnswers), { numRuns: 600 })
})
