/** Writes the chart and the table of the latest saved run between the markers of the pages that show it. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { frontPage } from './report.ts'
import { RESULTS, type Results } from './results.ts'

const PAGES = ['README.md', 'docs/comparison.md']
const MARKED = /(<!-- bench:start -->\n)[\s\S]*(<!-- bench:end -->)/

const latest = (await readdir(RESULTS))
  .filter((name) => name.endsWith('.json'))
  .sort()
  .at(-1)
if (latest === undefined) throw new Error('There are no results yet: run `pnpm bench`')
const results: Results = JSON.parse(await readFile(join(RESULTS, latest), 'utf8'))
for (const page of PAGES) {
  const path = join(import.meta.dirname, '../..', page)
  const text = await readFile(path, 'utf8')
  if (!MARKED.test(text)) throw new Error(`${page} lacks <!-- bench:start --> and <!-- bench:end -->`)
  const shown = frontPage(results)
  await writeFile(
    path,
    text.replace(MARKED, (_, start, end) => `${start}\n${shown}\n\n${end}`),
  )
  console.log(`${page} shows results/${latest}`)
}
