import { readFile, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './targets.ts'

/** More load than this before a run is of other programs. */
const MAX_LOAD = 1

export function isBusy(): boolean {
  return (loadavg()[0] ?? 0) > MAX_LOAD
}

/** @returns the file that it wrote */
export async function publishResults(name: string, text: string): Promise<string> {
  const file = `proof/benchmarks/results/${name}.md`
  await writeFile(join(ROOT, file), text)
  return file
}

/** @param table in Markdown */
export async function publishInReadme(name: string, table: string): Promise<void> {
  const path = join(ROOT, 'README.md')
  await writeFile(path, replaceMarked(await readFile(path, 'utf8'), name, table))
}

/** @throws Error if the page has no place for it */
export function replaceMarked(page: string, name: string, text: string): string {
  const marked = new RegExp(`(<!-- ${name}:start -->\\n)[\\s\\S]*?(<!-- ${name}:end -->)`)
  if (!marked.test(page)) throw new Error(`The page has no marks ${name}:start and ${name}:end`)
  return page.replace(marked, (_, start, end) => `${start}\n${text}\n\n${end}`)
}
