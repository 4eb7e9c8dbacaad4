import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { pinned } from './cores.ts'

/** Everything that the numbers depend on, apart from the code. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly system: string
  readonly node: string
  /** Whether server and generator each had their own core. */
  readonly pinned: boolean
  /** The average number of runnable processes in the minute before: much above 0, the machine was busy. */
  readonly loadBefore: number
}

export function describeClientCredentials(): Machine {
  const [cpu] = cpus()
  return {
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.versions.node,
    pinned,
    loadBefore: loadavg()[0] ?? 0,
  }
}

const NODE_MODULES = join(import.meta.dirname, '../node_modules')

/** The versions of the measured packages. */
export function installedVersions(): Record<string, string> {
  const { dependencies } = packageJson(join(NODE_MODULES, '..'))
  const others = Object.keys(dependencies).filter((name) => !name.startsWith('@grantkit/'))
  return Object.fromEntries(others.map((name) => [name, packageJson(join(NODE_MODULES, name)).version]))
}

/** The measured commit, with `-dirty` if there are uncommitted changes; empty outside a repository. */
export function installedRevision(): string {
  try {
    const command = ['describe', '--always', '--dirty', '--exclude', '*']
    return execFileSync('git', command, { cwd: NODE_MODULES, encoding: 'utf8' }).trim()
  } catch {
    return ''
  }
}

function packageJson(folder: string): { version: string; dependencies: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
