import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { entryPoints } from '../site/entry-points.ts'
import typedoc from '../site/typedoc.config.ts'
import { ROOT } from './packages/publishable.ts'

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, unknown>>
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

it('the site documents every package that can be installed and imported, and no private one', () => {
  const folders = globSync('*/*/package.json', { cwd: ROOT, exclude: ['**/node_modules/**'] }).map((path) =>
    join(ROOT, dirname(path)),
  )
  const imported = folders.filter((folder) => {
    const manifest = manifestIn(folder)
    return !manifest.private && manifest.exports
  })
  expect(typedoc.entryPoints.toSorted()).toEqual(imported.sort())
})

it('TypeDoc finds the source of every entry point that has a page, and no other', () => {
  const found = typedoc.entryPoints.flatMap((folder) => {
    const { name, exports = {} } = manifestIn(folder)
    const sources = Object.entries(exports).filter(
      ([, file]) => typeof file === 'string' && existsSync(join(folder, file)),
    )
    return sources.map(([path]) => join(name, path))
  })
  expect(found.sort()).toEqual(entryPoints.map(({ specifier }) => specifier).sort())
})
