/** Puts the table of the latest kept run between the markers of the repository's README. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { throughputTable } from './report.ts'
import { RESULTS, type Results } from './results.ts'

const README = join(import.meta.dirname, '../../README.md')
const MARKED = /(<!-- bench:start -->\n)[\s\S]*(<!-- bench:end -->)/

const latest = (await readdir(RESULTS))
  .filter((name) => name.endsWith('.json'))
  .sort()
  .at(-1)
if (latest === undefined) throw new Error('There are no results yet: run `pnpm bench`')
const results: Results = JSON.parse(await readFile(join(RESULTS, latest), 'utf8'))
const text = await readFile(README, 'utf8')
if (!MARKED.test(text)) throw new Error('README.md lacks <!-- bench:start --> and <!-- bench:end -->')
await writeFile(
  README,
  text.replace(MARKED, (_, start, end) => `${start}\n${throughputTable(results)}\n\n${end}`),
)
console.log(`README.md shows results/${latest}`)
