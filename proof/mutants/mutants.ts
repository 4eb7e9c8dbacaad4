/** Mutates the source of modules with Stryker, and keeps the counts for the page. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommandLine, refuse } from '@grantkit/reference/command-line'
import { ROOT, run } from '../../scripts/packages/publishable.ts'
import { during } from '../progress.ts'
import { countsOf, type Report } from './counts.ts'
import { MODULES, type Module } from './modules.ts'

const USAGE = `pnpm --dir proof mutants <module> ...

Changes the source of each module, one place at a time; a test must fail for each. Counts go into docs/mutants.json; \`pnpm generate\`
puts them on the page. A module takes minutes, and less the second time. Exits with 1 if a module misses its share.

Modules: ${MODULES.map(({ name }) => name).join(', ')}`

const { positionals: names } = readCommandLine(USAGE, { allowPositionals: true })
const unknown = names.find((name) => MODULES.every((module) => module.name !== name))
if (unknown !== undefined) refuse(USAGE, `There is no module ${unknown}.`)
if (names.length === 0) refuse(USAGE, 'Name a module.')

const KEPT = join(ROOT, 'docs/mutants.json')
for (const module of MODULES.filter(({ name }) => names.includes(name))) {
  const counts = await mutated(module)
  const kept = JSON.parse(readFileSync(KEPT, 'utf8'))
  writeFileSync(KEPT, `${JSON.stringify({ ...kept, [module.name]: counts }, null, 2)}\n`)
  console.log(`${module.name}: ${counts.score} % of ${counts.mutants}, at least ${module.least} %`)
  if (counts.score < module.least) process.exitCode = 1
}

async function mutated({ name, source, tests }: Module) {
  const report = join(ROOT, '.grantkit/mutants', `${name.replaceAll('/', '-')}-report.json`)
  const mutate = [...source, '!**/*.test.ts'].join(',')
  const stryker = spawn(
    join(import.meta.dirname, '../node_modules/.bin/stryker'),
    [
      'run',
      'proof/mutants/stryker.config.js',
      '--mutate',
      mutate,
      '--incrementalFile',
      report.replace('-report', ''),
    ],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, MODEL_DEPTH: '5', MUTANT_TESTS: tests.join(' '), MUTANT_REPORT: report },
    },
  )
  const [status] = await during(`mutants of ${name}`, once(stryker, 'exit'))
  if (status !== 0 || !existsSync(report)) throw new Error(`Stryker failed for ${name}`)
  const day = new Date().toISOString().slice(0, 10)
  return { ...countsOf(JSON.parse(readFileSync(report, 'utf8')) as Report), day, commit: commit() }
}

function commit(): string {
  return run('git', ['rev-parse', '--short=8', 'HEAD']).trim()
}
