import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readCommandLine, refuse } from '@grantkit/reference/command-line'
import * as z from 'zod'
import { countsOf, ModuleLog } from './counts.ts'

const USAGE = `pnpm --dir proof conformance:results --commit <id> [--on <parts>] <folder>

Counts the exported results of the suite, one JSON file for each module, and writes the rows of their plans into
docs/openid-suite.json. \`pnpm generate\` then makes the table of docs/openid-suite.md.

  --commit <id>  what the service was built from
  --on <parts>   its framework and its store; default: Fastify, SQLite`

const FILE = join(import.meta.dirname, '../../docs/openid-suite.json')
const Rows = z.array(z.looseObject({ plan: z.string() }))

const { values, positionals } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: { commit: { type: 'string' }, on: { type: 'string', default: 'Fastify, SQLite' } },
})
const folder = positionals[0] && resolve(process.env.INIT_CWD ?? '', positionals[0])
if (folder === undefined || values.commit === undefined) refuse(USAGE, 'A folder and --commit are required.')

const logs = globSync('**/test-log-*.json', { cwd: folder }).map((file) =>
  ModuleLog.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))),
)
if (logs.length === 0) refuse(USAGE, `${folder} has no exported results.`)

const rows = new Map(Rows.parse(JSON.parse(readFileSync(FILE, 'utf8'))).map((row) => [row.plan, row]))
for (const counts of countsOf(logs))
  rows.set(counts.plan, { ...counts, on: values.on, commit: values.commit.slice(0, 8) })
writeFileSync(FILE, `${JSON.stringify([...rows.values()], null, 2)}\n`)
