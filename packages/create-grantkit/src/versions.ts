import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

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
export function versionOf(name: string): string {
  const manifest = readManifest(MANIFEST)
  const range = { '@grantkit/core': `^${manifest.version}`, ...manifest.devDependencies }[name]
  if (range === undefined) throw new Error(`${name} is no development dependency of create-grantkit`)
  return /^(catalog|workspace):/.test(range) ? `^${installedVersion(name)}` : range
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
