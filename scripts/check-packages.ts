/**
 * Looks at the packages as those who install them do: each is built from nothing, packed, and its tarball goes
 * through publint and "are the types wrong"; then a program that has installed all of them is compiled and run.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

interface Manifest {
  name: string
  private?: boolean
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

interface Package {
  folder: string
  manifest: Manifest
}

const ROOT = join(import.meta.dirname, '..')
const BIN = join(ROOT, 'node_modules/.bin')

function publishablePackages(): Package[] {
  return globSync('packages/*/package.json', { cwd: ROOT })
    .map((path) => ({
      folder: join(ROOT, dirname(path)),
      manifest: JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest,
    }))
    .filter(({ manifest }) => !manifest.private)
}

function run(command: string, args: readonly string[], cwd = ROOT): string {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${relative(ROOT, command)} ${args.join(' ')} failed in ${cwd}\n${stdout}${stderr}`)
  }
}

/** A file that an earlier build left in dist would be published: start from nothing. */
function build(packages: readonly Package[]): void {
  for (const { folder } of packages) rmSync(join(folder, 'dist'), { recursive: true, force: true })
  run('pnpm', ['build'])
}

function pack({ folder, manifest }: Package, into: string): string {
  const tarball = join(into, `${manifest.name.replaceAll(/[@/]/g, '-').slice(1)}.tgz`)
  run('pnpm', ['pack', '--out', tarball], folder)
  return tarball
}

/** Lays the tarballs out as an installation would, each beside what it depends on. */
function install(tarball: string, { folder, manifest }: Package, consumer: string): void {
  const target = join(consumer, 'node_modules', manifest.name)
  mkdirSync(target, { recursive: true })
  run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'])
  const foreign = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
    (name) => !name.startsWith('@grantkit/'),
  )
  for (const name of foreign) link(join(folder, 'node_modules', name), join(consumer, 'node_modules', name))
}

function link(target: string, path: string): void {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

function useAll(packages: readonly Package[], consumer: string): void {
  const names = packages.map(({ manifest }) => manifest.name)
  const program = names
    .map((name, n) => `import * as package${n} from '${name}'\nvoid package${n}\n`)
    .join('')
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
  }
  link(join(ROOT, 'node_modules/@types/node'), join(consumer, 'node_modules/@types/node'))
  writeFileSync(join(consumer, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  writeFileSync(join(consumer, 'program.ts'), program)
  run(join(BIN, 'tsc'), [], consumer)
  run(process.execPath, ['program.js'], consumer)
}

const packages = publishablePackages()
const workFolder = mkdtempSync(join(tmpdir(), 'grantkit-packages-'))
try {
  build(packages)
  const tarballs = packages.map((one) => ({ ...one, tarball: pack(one, workFolder) }))
  for (const { tarball, manifest } of tarballs) {
    run(join(BIN, 'publint'), ['run', tarball, '--strict'])
    run(join(BIN, 'attw'), [tarball, '--profile', 'esm-only', '--no-emoji'])
    console.log(`${manifest.name} is fit to publish`)
  }
  const consumer = join(workFolder, 'consumer')
  for (const one of tarballs) install(one.tarball, one, consumer)
  useAll(packages, consumer)
  console.log(`A program that imports all ${packages.length} compiles and runs`)
} finally {
  rmSync(workFolder, { recursive: true, force: true })
}
