import { expect } from 'vitest'
import { bytesOf } from '../../fuzz/bytes.ts'
import type { FuzzedRequest } from '../../fuzz/mutations.ts'
import type { GoodRequest } from '../../fuzz/requests.ts'
import { World } from '../../fuzz/world.ts'
import { FRAMEWORKS } from '../../src/frameworks/frameworks.ts'
import { pathsOf } from '../paths.ts'
import { Bench } from './bench.ts'
import { comparable } from './comparable.ts'
import type { StoreFault } from './faulty-store.ts'
import type { Answer } from './wire.ts'

const BASE_URL = 'https://school.example'

interface Side {
  readonly framework: string
  readonly bench: Bench
  readonly world: World
}

/** The service on every framework, each with its own users and clients, all in the same state. */
export class SideBySide {
  readonly #sides: readonly Side[]
  /** The statuses of all equal answers. */
  readonly statuses = new Set<number>()

  private constructor(sides: readonly Side[]) {
    this.#sides = sides
  }

  static async start(environment: Record<string, string> = {}): Promise<SideBySide> {
    const sides = Object.keys(FRAMEWORKS).map(async (framework) => {
      const bench = new Bench()
      await bench.start({ FRAMEWORK: framework, BASE_URL, ...environment })
      return { framework, bench, world: await World.begin(bench) }
    })
    return new SideBySide(await Promise.all(sides))
  }

  async stop(): Promise<void> {
    for (const { bench } of this.#sides) await bench.stop()
  }

  /** The paths of all routes, the same on every framework. */
  get paths(): string[] {
    return this.#sides.slice(0, 1).flatMap(({ bench }) => pathsOf(bench.service))
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
      this.#sides.map(({ bench, world }) =>
        bench.exchange(bytesOf({ ...request, headers }, world.credentials, 0)),
      ),
    )
  }

  /** Expects equal answers, without random values, times and headers of the connection. */
  expectSame(request: GoodRequest, answers: readonly Answer[]): void {
    const [first, ...others] = this.#sides.map(({ framework, world }, index) => ({
      framework,
      said: comparable(answers[index] as Answer, world.credentials),
    }))
    const about = JSON.stringify(request).slice(0, 500)
    for (const { framework, said } of others) expect(said, `${framework}: ${about}`).toEqual(first?.said)
    for (const { status } of answers) this.statuses.add(status)
  }

  /** Returns one of the answers. */
  async expectSameAnswers(request: GoodRequest): Promise<Answer> {
    const answers = await this.answersTo({ ...request, framing: 'length', encoded: true, noise: [] })
    this.expectSame(request, answers)
    return answers[0] as Answer
  }
}
