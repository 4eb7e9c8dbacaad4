/** The published packages of this repository, and how their tarballs are made. */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Manifest {
  name: string
  version: string
  description?: string
  private?: boolean
  /** Absent in a package of programs alone. */
  exports?: Readonly<Record<string, unknown>>
  publishConfig?: { readonly exports?: Readonly<Record<string, unknown>> }
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
}

export interface Package {
  folder: string
  manifest: Manifest
}

export interface Packed extends Package {
  tarball: string
}

export const ROOT = join(import.meta.dirname, '../..')

export function publishablePackages(): Package[] {
  return globSync(['packages/*/package.json', 'proof/torture/package.json'], { cwd: ROOT })
    .sort()
    .map((path) => ({
      folder: join(ROOT, dirname(path)),
      manifest: JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest,
    }))
    .filter(({ manifest }) => !manifest.private)
}

/** Their names, as a program for Node imports them. A store for Workers has only entries that Workers load. */
export function importedNames(): string[] {
  const imported = publishablePackages().filter(({ manifest }) => manifest.exports?.['.'])
  return imported.map(({ manifest }) => manifest.name)
}

/** Runs a program and returns its output. Throws with all its output if it fails. */
export function run(command: string, args: readonly string[], cwd = ROOT): string {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed in ${cwd}\n${stdout}${stderr}`)
  }
}

/** The packages of these names, and those that they need. Names of others' packages are ignored. */
export function withNeededPackages(names: readonly string[]): Package[] {
  const all = publishablePackages()
  const needed = new Set<string>()
  function add(name: string): void {
    const manifest = all.find((one) => one.manifest.name === name)?.manifest
    if (manifest === undefined || needed.has(name)) return
    needed.add(name)
    for (const other of neededBy(manifest)) add(other)
  }
  for (const name of names) add(name)
  return all.filter(({ manifest }) => needed.has(manifest.name))
}

/** The names of what npm installs with a package: it leaves out optional peers. */
export function neededBy({
  dependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}: Partial<Manifest>): string[] {
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional)
  return [...Object.keys(dependencies), ...peers]
}

/** Cleans dist first: leftovers of an earlier build would be published. Prints a line for each package on stderr. */
export function packAll(into: string, packages = publishablePackages()): Packed[] {
  for (const { folder } of packages) rmSync(join(folder, 'dist'), { recursive: true, force: true })
  console.error(`building ${packages.length} packages`)
  run('pnpm', ['turbo', 'run', 'build', ...packages.map(({ manifest }) => `--filter=${manifest.name}`)])
  return packages.map((one) => ({ ...one, tarball: pack(one, into) }))
}

function pack({ folder, manifest }: Package, into: string): string {
  const tarball = join(into, `${manifest.name.replace('@', '').replace('/', '-')}.tgz`)
  run('pnpm', ['pack', '--out', tarball], folder)
  console.error(`packed ${manifest.name}`)
  return tarball
}
