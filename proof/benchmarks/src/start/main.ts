/** How long a start takes, and how large things are: `pnpm --dir proof bench:start`. */
import { parseArgs } from 'node:util'
import { describeMachine, describeVersions } from '../machine.ts'
import { isBusy, publishResults } from '../publish.ts'
import { measureStart } from './measure.ts'
import { report } from './report.ts'

const USAGE = `pnpm --dir proof bench:start

  --grants <number>  whose memory is measured, 20000 by default
  --publish          writes proof/benchmarks/results/start.md
  --help`

const { values } = parseArgs({
  options: {
    grants: { type: 'string', default: '20000' },
    publish: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(USAGE)
else await measure()

async function measure(): Promise<void> {
  const busy = isBusy()
  const day = new Date().toISOString().slice(0, 10)
  const machine = `${day}: ${describeMachine('not pinned')}${busy ? ' **It was busy: the times are only a rough guide.**' : ''}`
  const measured = await measureStart(Number(values.grants))
  const command = ['pnpm --dir proof bench:start', ...process.argv.slice(2)].join(' ')
  const text = report(measured, { machine: `${machine} ${describeVersions([])}.`, command })
  console.log(text)
  if (values.publish) console.log(`Published in ${await publishResults('start', text)}.`)
}
