import { Bench } from '@grantkit/reference/test/security/bench'
import { type Answer, exchange } from '@grantkit/reference/test/security/wire'
import fc from 'fast-check'
import { bytesOf } from './bytes.ts'
import { type FuzzedRequest, fuzzedRequest } from './mutations.ts'
import { brokenPromises } from './promises.ts'
import { World } from './world.ts'

/** The number of requests between renewals of credentials, because successful requests use them up. */
const RENEWED_EVERY = 100

/** Longer than an answer takes; an incomplete request is then ended. */
const PATIENCE_MS = 1000

/** The number of services in parallel, each with its share of the requests. */
const SHARES = 4

export interface Campaign {
  /** The number of requests by the status of their answer. */
  readonly answers: ReadonlyMap<number, number>
  /** The first request that broke a promise, minimized; `undefined` if there is none. */
  readonly failure: string | undefined
}

/**
 * Sends mutated requests to its own services. The same seed makes the same requests.
 *
 * @param environment settings of the services
 */
export async function runCampaign(
  requests: number,
  seed: number,
  environment: Record<string, string> = {},
): Promise<Campaign> {
  const shares = await Promise.all(
    Array.from({ length: SHARES }, (_, index) =>
      runShare(Math.ceil(requests / SHARES), seed + index, environment),
    ),
  )
  const answers = new Map<number, number>()
  for (const share of shares)
    for (const [status, count] of share.answers) answers.set(status, (answers.get(status) ?? 0) + count)
  return { answers, failure: shares.find(({ failure }) => failure !== undefined)?.failure }
}

async function runShare(
  requests: number,
  seed: number,
  environment: Record<string, string>,
): Promise<Campaign> {
  const bench = new Bench()
  await bench.start(environment)
  const answers = new Map<number, number>()
  try {
    const world = await World.begin(bench)
    let sent = 0
    const property = fc.asyncProperty(fuzzedRequest, async (request) => {
      if (++sent % RENEWED_EVERY === 0) await world.renew()
      const { answer, bytes } = await answerTo(bench, world, request)
      const status = answer?.status ?? 0
      answers.set(status, (answers.get(status) ?? 0) + 1)
      const broken = answer ? brokenPromises({ answer, bytes, secrets: world.secrets }) : []
      if (answer) world.forgetPublished(bytes, answer)
      const problems = [...broken, ...bench.unexpectedFailures()]
      if (problems.length > 0) throw new Error(report(problems, bytes, answer))
    })
    const result = await fc.check(property, { numRuns: requests, seed, endOnFailure: false })
    const failure = `${fc.defaultReportMessage(result)}\n${String(result.errorInstance)}`
    return { answers, failure: result.failed ? failure : undefined }
  } finally {
    await bench.stop()
  }
}

/** @throws Error when a valid HTTP request was not answered */
async function answerTo(
  bench: Bench,
  world: World,
  request: FuzzedRequest,
): Promise<{ answer: Answer | undefined; bytes: Buffer }> {
  const { port } = bench.service
  const bytes = bytesOf(request, world.credentials, port)
  const endAfter = request.framing === 'long' ? 0 : PATIENCE_MS
  try {
    // On a busy machine the end may come before the answer, which is then lost; the second try does not end the
    // request.
    const answer = await exchange(port, bytes, { endAfter }).catch(() => exchange(port, bytes))
    return { answer, bytes }
  } catch (silence) {
    // Line breaks alone are no request, and Node closes the connection on CONNECT.
    if (/^[\r\n]*$|^\s*CONNECT /.test(bytes.toString('latin1'))) return { answer: undefined, bytes }
    throw silence
  }
}

function report(problems: readonly string[], bytes: Buffer, answer: Answer | undefined): string {
  const got = answer
    ? `${answer.status} ${JSON.stringify(answer.lines)}\n${answer.body.slice(0, 500)}`
    : 'no answer'
  return `${problems.join('; ')}\n${bytes.toString('latin1').slice(0, 1500)}\n--- answered with\n${got}`
}
