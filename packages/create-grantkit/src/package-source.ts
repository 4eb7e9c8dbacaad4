import { readdirSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { ChoiceError } from './read-choices.ts'
import { versionOf } from './versions.ts'

/** Where the packages of a project come from. */
export interface PackageSource {
  readonly kind: 'registry' | 'tarballs'
  /** What `package.json` has as the version of a package. @throws ChoiceError if the package is missing */
  version(name: string): string
}

export const registry: PackageSource = { kind: 'registry', version: versionOf }

/**
 * Takes the packages of Grantkit from tarballs in a folder, as `pnpm tarballs` and `pnpm pack` name them.
 *
 * @param project the folder that the paths are relative to
 * @throws ChoiceError if the folder lacks a package
 */
export function tarballs(packages: string, project: string): PackageSource {
  const files = filesOf(packages)
  const version = (name: string) => {
    if (!name.startsWith('@grantkit/')) return versionOf(name)
    const base = name.slice(1).replace('/', '-')
    const file = files.find((one) => one.replace(/(-\d.*)?[.]tgz$/, '') === base)
    if (file === undefined)
      throw new ChoiceError(`${packages} has no ${base}.tgz: "pnpm tarballs --all" packs every package`)
    return `file:${relative(project, resolve(packages, file)).replaceAll(sep, '/')}`
  }
  return { kind: 'tarballs', version }
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith('.tgz'))
  } catch {
    throw new ChoiceError(`--packages: there is no folder ${folder}`)
  }
}
