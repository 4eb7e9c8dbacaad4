import { signIn } from '../grantkit/sign-in.ts'
import { GENERATOR_CORE, pinThisProcess } from './cores.ts'
import { drive } from './load.ts'
import type { Effort } from './options.ts'
import { quantile } from './statistics.ts'
import { table } from './table.ts'
import { TargetProcess } from './target-process.ts'
import { isExpectedStatus, WORK, type WorkName } from './work.ts'

/** `pnpm bench sign-ins`: passwords are hashed and ID tokens are signed by the same threads of libuv. */

const CROWDS = [0, 50]
const EXCHANGES = ['code', 'id-token-es256', 'id-token-rs256'] as const
const COUNT = 1000

/** The table: how long one client waits for each exchange, alone and beside users who sign in one after another. */
export async function measureBesideSignIns(effort: Effort): Promise<string> {
  pinThisProcess(GENERATOR_CORE)
  const service = await TargetProcess.start('grantkit/reference-service.ts')
  try {
    const rows: string[][] = []
    for (const work of EXCHANGES) {
      await exchange(service, work, effort.warmUpRequests)
      for (const crowd of CROWDS)
        rows.push([WORK[work].title, String(crowd), ...(await beside(service, work, crowd))])
    }
    return table(['', 'users who sign in', 'p50, ms', 'p99, ms', 'sign-ins/s'], rows)
  } finally {
    await service.stop()
  }
}

async function beside(service: TargetProcess, work: WorkName, size: number): Promise<string[]> {
  const crowd = new Crowd(`http://localhost:${service.port}`, size)
  const { latencies, seconds } = await exchange(service, work, COUNT)
  const signedIn = crowd.signedIn / seconds
  await crowd.leave()
  return [quantile(latencies, 0.5).toFixed(2), quantile(latencies, 0.99).toFixed(2), signedIn.toFixed(0)]
}

/** One exchange after another: each finds the server busy with the crowd alone. */
async function exchange(service: TargetProcess, work: WorkName, count: number) {
  const { requests = [] } = await service.ask({ do: 'prepare', work, count })
  return drive({
    port: service.port,
    requests: requests.map((request) => Buffer.from(request)),
    connections: 1,
    expected: (status) => isExpectedStatus(WORK[work], status),
  })
}

/** Users each of whom signs in again as soon as they are signed in. */
class Crowd {
  readonly #users: readonly Promise<void>[]
  #left = false
  signedIn = 0

  constructor(baseUrl: string, size: number) {
    this.#users = Array.from({ length: size }, () => this.#signInAgainAndAgain(baseUrl))
  }

  async #signInAgainAndAgain(baseUrl: string): Promise<void> {
    while (!this.#left) {
      await signIn(baseUrl)
      this.signedIn += 1
    }
  }

  async leave(): Promise<void> {
    this.#left = true
    await Promise.all(this.#users)
  }
}
