import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program that the tests need and npm cannot install. */
export interface SystemPart {
  /** The environment variable with the path of the executable; it comes before any search. */
  readonly variable: string
  /** Names to search on PATH, in this order. */
  readonly commands: readonly string[]
  /** Paths to try after PATH, for programs that are not on it. */
  readonly files?: readonly string[]
  readonly debianPackages: readonly string[]
  /** Tests do without it. */
  readonly optional?: boolean
}

export const SYSTEM_PARTS = {
  Chromium: {
    variable: 'CHROMIUM_PATH',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    files: [
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ],
    debianPackages: ['chromium', 'fonts-liberation'],
  },
  'Chromium headless shell': {
    variable: 'CHROMIUM_HEADLESS_SHELL_PATH',
    commands: ['chromium-headless-shell'],
    debianPackages: ['chromium-headless-shell'],
    optional: true,
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
  nginx: {
    variable: 'NGINX_PATH',
    commands: ['nginx'],
    files: ['/usr/sbin/nginx'],
    debianPackages: ['nginx'],
  },
  Caddy: {
    variable: 'CADDY_PATH',
    commands: ['caddy'],
    debianPackages: ['caddy'],
  },
  // Debian has none: put it on PATH, and the tests of gateways run it too.
  Traefik: {
    variable: 'TRAEFIK_PATH',
    commands: ['traefik'],
    debianPackages: [],
    optional: true,
  },
  Python: {
    variable: 'PYTHON_PATH',
    commands: ['python3'],
    debianPackages: ['python3'],
  },
  lighttpd: {
    variable: 'LIGHTTPD_PATH',
    commands: ['lighttpd'],
    files: ['/usr/sbin/lighttpd'],
    debianPackages: ['lighttpd'],
  },
  Postgres: {
    variable: 'POSTGRES_PATH',
    commands: ['postgres'],
    // Debian keeps a folder for each version, and none of them on PATH.
    files: [18, 17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin/postgres`),
    debianPackages: ['postgresql'],
  },
  PgBouncer: {
    variable: 'PGBOUNCER_PATH',
    commands: ['pgbouncer'],
    files: ['/usr/sbin/pgbouncer'],
    debianPackages: ['pgbouncer'],
  },
  // The server alone: the package `mariadb-server` would start one for the machine.
  MariaDB: {
    variable: 'MARIADB_PATH',
    commands: ['mariadbd'],
    files: ['/usr/sbin/mariadbd'],
    debianPackages: ['mariadb-server-core'],
  },
} satisfies Record<string, SystemPart>

export type SystemPartName = keyof typeof SYSTEM_PARTS

/** The executable of a part, or `undefined` if it is not installed. */
export function findSystemPart(name: SystemPartName): string | undefined {
  const { variable, commands, files = [] }: SystemPart = SYSTEM_PARTS[name]
  const named = process.env[variable]
  if (named) return isExecutable(named) ? named : undefined
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const onPath = commands.flatMap((command) => folders.map((folder) => join(folder, command)))
  return [...onPath, ...files].find(isExecutable)
}

/** The executable of a part. @throws Error that says what to install, if it is missing */
export function requireSystemPart(name: SystemPartName): string {
  const executable = findSystemPart(name)
  if (executable === undefined) throw new Error(missingPart(name))
  return executable
}

/** A sentence that says what to install. */
export function missingPart(name: SystemPartName): string {
  const { variable, commands, debianPackages } = SYSTEM_PARTS[name]
  const named = process.env[variable]
  if (named) return `${name}: ${variable} is ${named}, which is not an executable file.`
  const advice = existsSync('/etc/debian_version')
    ? `run \`sudo apt-get install ${debianPackages.join(' ')}\``
    : `install it (${commands.join(', ')} on PATH)`
  return `${name} is missing and the tests need it: ${advice}, or set ${variable} to its executable.`
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
