/** What users wait for while the server has other work: `pnpm --dir proof bench:latency`. */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { describeMachine, describeVersions, GENERATOR_CORE, pinThisProcess } from '../machine.ts'
import { isBusy, publishInReadme, publishResults } from '../publish.ts'
import { type Effort, type Latency, measureLatency } from './measure.ts'
import { report, summary } from './report.ts'
import { LATENCY_TARGETS, type LatencyTarget } from './targets.ts'

const PACKAGES = ['fastify', 'pg', 'mysql2', 'oidc-provider']

const USAGE = `pnpm --dir proof bench:latency

  --only <target,…>   ${LATENCY_TARGETS.map(({ name }) => name).join(', ')}
  --seconds <number>  of each load of each target, 6 by default
  --rate <number>     requests a second that all targets get, 200 by default
  --publish           writes proof/benchmarks/results/latency.md and the table of the README
  --help

Keycloak is measured if KEYCLOAK_HOME is the folder of its distribution, built with \`kc.sh build --db=postgres\`, and Hydra if
HYDRA_PATH is its program.`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '6' },
    rate: { type: 'string', default: '200' },
    publish: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(USAGE)
else await measure()

async function measure(): Promise<void> {
  const seconds = Number(values.seconds)
  const effort = { seconds, warmUp: Math.min(seconds / 3, 2), commonRate: Number(values.rate) }
  const busy = isBusy()
  const day = new Date().toISOString().slice(0, 10)
  const machine = `${day}: ${describeMachine()}${busy ? ' **It was busy: the times are only a rough guide.**' : ''}`
  pinThisProcess(GENERATOR_CORE)
  const { measured, absent } = await measureAll(effort)
  const command = ['pnpm --dir proof bench:latency', ...process.argv.slice(2)].join(' ')
  const conditions = { machine: `${machine} Versions: ${describeVersions(PACKAGES)}.`, command, absent }
  const [text, table] = [report(measured, effort, conditions), summary(measured, effort)]
  console.log(`${text}\n${table}`)
  if (values.publish) await publish(text, table, busy)
}

/** The README keeps its table if the machine was busy, or some targets were left out. */
async function publish(text: string, table: string, busy: boolean): Promise<void> {
  console.log(`Published in ${await publishResults('latency', text)}.`)
  if (busy || values.only !== undefined) return
  await publishInReadme('latency', readmeSection(table))
  console.log('Published in README.md.')
}

/** The README has this section once there are figures. */
function readmeSection(table: string): string {
  return `## How long users wait

${table}

Server on one core, database and load on another ([all stores, p99.9, half of the capacity](proof/benchmarks/results/latency.md); [start and
size](proof/benchmarks/results/start.md)). Load a process to at most half of the capacity that it has there, and add
[processes](docs/scaling.md) beyond it.`
}

/** A target that fails does not cost the figures of the others. */
async function measureAll(effort: Effort) {
  const measured: Latency[] = []
  const absent: Record<string, string> = {}
  for (const target of chosen()) {
    const missing = missingProgram(target)
    if (missing !== undefined) absent[target.name] = missing
    else await measureLatency(target, effort).then((found) => measured.push(...found), failed(target.name))
    console.error(`${target.name}: ${absent[target.name] ?? 'measured'}`)
  }
  return { measured, absent }

  function failed(name: string) {
    return (error: Error) => {
      console.error(error)
      absent[name] = `failed: ${((error.cause ?? error) as Error).message.split('\n')[0]}`
      process.exitCode = 1
    }
  }
}

function chosen(): readonly LatencyTarget[] {
  const names = values.only?.split(',') ?? LATENCY_TARGETS.map(({ name }) => name)
  const unknown = names.find((name) => LATENCY_TARGETS.every((target) => target.name !== name))
  if (unknown !== undefined) throw new Error(`There is no target ${unknown}\n\n${USAGE}`)
  return LATENCY_TARGETS.filter(({ name }) => names.includes(name))
}

function missingProgram({ program }: LatencyTarget): string | undefined {
  if (program === undefined) return undefined
  const path = process.env[program]
  if (path === undefined || path === '') return `not measured, ${program} was not set.`
  return existsSync(path) ? undefined : `not measured, ${program} names no file.`
}
