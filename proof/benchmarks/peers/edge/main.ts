/** Grantkit and `@cloudflare/workers-oauth-provider` in workerd: what they do in races and failures, and how fast they are. */
import { parseArgs } from 'node:util'
import { behaviourTable } from './behaviour-table.ts'
import { type Behaviour, behaviours } from './measure-behaviour.ts'
import { speeds } from './measure-speed.ts'
import { brokenPromises } from './promises.ts'
import { conditions, loadNow, publish, steadiness } from './publish.ts'
import { isGrantkit, SIDES } from './sides.ts'
import { speedTable } from './speed-table.ts'

const USAGE = `pnpm --dir proof bench:edge

  --rounds <number>   of each race (default 20)
  --quick             few rounds: its times are invalid
  --publish           also writes proof/benchmarks/results/edge.md and the table of docs/comparison.md
  --help`

const values = optionsOrExit()

const loadBefore = loadNow()
const under = await conditions()
console.log(`${under}\n`)
const rounds = Number(values.rounds ?? (values.quick ? 2 : 20))
const measured = await behaviours(rounds)
const behaviour = behaviourTable(measured)
console.log(`${behaviour}\n`)
const speed = speedTable(await speeds(values.quick ? { rounds: 1, starts: 1 } : { rounds: 10, starts: 9 }))
const steady = steadiness(loadBefore)
console.log(`${speed}\n\n${steady}`)
if (values.publish && !values.quick)
  await publish({ conditions: under, rounds, behaviour, speed, steadiness: steady })

for (const side of SIDES.filter(isGrantkit))
  for (const broken of brokenPromises(measured.get(side.name) as Behaviour)) {
    console.error(`${side.name}: not so: ${broken}`)
    process.exitCode = 1
  }

function optionsOrExit() {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: 'string' },
        quick: { type: 'boolean', default: false },
        publish: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (!values.help) return values
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`)
    process.exit(2)
  }
  console.log(USAGE)
  process.exit(0)
}
