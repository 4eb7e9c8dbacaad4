/** What a call costs, line by line, without HTTP: `pnpm --dir proof bench:budget`. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine, describeVersions, onCore, SERVER_CORE } from '../machine.ts'
import { isBusy, publishResults } from '../publish.ts'
import type { Budget } from './process.ts'
import { report } from './report.ts'

const USAGE = `pnpm --dir proof bench:budget

  --processes <number>  in turn, 10 by default
  --calls <number>      in a batch, of which a process makes 20 for each operation; 1000 by default
  --publish             writes proof/benchmarks/results/budget.md
  --help`

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '10' },
    calls: { type: 'string', default: '1000' },
    publish: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(USAGE)
else await measure()

async function measure(): Promise<void> {
  const busy = isBusy()
  const program = join(import.meta.dirname, 'process.ts')
  const [command, args] = onCore(SERVER_CORE, process.execPath, ['--expose-gc', program, values.calls])
  const measured = Array.from({ length: Number(values.processes) }, (_, index): Record<string, Budget> => {
    console.error(`Process ${index + 1} of ${values.processes}`)
    return JSON.parse(execFileSync(command, args, { encoding: 'utf8' }))
  })
  const day = new Date().toISOString().slice(0, 10)
  const machine = `${day}: ${describeMachine('one core')}${busy ? ' **It was busy: the times are only a rough guide.**' : ''}`
  const text = report(measured, {
    machine: `${machine} ${describeVersions([])}.`,
    command: ['pnpm --dir proof bench:budget', ...process.argv.slice(2)].join(' '),
  })
  console.log(text)
  if (values.publish) console.log(`Published in ${await publishResults('budget', text)}.`)
}
