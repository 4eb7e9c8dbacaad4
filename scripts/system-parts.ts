/**
 * The programs that the tests run and npm cannot install. `pnpm test` runs this file first: a missing part is
 * installed where that is possible (Debian, as root) and is an error everywhere else. No test is skipped for want of one.
 */
import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

interface SystemPart {
  /** Names the executable to use, before any search. */
  variable: string
  /** Looked for on PATH, in this order. */
  commands: readonly string[]
  /** Looked for after PATH: programs that are not put on it. */
  files?: readonly string[]
  debianPackages: readonly string[]
}

const PARTS = {
  Chromium: {
    variable: 'CHROMIUM_PATH',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    files: [
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ],
    debianPackages: ['chromium', 'fonts-liberation'],
  },
  Redis: {
    variable: 'REDIS_SERVER_PATH',
    commands: ['redis-server', 'valkey-server'],
    debianPackages: ['redis-server'],
  },
  HAProxy: {
    variable: 'HAPROXY_PATH',
    commands: ['haproxy'],
    files: ['/usr/sbin/haproxy'],
    debianPackages: ['haproxy'],
  },
} satisfies Record<string, SystemPart>

export type SystemPartName = keyof typeof PARTS

/** The executable of a part, or `undefined` where it is not installed. */
export function findSystemPart(name: SystemPartName): string | undefined {
  return findExecutable(PARTS[name])
}

/** The executable of a part. Throws, saying what to install, where there is none. */
export function requireSystemPart(name: SystemPartName): string {
  const executable = findSystemPart(name)
  if (executable === undefined) throw new Error(missing(name, PARTS[name]))
  return executable
}

function findExecutable({ variable, commands, files = [] }: SystemPart): string | undefined {
  const named = process.env[variable]
  if (named) return isExecutable(named) ? named : undefined
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const onPath = commands.flatMap((command) => folders.map((folder) => join(folder, command)))
  return [...onPath, ...files].find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function missing(name: string, { variable, commands, debianPackages }: SystemPart): string {
  const named = process.env[variable]
  if (named) return `${name}: ${variable} is ${named}, which is not an executable file.`
  const advice = existsSync('/etc/debian_version')
    ? `run \`sudo apt-get install ${debianPackages.join(' ')}\``
    : `install it (${commands.join(', ')} on PATH)`
  return `${name} is missing and the tests need it: ${advice}, or set ${variable} to its executable.`
}

const canInstall = () => existsSync('/etc/debian_version') && process.getuid?.() === 0

function install(packages: readonly string[]): void {
  const wanted = ['install', '--no-install-recommends', ...packages]
  try {
    aptGet(wanted)
  } catch {
    // A machine that has never fetched its package lists, or not for long, finds nothing at first.
    aptGet(['update'])
    aptGet(wanted)
  }
}

function aptGet(args: readonly string[]): void {
  execFileSync('apt-get', ['-qq', '-y', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

function provide(name: string, part: SystemPart): boolean {
  if (findExecutable(part) !== undefined) return true
  if (canInstall() && !process.env[part.variable]) {
    console.log(`${name} is missing: installing ${part.debianPackages.join(' ')} with apt-get`)
    try {
      install(part.debianPackages)
    } catch (error) {
      console.error(error instanceof Error ? error.message : error)
    }
    if (findExecutable(part) !== undefined) return true
  }
  console.error(missing(name, part))
  return false
}

if (import.meta.main) {
  const provided = Object.entries<SystemPart>(PARTS).map(([name, part]) => provide(name, part))
  if (provided.includes(false)) process.exitCode = 1
}
