import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FRAMEWORKS } from '@grantkit/reference/frameworks'
import { pathsOf } from '@grantkit/reference/test/paths'
import { Bench } from '@grantkit/reference/test/security/bench'
import type { StoreFault } from '@grantkit/reference/test/security/faulty-store'
import { type Answer, exchange } from '@grantkit/reference/test/security/wire'
import { expect } from 'vitest'
import { bytesOf } from './bytes.ts'
import { comparable } from './comparable.ts'
import { EVERY_ROUTE, UPSTREAM } from './every-route.ts'
import type { FuzzedRequest } from './mutations.ts'
import { brokenPromises } from './promises.ts'
import type { GoodRequest } from './requests.ts'
import { World } from './world.ts'

const BASE_URL = 'https://school.example'

interface Side {
  readonly framework: string
  readonly bench: Bench
  readonly world: World
  /** Of Bob, whose grants are all the same: their order depends on random ids. */
  readonly bob_session: string
}

/** The service with every route on every framework, each with its own users and clients, all in the same state. */
export class SideBySide {
  readonly #sides: readonly Side[]
  /** The statuses of all equal answers, by the requested path. */
  readonly answered = new Map<string, Set<number>>()

  private constructor(sides: readonly Side[]) {
    this.#sides = sides
  }

  static async start(environment: Record<string, string> = {}): Promise<SideBySide> {
    const folder = await mkdtemp(join(tmpdir(), 'grantkit-side-by-side-'))
    const UPSTREAM_FILE = join(folder, 'upstream.json')
    await writeFile(UPSTREAM_FILE, JSON.stringify(UPSTREAM))
    const sides = Object.keys(FRAMEWORKS).map(async (framework) => {
      const bench = new Bench('memory')
      await bench.start({ FRAMEWORK: framework, BASE_URL, UPSTREAM_FILE, ...EVERY_ROUTE, ...environment })
      await bench.service.accounts.setAdmin('bob-id', true)
      return { framework, bench, world: await World.begin(bench), bob_session: await bench.session('bob') }
    })
    const started = new SideBySide(await Promise.all(sides))
    await rm(folder, { recursive: true })
    return started
  }

  async stop(): Promise<void> {
    for (const { bench } of this.#sides) await bench.stop()
  }

  /** The paths of all routes, the same on every framework. */
  get paths(): string[] {
    return this.#sides.slice(0, 1).flatMap(({ bench }) => pathsOf(bench.service))
  }

  /** Those of them that a framework has a route for. */
  get mounted(): string[] {
    return this.#sides.slice(0, 1).flatMap(({ bench }) => bench.service.routes.map(({ path }) => path))
  }

  get statuses(): Set<number> {
    return new Set([...this.answered.values()].flatMap((statuses) => [...statuses]))
  }

  /** Renews all credentials. */
  async renew(): Promise<void> {
    await Promise.all(this.#sides.map(({ world }) => world.renew()))
  }

  set fault(fault: StoreFault | undefined) {
    for (const { bench } of this.#sides)
      Object.assign(bench, { fault, failuresExpected: fault !== undefined })
  }

  /** Sends the request to each service, with that service's credentials. */
  answersTo(request: FuzzedRequest): Promise<Answer[]> {
    const headers = [['Host', 'school.example'] as const, ...(request.headers ?? [])]
    return Promise.all(
      this.#sides.map((side) => answerTo(side, bytesOf({ ...request, headers }, credentialsOf(side), 0))),
    )
  }

  /** Failures of the services since the last call, and secrets in their logs. */
  unexpectedFailures(): string[] {
    return this.#sides.flatMap(({ bench }) => bench.unexpectedFailures())
  }

  /** Expects equal answers, without random values, times and headers of the connection. */
  expectSame(path: string, about: string, answers: readonly Answer[]): void {
    const [first, ...others] = this.#sides.map((side, index) => ({
      framework: side.framework,
      said: comparable(answers[index] as Answer, credentialsOf(side)),
    }))
    for (const { framework, said } of others)
      expect(said, `${framework}: ${about.slice(0, 500)}`).toEqual(first?.said)
    const statuses = this.answered.get(path) ?? new Set()
    this.answered.set(path, statuses)
    for (const { status } of answers) statuses.add(status)
  }

  /** Returns one of the answers. */
  async expectSameAnswers(request: GoodRequest): Promise<Answer> {
    const answers = await this.answersTo({ ...request, framing: 'length', encoded: true, noise: [] })
    this.expectSame(request.path, JSON.stringify(request), answers)
    return answers[0] as Answer
  }

  /** The same for bytes as they stand. */
  async expectSameAnswersToBytes(bytes: string): Promise<void> {
    const answers = await Promise.all(this.#sides.map((side) => answerTo(side, Buffer.from(bytes))))
    this.expectSame('', JSON.stringify(bytes), answers)
  }
}

/** Sends the bytes, and expects what every answer must keep. */
async function answerTo({ framework, bench, world }: Side, bytes: Buffer): Promise<Answer> {
  const answer = await exchange(bench.service.port, bytes)
  const broken = brokenPromises({ answer, bytes, secrets: world.secrets })
  expect(broken, `${framework}: ${bytes.toString('latin1').slice(0, 500)}`).toEqual([])
  world.forgetPublished(bytes, answer)
  return answer
}

function credentialsOf({ bench, world, bob_session }: Side) {
  return { ...world.credentials, bob_session, password: bench.passwordOf('alice') }
}
