/**
 * Refreshes and introspections a second of `grantkit start` with one worker and with several, on Postgres: `pnpm --dir proof bench:workers`.
 * Both servers run all the time, share a database, and take turns.
 *
 * Nothing is pinned to a core: workers, Postgres and generator share all of them. With two cores, two workers cannot be twice as
 * fast as one.
 */
import { availableParallelism, cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { estimate } from '../src/statistics.ts'
import { type Deployment, startDeployment } from './deployment.ts'
import { type Rate, rateOf, WORKLOADS } from './workloads.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '2' },
    workers: { type: 'string', default: '2' },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]

const deployment = await startDeployment(['1', values.workers])
try {
  console.log(
    `${cpus()[0]?.model}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)} before the run`,
  )
  for (const [name, workload] of Object.entries(WORKLOADS)) await compare(name, workload, deployment)
} finally {
  await deployment.close()
}

async function compare(name: string, workload: Rate, { ports: [one = 0, several = 0], access }: Deployment) {
  const measure = (port: number) => rateOf(port, seconds, workload, access)
  // Not counted: the code is not yet compiled.
  for (const port of [one, several]) await measure(port)
  const rates: [number, number][] = []
  for (let round = 0; round < rounds; round++) {
    // Who is first changes, so that a machine that gets slower within a round favours neither.
    if (round % 2 === 0) rates.push([await measure(one), await measure(several)])
    else {
      const later = await measure(several)
      rates.push([await measure(one), later])
    }
  }
  const ratio = estimate(rates.map(([first, second]) => second / first))
  const [first, second] = [0, 1].map((at) => Math.round(estimate(rates.map((pair) => pair[at] ?? 0)).median))
  console.log(
    `${name}: ${first} a second with 1 worker, ${second} with ${values.workers}; ` +
      `ratio ${ratio.median.toFixed(2)} ± ${(ratio.spread * ratio.median).toFixed(2)} in ${rounds} rounds`,
  )
}
