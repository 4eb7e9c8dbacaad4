import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type Choices, completed } from './choices.ts'
import { manifestOf, packageName, registry, tarballs } from './manifest.ts'
import { ignoredOf, json, type ProjectFiles, programFiles } from './program-files.ts'
import { ChoiceError, checkChoices, checkTexts } from './read-choices.ts'
import { serverFiles } from './server-files.ts'

export interface ProjectOptions {
  /** A folder with tarballs of the packages. Default: the registry. */
  readonly packages?: string | undefined
}

/**
 * Writes a project: all of its files, or none.
 *
 * @param folder is created if it does not exist, with the folders above it
 * @param given what is left out has its default
 * @throws ChoiceError if the folder has files, a choice cannot be followed, choices exclude each other, or `packages` lacks a tarball
 *
 * @example
 * ```ts
 * import { createProject } from 'create-grantkit'
 *
 * export const create = (folder: string) => createProject(folder, { app: 'mcp', framework: 'hono', store: 'sqlite' })
 * ```
 */
export async function createProject(
  folder: string,
  given: Partial<Choices>,
  { packages }: ProjectOptions = {},
): Promise<void> {
  const path = resolve(folder)
  checkEmpty(folder)
  const choices = completed(given)
  checkTexts(choices)
  checkChoices(choices)
  const source = packages === undefined ? registry : tarballs(packages, path)
  const name = packageName(basename(path))
  const files =
    choices.app === 'server'
      ? { 'package.json': json(manifestOf(name, choices, source)), ...serverFiles(choices) }
      : await programFiles(name, choices, source)
  writeFiles(path, files)
  ignore(path, ['node_modules', ...(choices.app === 'server' ? OF_A_SERVER : ignoredOf(choices))])
}

const OF_A_SERVER = ['.env', '.grantkit/', 'data/']

/**
 * Writes what configures a server into a folder that may have files: all, or none, and nothing over a file that is there.
 *
 * @throws ChoiceError if choices exclude each other, or a file is there already
 */
export function configureServer(folder: string, choices: Choices): void {
  checkChoices(choices)
  const files = serverFiles(choices)
  checkAbsent(folder, Object.keys(files))
  writeFiles(folder, files)
  ignore(folder, OF_A_SERVER)
}

/** Adds to `.gitignore` what must not be committed. */
function ignore(folder: string, names: readonly string[]): void {
  const file = join(folder, '.gitignore')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const missing = names.filter((name) => !lines.includes(name))
  if (missing.length > 0) appendFileSync(file, `${lines.at(-1) ? '\n' : ''}${missing.join('\n')}\n`)
}

/** @throws ChoiceError that names the files that are there already */
export function checkAbsent(folder: string, names: readonly string[]): void {
  const there = names.filter((name) => existsSync(join(folder, name)))
  if (there.length > 0) throw new ChoiceError(`Nothing was written: ${there.join(', ')} is there already.`)
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

const WITH_SECRETS = ['.env', '.dev.vars']

/** Writes all files, or none: if one cannot be written, those before it are removed again. */
export function writeFiles(folder: string, files: ProjectFiles): void {
  const created = mkdirSync(folder, { recursive: true })
  const written: string[] = []
  try {
    for (const [name, content] of Object.entries(files)) {
      // Exclusively: another program may write there meanwhile.
      writeFileSync(join(folder, name), content, {
        flag: 'wx',
        mode: WITH_SECRETS.includes(name) ? 0o600 : 0o644,
      })
      written.push(name)
    }
  } catch (error) {
    for (const name of written) rmSync(join(folder, name))
    if (created !== undefined) rmdirSync(folder)
    throw error
  }
}
