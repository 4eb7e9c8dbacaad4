import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Whether this process may install packages of Debian or Ubuntu. */
export const canInstallDebianPackages = (): boolean =>
  existsSync('/etc/debian_version') && process.getuid?.() === 0

/** Installs packages with apt-get. @throws Error when that fails */
export function installDebianPackages(packages: readonly string[]): void {
  const wanted = ['install', '--no-install-recommends', ...packages]
  try {
    aptGet(wanted)
  } catch {
    // Package lists may be missing or old, and then apt finds nothing.
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
