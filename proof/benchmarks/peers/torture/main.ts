/** The torture kit against Grantkit on each store and against its peers, each in a process of its own. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { textReport, writeHistory } from '../../../torture/src/index.ts'
import { publish } from './publish.ts'
import { ownTable, type Result } from './published.ts'
import { raceRow } from './race.ts'
import { isGrantkit, ROWS } from './rows.ts'

const USAGE = `pnpm --dir proof bench:torture

  --seed <number>   of all choices (default 1)
  --only <row,row>  ${ROWS.map(({ name }) => name).join(', ')}
  --publish         also writes proof/benchmarks/results/torture.md, after a run of all rows
  --help

Histories, reports and results.json are written to a new temporary folder. They may show a fault of a peer that is not public:
tell its maintainers first.`

const values = optionsOrExit()
const chosen = ROWS.filter(({ name }) => values.only?.split(',').includes(name) ?? true)
const seed = Number(values.seed)
const folder = await mkdtemp(join(tmpdir(), 'torture-peers-'))
const results: Result[] = []
for (const row of chosen) {
  if (row.file === undefined) results.push({ row })
  else results.push({ row, findings: await findingsOf(row) })
}
await writeFile(join(folder, 'results.json'), JSON.stringify({ seed, results }, null, 2))
console.log(`${ownTable(results)}\n\nHistories and results: ${folder}`)
if (values.publish && values.only === undefined) await publish(results, seed)
if (results.some(({ row, findings = [] }) => isGrantkit(row) && findings.some(isFault))) process.exitCode = 1

async function findingsOf(row: (typeof ROWS)[number]) {
  const started = performance.now()
  const report = await raceRow(row, seed)
  await writeFile(join(folder, `${row.name}.ndjson`), writeHistory([...report.history]))
  await writeFile(join(folder, `${row.name}.txt`), textReport(report).join('\n'))
  const { planned, ended } = report.rounds
  const seconds = Math.round((performance.now() - started) / 1000)
  console.error(`${row.name}: ${ended} of ${planned} rounds, ${report.sent.requests} requests, ${seconds} s`)
  for (const reason of report.interruptions) console.error(`  ${reason}`)
  return report.findings
}

function isFault({ verdict }: { readonly verdict: string }): boolean {
  return ['unsafe', 'lossy', 'noisy', 'unknown'].includes(verdict)
}

function optionsOrExit() {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string', default: '1' },
        only: { type: 'string' },
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
