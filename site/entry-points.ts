/** What can be imported from the published packages. Each entry point has one page of the API reference. */
import { readdirSync, readFileSync } from 'node:fs'

const PACKAGES = new URL('../packages/', import.meta.url)

interface EntryPoint {
  /** As it is imported: `@grantkit/core/device`. */
  readonly specifier: string
  /** Its page below `site/`, as TypeDoc writes it. */
  readonly file: string
}

/** The names of the published packages without their scope, in alphabetical order. */
export const packages = readdirSync(PACKAGES)
  .filter((folder) => manifestOf(folder).private !== true)
  .sort()

export const entryPoints: readonly EntryPoint[] = packages.flatMap(entryPointsOf)

function entryPointsOf(folder: string): EntryPoint[] {
  const { name, publishConfig } = manifestOf(folder)
  const paths = Object.keys(publishConfig?.exports ?? {})
  const root = paths.length === 1 ? `reference/${name}.md` : `reference/${name}/README.md`
  return paths.map((path) => ({
    specifier: path === '.' ? name : `${name}${path.slice(1)}`,
    file: path === '.' ? root : `reference/${name}${path.slice(1)}.md`,
  }))
}

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly publishConfig?: { readonly exports?: object }
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(new URL(`${folder}/package.json`, PACKAGES), 'utf8'))
}
