/** Every name that a package exports, one a line: a name that comes or goes is a decision. */
import { globSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** In place of the modules of Workers, which Node does not have. */
const OF_WORKERS = 'data:text/javascript,export class DurableObject {}'
registerHooks({
  resolve: (name, context, next) =>
    name.startsWith('cloudflare:') ? { url: OF_WORKERS, shortCircuit: true } : next(name, context),
})

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, string | object>>
}

export async function surface(): Promise<string> {
  const paths = globSync(['packages/*/package.json', 'proof/torture/package.json'], { cwd: ROOT }).sort()
  const lines = await Promise.all(paths.map(linesOf))
  return `${lines.flat().join('\n')}\n`
}

async function linesOf(path: string): Promise<string[]> {
  const manifest = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest
  if (manifest.private) return []
  const entries = Object.entries(manifest.exports).map(async ([subpath, file]) => {
    // It is for this repository: the published manifest has none.
    if (typeof file !== 'string') return []
    const entry = manifest.name + subpath.slice(1)
    const source = join(ROOT, dirname(path), file)
    const values = Object.keys(await import(source)).sort()
    const types = typesOf(readFileSync(source, 'utf8')).filter((name) => !values.includes(name))
    return [...values.map((name) => `${entry} ${name}`), ...types.map((name) => `${entry} type ${name}`)]
  })
  return (await Promise.all(entries)).flat()
}

// Biome puts every export at the start of a line.
const LIST = /^export (?<type>type )?\{(?<names>[^}]*)\}/gm
const DECLARATION = /^export (?:declare )?(?:type|interface) (?<name>\w+)/gm

function typesOf(source: string): string[] {
  if (/^export (type )?\*/m.test(source)) throw new Error('A public entry names what it exports: no export *')
  const listed = [...source.matchAll(LIST)].flatMap(({ groups }) =>
    (groups?.names ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && (groups?.type || name.startsWith('type ')))
      .map((name) => name.replace(/^type /, '').replace(/^\w+ as /, '')),
  )
  const declared = [...source.matchAll(DECLARATION)].map(({ groups }) => groups?.name ?? '')
  return [...new Set([...listed, ...declared])].sort()
}
