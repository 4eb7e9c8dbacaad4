import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Choices } from './choices.ts'
import { packageName } from './manifest.ts'
import { registry, tarballs } from './package-source.ts'
import { projectFiles } from './project-files.ts'
import { ChoiceError } from './read-choices.ts'
import { writeAll } from './write-all.ts'

export interface ProjectOptions {
  /** A folder with tarballs of the packages. Default: the registry. */
  readonly packages?: string | undefined
}

/**
 * Writes a project: all of its files, or none.
 *
 * @param folder is created if it does not exist, with the folders above it
 * @throws ChoiceError if the folder has files, choices exclude each other, or `packages` lacks a tarball
 *
 * @example
 * ```ts
 * import { createProject } from 'create-grantkit'
 *
 * const choices = { framework: 'hono', store: 'sqlite', pages: 'grantkit', features: ['device'] } as const
 * export const create = (folder: string) => createProject(folder, choices)
 * ```
 */
export async function createProject(
  folder: string,
  choices: Choices,
  { packages }: ProjectOptions = {},
): Promise<void> {
  const path = resolve(folder)
  checkEmpty(folder)
  const source = packages === undefined ? registry : tarballs(packages, path)
  writeAll(path, await projectFiles(packageName(basename(path)), choices, source))
}

/** @throws ChoiceError that names what is in the folder; a Git repository may be there */
export function checkEmpty(folder: string): void {
  const found = entriesOf(folder).filter((name) => name !== '.git')
  if (found.length === 0) return
  const named = found.slice(0, 5).join(', ') + (found.length > 5 ? `, and ${found.length - 5} more` : '')
  throw new ChoiceError(`${folder} is not empty, it has ${named}. Name a new folder.`)
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    if (code === 'ENOTDIR') throw new ChoiceError(`${folder} is a file. Name a new folder.`)
    throw error
  }
}
