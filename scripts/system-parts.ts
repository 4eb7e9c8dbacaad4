/**
 * Installs the programs that the tests need and npm cannot install. `pnpm test` runs this file first. A missing part is
 * installed if possible (Debian, as root), otherwise it is an error unless the part is optional: no test is skipped.
 */
import { canInstallDebianPackages, installDebianPackages } from '@grantkit/test-servers/debian-packages'
import {
  findSystemPart,
  missingPart,
  SYSTEM_PARTS,
  type SystemPart,
  type SystemPartName,
} from '@grantkit/test-servers/system-parts'

function ensureInstalled(name: SystemPartName): boolean {
  const { variable, debianPackages, optional = false }: SystemPart = SYSTEM_PARTS[name]
  if (findSystemPart(name) !== undefined) return true
  if (debianPackages.length > 0 && canInstallDebianPackages() && !process.env[variable]) {
    console.log(`${name} is missing: installing ${debianPackages.join(' ')} with apt-get`)
    try {
      installDebianPackages(debianPackages)
    } catch (error) {
      console.error(error instanceof Error ? error.message : error)
    }
    if (findSystemPart(name) !== undefined) return true
  }
  if (!optional) console.error(missingPart(name))
  return optional
}

const provided = (Object.keys(SYSTEM_PARTS) as SystemPartName[]).map(ensureInstalled)
if (provided.includes(false)) process.exitCode = 1
