/** A project that installs the tarballs, outside the workspace. */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Packed, ROOT, run } from './publishable.ts'

const QUICK_START = join(ROOT, 'examples/quick-start')

/**
 * Installs the tarballs and the programs of the quick start into an empty folder.
 *
 * @param also what the project installs besides: names and versions
 */
export function createConsumer(
  folder: string,
  packed: readonly Packed[],
  also: Record<string, string> = {},
): void {
  install(folder, packed, { private: true, type: 'module', dependencies: { ...foreign(), ...also } })
  for (const file of globSync('*.ts', { cwd: QUICK_START }))
    cpSync(join(QUICK_START, file), join(folder, file))
}

/** Installs the tarballs, and what the manifest names, into a folder. */
export function install(
  folder: string,
  packed: readonly Packed[],
  manifest: {
    readonly private?: boolean
    readonly type?: string
    readonly dependencies: Readonly<Record<string, string>>
  },
): void {
  const tarballs = Object.fromEntries(
    packed.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]),
  )
  mkdirSync(folder, { recursive: true })
  const dependencies = { ...manifest.dependencies, ...tarballs }
  writeJson(join(folder, 'package.json'), { ...manifest, dependencies })
  // A tarball refers to its siblings by version, and that version is not published yet.
  writeJson(join(folder, 'pnpm-workspace.yaml'), { overrides: tarballs, strictDepBuilds: false })
  run('pnpm', ['install', '--prefer-offline', '--no-lockfile'], folder)
}

/** Compiles everything in the folder, including declarations of packages. Throws the compiler's output if it fails. */
export function typeCheck(folder: string): void {
  const compilerOptions = {
    target: 'es2023',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    allowImportingTsExtensions: true,
    module: 'nodenext',
  }
  writeJson(join(folder, 'tsconfig.json'), { compilerOptions, include: ['*.ts'] })
  run(join(folder, 'node_modules/.bin/tsc'), [], folder)
}

/** The packages a user installs next to Grantkit, in the versions of this workspace, so that no download is needed. */
function foreign(): Record<string, string> {
  const installed = (path: string, name: string) =>
    JSON.parse(readFileSync(join(ROOT, path, 'node_modules', name, 'package.json'), 'utf8')).version as string
  const frameworks = ['fastify', 'express', '@types/express', 'hono', '@hono/node-server']
  const tools = ['typescript', '@types/node', 'vitest']
  return Object.fromEntries([
    ...frameworks.map((name) => [name, installed('examples/quick-start', name)]),
    ...tools.map((name) => [name, installed('.', name)]),
    [WORKERS_TYPES, installed('packages/store-cloudflare', WORKERS_TYPES)],
  ])
}

const WORKERS_TYPES = '@cloudflare/workers-types'

export function writeJson(path: string, content: unknown): void {
  writeFileSync(path, JSON.stringify(content, null, 2))
}
