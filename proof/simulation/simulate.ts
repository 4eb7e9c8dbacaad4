/** Runs one seed of the simulation, a number of seeds, or as many as a time allows. See docs/reference/simulation.md. */
import { execFileSync } from 'node:child_process'
import { readCommandLine, refuse } from '@grantkit/reference/command-line'
import { tick } from '../progress.ts'
import { APPS } from './src/plan/plans.ts'
import { PLANTED } from './src/planted/planted-faults.ts'
import { checkSeed, type Outcome } from './src/run/check-seed.ts'
import { findFault } from './src/run/find-fault.ts'
import { failureLines } from './src/run/report.ts'
import { seedOfDay } from './src/scheduler/seed-of-day.ts'

const USAGE = `pnpm --dir proof simulate [--seed <number>] [--seeds <count> | --minutes <number>]

Runs clients, replicas, a network and a store in virtual time, and judges what the server answered.

  --seed     one seed; without it, many from the seed of the day
  --seeds    how many, 200 if left out
  --minutes  as many as this time allows
  --apps     the most apps of a plan, ${APPS} if left out
  --path     of a shrunk plan, as a failure prints it
  --fault    plants this fault, by its number
  --faults   plants each fault, and prints in how many steps it is found, as a table
  --date     of the seed, today if left out
  --shard    of several that run at once, from 0`

const { values } = readCommandLine(USAGE, {
  options: {
    seed: { type: 'string' },
    path: { type: 'string' },
    apps: { type: 'string', default: String(APPS) },
    seeds: { type: 'string', default: '200' },
    minutes: { type: 'string' },
    date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    shard: { type: 'string', default: '0' },
    fault: { type: 'string' },
    faults: { type: 'boolean', default: false },
  },
})

const commit =
  process.env.GITHUB_SHA ?? execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
const maxApps = Number(values.apps)
const planted = values.fault === undefined ? undefined : PLANTED[Number(values.fault)]
if (values.fault !== undefined && planted === undefined) refuse(USAGE, `There is no fault ${values.fault}.`)
/** Shards are so far apart that they never meet. */
const SHARD = 10_000_000

process.exitCode = await run()

function run(): Promise<number> {
  if (values.faults) return findFaults()
  return values.seed === undefined ? runMany() : runOne(Number(values.seed))
}

async function findFaults(): Promise<number> {
  let missed = 0
  console.log('| | Fault | Seeds | Steps |\n|---|---|---|---|')
  for (const [number, fault] of Object.entries(PLANTED)) {
    const { seeds, steps, seen } = await findFault(fault)
    if (seen === undefined) missed++
    console.log(`| ${number} | ${fault.title} | ${seeds} | ${seen === undefined ? 'not found' : steps} |`)
  }
  return missed > 0 ? 1 : 0
}

async function runOne(seed: number): Promise<number> {
  const { path } = values
  const how = path === undefined ? {} : { path, shrinkMs: 0 }
  return report(await checkSeed(seed, { maxApps, plant: planted?.plant, ...how }), seed)
}

async function runMany(): Promise<number> {
  const first = (seedOfDay(values.date, commit) + SHARD * Number(values.shard)) % 2 ** 31
  const end = values.minutes === undefined ? undefined : performance.now() + Number(values.minutes) * 60_000
  const count = end === undefined ? Number(values.seeds) : Number.POSITIVE_INFINITY
  const before = process.cpuUsage()
  let [done, steps, failed] = [0, 0, 0]
  console.log(`seed of ${values.date} at ${commit.slice(0, 8)}, shard ${values.shard}: ${first}`)
  for (; done < count && !(end !== undefined && performance.now() > end); done++) {
    const outcome = await checkSeed((first + done) % 2 ** 31, { maxApps, plant: planted?.plant })
    steps += outcome.steps
    tick(() => `${done + 1} seeds, ${steps} steps of the store, ${failed} failed`)
    if (outcome.failure !== undefined) failed += report(outcome, outcome.failure.seed)
  }
  const { user, system } = process.cpuUsage(before)
  const seconds = (user + system) / 1_000_000
  console.log(
    `${done} seeds, ${steps} steps of the store, ${Math.round(steps / seconds)} in a second of CPU time, ${failed} failed`,
  )
  return failed > 0 ? 1 : 0
}

function report({ failure, steps, operations }: Outcome, seed: number): number {
  if (failure !== undefined)
    for (const line of failureLines(failure, { commit, maxApps, fault: values.fault })) console.log(line)
  else console.log(`seed ${seed}: ${operations} requests, ${steps} steps of the store, no fault`)
  return failure === undefined ? 0 : 1
}
