import { spawnSync } from 'node:child_process'
import { canInstallDebianPackages, installDebianPackages } from '@grantkit/test-servers/debian-packages'
import type { Page } from './sections.ts'

/** The programs that the examples of a page need on this host. */
const COMMANDS: Readonly<Record<Page, readonly [command: string, version: string]>> = {
  python: ['python3', '--version'],
  go: ['go', 'version'],
  java: ['mvn', '--version'],
  rust: ['cargo', '--version'],
  javascript: ['npm', '--version'],
  apache: ['/usr/sbin/apache2', '-v'],
}

/** Languages are not installed for a test. */
const DEBIAN_PACKAGES: Readonly<Partial<Record<Page, readonly string[]>>> = {
  apache: ['apache2', 'libapache2-mod-auth-openidc'],
}

/** Installs what a page needs, if possible. @returns whether it is available */
export function isThere(page: Page): boolean {
  const packages = DEBIAN_PACKAGES[page]
  if (!runs(COMMANDS[page]) && packages !== undefined && canInstallDebianPackages())
    installDebianPackages(packages)
  if (runs(COMMANDS[page])) return true
  console.warn(`Not run: the programs of docs/clients/${page}.md. They need ${COMMANDS[page][0]}.`)
  return false
}

/** A command may be there and have nothing to run, as `cargo` without a toolchain. */
function runs([command, version]: readonly [string, string]): boolean {
  return spawnSync(command, [version]).status === 0
}
