import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve, sep } from 'node:path'
import { APPS, type Choice, type Choices, FEATURES, FRAMEWORKS, onWorkers, STORES } from './choices.ts'
import { ChoiceError } from './read-choices.ts'

const ON_NODE = {
  start: 'node --env-file=.env app.ts',
  dev: 'node --watch --env-file=.env app.ts',
  // A store may keep its connections open.
  test: 'tsc && node --env-file=.env --test --test-force-exit',
  typecheck: 'tsc',
}
// Deployed with an issuer of this computer, the sample session would sign in everybody.
const ON_WORKERS = {
  start: 'wrangler dev --var ISSUER:http://127.0.0.1:3000',
  deploy: 'wrangler deploy --secrets-file .dev.vars',
  test: 'tsc',
  typecheck: 'tsc',
}
const OF_A_SERVER = { start: 'grantkit start', test: 'grantkit check' }

/** What `@grantkit/server` brings by itself from a registry. A folder of tarballs is none, so there each of them is named. */
const BROUGHT_BY_SERVER = [
  ...['create-grantkit', '@grantkit/adapter-hono', '@grantkit/core', '@grantkit/doctor', '@grantkit/explain'],
  ...['@grantkit/known-clients', '@grantkit/notifications', '@grantkit/pages', '@grantkit/safe-fetch'],
  ...['memory', 'postgres', 'redis', 'sqlite'].map((store) => `@grantkit/store-${store}`),
]

/** The `package.json` of a project. */
export function manifestOf(name: string, choices: Choices, source: PackageSource): object {
  const ofServer = [...APPS.server.dependencies, ...(source.kind === 'tarballs' ? BROUGHT_BY_SERVER : [])]
  const names = choices.app === 'server' ? ofServer : dependenciesOf(choices)
  const tools = names.filter((one) => one.startsWith('@types/') || one === 'wrangler')
  const compiler = choices.app === 'server' ? [] : ['@types/node', 'typescript']
  return {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: `>=${minimumNode()}` },
    scripts: choices.app === 'server' ? OF_A_SERVER : onWorkers(choices.framework) ? ON_WORKERS : ON_NODE,
    dependencies: versionsOf(
      names.filter((one) => !tools.includes(one)),
      source,
    ),
    // The scripts run with the Node among the dependencies, where that of the computer is older.
    devDependencies: versionsOf([...tools, ...compiler, 'node'], source),
  }
}

function dependenciesOf({ app, framework, store, features }: Choices): string[] {
  const placed: Choice = FRAMEWORKS[framework]
  const chosen = [APPS[app], placed, STORES[store], ...features.map((one) => FEATURES[one])] as Choice[]
  const bridge = app === 'mcp' ? (placed.mcp ?? []) : []
  const always = ['@grantkit/core', '@grantkit/explain', '@grantkit/pages']
  return [...always, ...chosen.flatMap(({ dependencies = [] }) => dependencies), ...bridge]
}

/** A name that npm accepts. */
export function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._~-]+/g, '-')
    .replace(/^[._-]+/, '')
  return name.slice(0, 214) || 'notes'
}

function versionsOf(names: readonly string[], { version }: PackageSource): Record<string, string> {
  return Object.fromEntries(names.toSorted().map((name) => [name, version(name)]))
}

/** Where the packages of a project come from. */
export interface PackageSource {
  readonly kind: 'registry' | 'tarballs'
  /** What `package.json` has as the version of a package. @throws ChoiceError if the package is missing */
  version(name: string): string
}

export const registry: PackageSource = { kind: 'registry', version: versionOf }

/**
 * Takes the packages of Grantkit from tarballs in a folder, as `pnpm tarballs` and `pnpm pack` name them.
 *
 * @param project the folder that the paths are relative to
 * @throws ChoiceError if the folder lacks a package
 */
export function tarballs(packages: string, project: string): PackageSource {
  const files = tarballsIn(packages)
  const version = (name: string) => {
    if (!isOurs(name)) return versionOf(name)
    const base = name.replace('@', '').replace('/', '-')
    const file = files.find((one) => one.replace(/(-\d.*)?[.]tgz$/, '') === base)
    if (file === undefined)
      throw new ChoiceError(`${packages} has no ${base}.tgz: "pnpm tarballs --all" packs every package`)
    return `file:${relative(project, resolve(packages, file)).replaceAll(sep, '/')}`
  }
  return { kind: 'tarballs', version }
}

function tarballsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith('.tgz'))
  } catch {
    throw new ChoiceError(`--packages: there is no folder ${folder}`)
  }
}

/** They are released together, under one version. */
const isOurs = (name: string) => name.startsWith('@grantkit/') || name === 'create-grantkit'

interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly devDependencies: Readonly<Record<string, string>>
}

const MANIFEST = join(import.meta.dirname, '../package.json')

/**
 * The version range of a package that a project installs: the one that this package was tested with, which its manifest has
 * as a development dependency. In a clone the manifest refers to the workspace, and the installed version counts.
 */
function versionOf(name: string): string {
  const manifest = readManifest(MANIFEST)
  if (isOurs(name)) return `^${manifest.version}`
  if (name === 'node') return `^${minimumNode()}.0`
  const range = manifest.devDependencies[name]
  if (range === undefined) throw new Error(`${name} is no development dependency of create-grantkit`)
  return range.startsWith('catalog:') ? `^${installedVersion(name)}` : range
}

/** The oldest Node that runs a project: the packages need it, and it runs TypeScript directly. */
export function minimumNode(): string {
  return readManifest(MANIFEST).engines.node.replace('>=', '')
}

function installedVersion(name: string): string {
  const folders = createRequire(MANIFEST).resolve.paths(name) ?? []
  for (const folder of folders) {
    const manifest = join(folder, name, 'package.json')
    try {
      return readManifest(manifest).version
    } catch {}
  }
  throw new Error(`${name} is not installed`)
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest
}
