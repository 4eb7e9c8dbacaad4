/** Titles each page of the API reference with what is imported. TypeDoc titles it with the path alone, and an index with nothing. */
import { readFileSync, writeFileSync } from 'node:fs'
import { entryPoints } from './entry-points.ts'

for (const { specifier, file } of entryPoints) {
  const page = new URL(file, import.meta.url)
  writeFileSync(page, readFileSync(page, 'utf8').replace(/^# .*$/m, `# ${specifier}`))
}
