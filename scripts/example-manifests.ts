/** The manifests of examples, with the versions that this repository tests: a copy of the folder installs them. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { publishablePackages, ROOT } from './packages/publishable.ts'

type Versions = Record<string, string>

/** The content of each `package.json` by its path. */
export function exampleManifests(): Record<string, string> {
  const { catalog } = parse(readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8')) as { catalog: Versions }
  const own = publishablePackages().map(({ manifest: { name, version } }) => [name, `^${version}`])
  const versions = { ...catalog, ...Object.fromEntries(own) }
  const paths = globSync('examples/*/package.json', { cwd: ROOT })
  return Object.fromEntries(paths.map((path) => [path, withVersions(path, versions)]))
}

function withVersions(path: string, versions: Versions): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
  for (const kind of ['dependencies', 'devDependencies']) {
    if (manifest[kind] === undefined) continue
    manifest[kind] = { ...manifest[kind], ...testedOf(manifest[kind], versions) }
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** What nothing else in the repository uses keeps the version of the example. */
function testedOf(needed: Versions, versions: Versions): Versions {
  return Object.fromEntries(Object.entries(versions).filter(([name]) => name in needed))
}
