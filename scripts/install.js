import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * Installs what pnpm selects by these options and nothing else. If everything is installed, that is brought up to date.
 * It is JavaScript, and runs by `pnpm exec`, because an old Node may run it: a new one is part of what it installs, and
 * a shell that has once run the old one would keep to it.
 * @returns the exit code
 */
export function install(selection) {
  const some = [
    ...selection,
    // Packages that are not selected, and peers of the others, are found in the root.
    '--shamefully-hoist',
    // The lockfile was verified when it was written, and has the checksum of each package.
    ...['--frozen-lockfile', '--trust-lockfile'],
  ]
  const hasEverything = existsSync(new URL('../proof/node_modules', import.meta.url))
  return pnpm(['install', ...(hasEverything ? [] : some)], process.stderr.fd)
}

/**
 * @param output where its standard output goes
 * @returns the exit code
 */
export function pnpm(words, output = 'inherit') {
  const { status } = spawnSync('pnpm', words, {
    stdio: ['inherit', output, 'inherit'],
    shell: process.platform === 'win32',
  })
  return status ?? 1
}
