/** Publishes the latest saved run: the report, and the chart and tables of the pages that show it. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { refusal } from './publishable.ts'
import { frontPage, report } from './report.ts'
import { RESULTS, type Results } from './results.ts'

const PAGES = ['README.md', 'docs/comparison.md']
const MARKED = /(<!-- bench:start -->\n)[\s\S]*(<!-- bench:end -->)/

const latest = (await readdir(RESULTS))
  .filter((name) => name.endsWith('.json'))
  .sort()
  .at(-1)
const results: Results | undefined =
  latest === undefined ? undefined : JSON.parse(await readFile(join(RESULTS, latest), 'utf8'))
const why = results === undefined ? 'There are no results yet: run `pnpm bench`' : refusal(results)

if (results === undefined || why !== undefined) {
  console.error(why)
  process.exitCode = 1
} else await publish(results)

async function publish(shown: Results): Promise<void> {
  for (const page of PAGES) {
    const path = join(import.meta.dirname, '../..', page)
    const text = await readFile(path, 'utf8')
    if (!MARKED.test(text)) throw new Error(`${page} lacks <!-- bench:start --> and <!-- bench:end -->`)
    await writeFile(
      path,
      text.replace(MARKED, (_, start, end) => `${start}\n${frontPage(shown)}\n\n${end}`),
    )
    console.log(`${page} shows results/${latest}`)
  }
  await writeFile(join(RESULTS, 'latest.md'), report(shown))
}
