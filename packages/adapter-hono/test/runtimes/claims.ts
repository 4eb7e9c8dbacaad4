import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What docs/reference/runtimes.md says about packages, and their files. */

const ROOT = join(import.meta.dirname, '../../../..')
const PAGE = join(ROOT, 'docs/reference/runtimes.md')
/** The columns, by the runtimes of the tests. */
const COLUMN: Readonly<Record<string, number>> = {
  Node: 0,
  Bun: 1,
  Deno: 2,
  workerd: 3,
  'workerd at its newest date': 3,
}
const CELL = /^((flows|loads)( from \d{4}-\d{2}-\d{2})?|–)$/

interface Row {
  readonly name: string
  readonly cells: readonly string[]
}

export function rows(): readonly Row[] {
  const lines = readFileSync(PAGE, 'utf8').matchAll(/^\| \[`([^`]+)`\][^|]*\|(.+)\|$/gm)
  return [...lines].map(([, name = '', text = '']) => {
    const cells = text.split('|').map((cell) => cell.trim())
    if (cells.length !== 4 || !cells.every((cell) => CELL.test(cell))) throw new Error(`${name}: ${text}`)
    return { name, cells }
  })
}

function isClaimed({ cells }: Row, runtime: string): boolean {
  const cell = cells[COLUMN[runtime] ?? -1] ?? '–'
  // What is for Node alone may read its files when it starts, and its own tests import it.
  if (cells.slice(1).every((other) => other === '–')) return false
  // The oldest date is before all that a cell can name.
  return cell !== '–' && !(runtime === 'workerd' && cell.includes('from'))
}

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, unknown>>
}

function manifests(): ReadonlyMap<string, readonly [folder: string, manifest: Manifest]> {
  const paths = globSync(['packages/*/package.json', 'proof/torture/package.json'], { cwd: ROOT })
  const read = paths.map((path) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
    return [manifest.name, [dirname(path), manifest]] as const
  })
  return new Map(read.filter(([, [, manifest]]) => !manifest.private))
}

export const publishedPackages = () => [...manifests().keys()]

/** All entries of the packages that are said to load in a runtime. */
export function filesFor(runtime: string): string[] {
  const all = manifests()
  return rows()
    .filter((row) => isClaimed(row, runtime))
    .flatMap(({ name }) => {
      const [folder = '', manifest] = all.get(name) ?? []
      const files = Object.values(manifest?.exports ?? {}).filter((file) => typeof file === 'string')
      return files.map((file) => join(ROOT, folder, file))
    })
}
