/** The `npm install` lines of the documentation, each in a project of its own that has core. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { shellLines } from '../../docs/test/shell-lines.ts'
import { writeJson } from './consumer.ts'
import { type Packed, run, withNeededPackages } from './publishable.ts'

const IN_THE_PROJECT = ['@grantkit/core', '@grantkit/store-memory', '@grantkit/safe-fetch']

/** Each line once: what it installs, such as `@grantkit/core` and `zod@4`. */
export function shownInstalls(): string[][] {
  const lines = new Set(shellLines().map(({ line }) => line))
  return [...lines].filter((line) => line.startsWith('npm install ')).map(namesIn)
}

const namesIn = (line: string) => line.split(' ').filter((word, n) => n > 1 && !word.startsWith('-'))

/** Our peers of what the line installs that neither the line nor the project has. npm brings dependencies by itself. */
export function missingIn(names: readonly string[]): string[] {
  // It has its own dependencies, and optional peers alone.
  const libraries = names.filter((name) => name !== '@grantkit/server')
  const peers = withNeededPackages(libraries).flatMap(({ manifest }) =>
    Object.keys(manifest.peerDependencies ?? {}),
  )
  const has = [...names, ...IN_THE_PROJECT]
  return peers.filter((name) => name.startsWith('@grantkit/') && !has.includes(name))
}

/**
 * Lets npm resolve all of them in one run, which reads what a registry says of a package once. A workspace may have versions
 * that no other has, and npm fails where one has peers that exclude each other.
 *
 * @throws Error with the output of npm, which names the workspace after its packages
 */
export function resolveInstalls(
  folder: string,
  packed: readonly Packed[],
  installs: readonly (readonly string[])[],
): void {
  writeJson(join(folder, 'package.json'), { private: true, workspaces: ['*'] })
  for (const names of installs) {
    const name = `line-${names.join('-').replaceAll(/\W+/g, '-')}`
    mkdirSync(join(folder, name))
    const dependencies = { ...ours(packed, names), ...foreign(names) }
    writeJson(join(folder, name, 'package.json'), { name, version: '1.0.0', private: true, dependencies })
  }
  run('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund', '--prefer-offline'], folder)
}

/** No registry has them yet, so npm gets a tarball for each that another needs, too. */
function ours(packed: readonly Packed[], names: readonly string[]): Record<string, string> {
  const needed = withNeededPackages([...IN_THE_PROJECT, ...names]).map(({ manifest }) => manifest.name)
  const tarballs = packed.filter(({ manifest }) => needed.includes(manifest.name))
  return Object.fromEntries(tarballs.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]))
}

function foreign(names: readonly string[]): Record<string, string> {
  const others = names.filter((name) => withNeededPackages([name]).length === 0)
  return Object.fromEntries(
    others.map((name) => {
      const [, bare = name, range = 'latest'] = /^(.+)@(.+)$/.exec(name) ?? []
      return [bare, range]
    }),
  )
}
