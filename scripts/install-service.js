import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * Installs what the reference service needs and nothing else. If everything is installed, that is brought up to date.
 * It is JavaScript, and runs by `pnpm exec`, because an old Node may run it: a new one is part of what it installs, and
 * a shell that has once run the old one would keep to it.
 */

const SERVICE = [
  ...['--prod', '--filter-prod', '@grantkit/reference...', '--filter-prod', 'grantkit-workspace'],
  // Without development dependencies, packages find their peers in the root.
  '--shamefully-hoist',
  // The lockfile was verified when it was written, and has the checksum of each package.
  ...['--frozen-lockfile', '--trust-lockfile'],
]
const hasEverything = existsSync(new URL('../node_modules/vitest', import.meta.url))

const { status } = spawnSync('pnpm', ['install', ...(hasEverything ? [] : SERVICE)], {
  // The standard output is that of the program that runs next.
  stdio: ['inherit', process.stderr.fd, 'inherit'],
  shell: process.platform === 'win32',
})
process.exitCode = status ?? 1
