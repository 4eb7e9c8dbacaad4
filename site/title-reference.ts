/** Titles each page of the API reference with what is imported. TypeDoc titles it with the path alone, and an index with nothing. */
import { readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { publishablePackages, ROOT } from '../scripts/packages/publishable.ts'
import { entryPoints } from './entry-points.ts'

for (const { specifier, file } of entryPoints) {
  const page = new URL(file, import.meta.url)
  writeFileSync(page, readFileSync(page, 'utf8').replace(/^# .*$/m, `# ${specifier}`))
}

const described = publishablePackages().map(({ folder, manifest: { name, description } }) => {
  const imported = entryPoints.filter(({ specifier }) => `${specifier}/`.startsWith(`${name}/`))
  const links = imported.map(({ specifier, file }) => `[${specifier}](${file.replace('reference/', '')})`)
  const readme = `[README](../../${relative(ROOT, folder)}/README.md)`
  return `- **${name}**: ${description}. ${[readme, ...links].join(', ')}`
})
writeFileSync(
  new URL('reference/index.md', import.meta.url),
  ['# Packages and TypeScript API', described.join('\n')].join('\n\n'),
)
