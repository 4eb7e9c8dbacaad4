/**
 * Installs the programs that the tests need and npm cannot install. `pnpm test` runs this file first. A missing part is
 * installed if possible (Debian, as root), otherwise it is an error: no test is skipped.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  findSystemPart,
  missingPart,
  SYSTEM_PARTS,
  type SystemPartName,
} from '@grantkit/test-servers/system-parts'

const canInstall = () => existsSync('/etc/debian_version') && process.getuid?.() === 0

function install(packages: readonly string[]): void {
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

function ensureInstalled(name: SystemPartName): boolean {
  const { variable, debianPackages } = SYSTEM_PARTS[name]
  if (findSystemPart(name) !== undefined) return true
  if (canInstall() && !process.env[variable]) {
    console.log(`${name} is missing: installing ${debianPackages.join(' ')} with apt-get`)
    try {
      install(debianPackages)
    } catch (error) {
      console.error(error instanceof Error ? error.message : error)
    }
    if (findSystemPart(name) !== undefined) return true
  }
  console.error(missingPart(name))
  return false
}

const provided = (Object.keys(SYSTEM_PARTS) as SystemPartName[]).map(ensureInstalled)
if (provided.includes(false)) process.exitCode = 1
