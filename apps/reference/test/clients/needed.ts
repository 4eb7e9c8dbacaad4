import { spawnSync } from 'node:child_process'
import { canInstallDebianPackages, installDebianPackages } from '@grantkit/test-servers/debian-packages'
import type { Page } from './sections.ts'

/** What the programs of a page need on the machine. */
const COMMANDS: Readonly<Record<Page, string>> = {
  python: 'python3',
  go: 'go',
  java: 'mvn',
  rust: 'cargo',
  javascript: 'npm',
  apache: '/usr/sbin/apache2',
}

/** Languages are not installed for a test. */
const DEBIAN_PACKAGES: Readonly<Partial<Record<Page, readonly string[]>>> = {
  apache: ['apache2', 'libapache2-mod-auth-openidc'],
}

/** Installs what a page needs, where that can be. @returns whether it is there */
export function isThere(page: Page): boolean {
  const packages = DEBIAN_PACKAGES[page]
  if (!runs(COMMANDS[page]) && packages !== undefined && canInstallDebianPackages())
    installDebianPackages(packages)
  if (runs(COMMANDS[page])) return true
  console.warn(`Not run: the programs of docs/clients/${page}.md. They need ${COMMANDS[page]}.`)
  return false
}

function runs(command: string): boolean {
  return spawnSync(command, ['--help']).error === undefined
}
