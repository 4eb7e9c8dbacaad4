import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const packages = globSync('packages/*/package.json', { cwd: ROOT })
  .sort()
  .map((path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest)
  .filter((manifest) => !manifest.private)

interface Manifest {
  name: string
  private?: boolean
  exports: Record<string, string>
}

interface Exported {
  entry: string
  source: string
  values: string[]
  types: string[]
}

// Biome puts every export at the start of a line.
const LIST = /^export (?<type>type )?\{(?<names>[^}]*)\}/gm
const DECLARATION =
  /^export (?:declare )?(?<kind>type|interface|(?:async )?function|const|class) (?<name>\w+)/gm

describe('the public surface', () => {
  it('is what surface.txt says: a name that comes or goes is a decision', async () => {
    const lines = surface().flatMap(({ entry, values, types }) => [
      ...values.map((name) => `${entry} ${name}`),
      ...types.map((name) => `${entry} type ${name}`),
    ])
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('surface.txt')
  })

  it('is the same in the sources and in the loaded modules', async () => {
    for (const { source, values } of surface())
      expect(values).toEqual(Object.keys(await import(source)).sort())
  })
})

function surface(): Exported[] {
  return packages.flatMap(({ name, exports }) =>
    Object.entries(exports).map(([path, file]) => {
      const source = join(ROOT, 'packages', name.replace('@grantkit/', ''), file)
      return { entry: name + path.slice(1), source, ...exportsOf(readFileSync(source, 'utf8')) }
    }),
  )
}

function exportsOf(source: string): Pick<Exported, 'values' | 'types'> {
  const listed = [...source.matchAll(LIST)].flatMap(({ groups }) =>
    (groups?.names ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean)
      .map((name) => ({ type: Boolean(groups?.type) || name.startsWith('type '), name: exportedAs(name) })),
  )
  const declared = [...source.matchAll(DECLARATION)].map(({ groups }) => ({
    type: ['type', 'interface'].includes(groups?.kind ?? ''),
    name: groups?.name ?? '',
  }))
  const all = [...listed, ...declared]
  const names = (type: boolean) => all.filter((one) => one.type === type).map(({ name }) => name)
  // Each overload of a function is a declaration.
  const values = [...new Set(names(false))].sort()
  // A schema and its type may share a name; one declaration exports both.
  return { values, types: [...new Set(names(true))].filter((name) => !values.includes(name)).sort() }
}

function exportedAs(name: string): string {
  return name.replace(/^type /, '').replace(/^\w+ as /, '')
}
