import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type * as z from 'zod'

/** Files that people write. Their content may be secret, so no error quotes it. */

/** @throws Error if there is no such file, or if it is not UTF-8 */
export async function readTextFile(path: string): Promise<string> {
  return decoded(path, await readFile(path))
}

/** The same at once. */
export function readTextFileSync(path: string): string {
  return decoded(path, readFileSync(path))
}

/** Editors of Windows write a byte order mark, and `>` of PowerShell 5 writes UTF-16, of which Node would read rubbish. */
function decoded(path: string, bytes: Buffer): string {
  if (bytes.includes(0)) throw new Error(`${path} is not UTF-8: save it as UTF-8`)
  return bytes.toString().replace(/^\ufeff/, '')
}

/** @throws Error that names the file without the message of the parser, which quotes the text */
export function parseJsonFile(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${path} is not JSON`)
  }
}

/**
 * The faults that a schema found, in one line and without values, except that an entry of a list is named by its `id`.
 *
 * @param written what the schema was given. Default: entries have their number
 */
export function faultsOf({ issues }: z.ZodError, written?: unknown): string {
  return issues
    .map(({ path, message }) =>
      path.length === 0 ? message : `${withIds(path, written).join('.')}: ${message}`,
    )
    .join('; ')
}

/** A text of another form may be anything. */
const ID = /^[\w-]{1,40}$/

/** The path with the `id` of an entry in place of its number. */
export function withIds(path: readonly PropertyKey[], written: unknown): readonly PropertyKey[] {
  let inside = written
  return path.map((part) => {
    inside = Object(inside)[part]
    const { id } = Object(inside)
    return typeof part === 'number' && ID.test(id ?? '') ? id : part
  })
}

/** Reads JSON, for {@link contentOf}. @param expected as `list of documents` */
export function jsonOf<T>(schema: z.ZodType<T>, expected: string): (text: string, path: string) => T {
  return (text, path) => {
    const written = parseJsonFile(path, text)
    const parsed = schema.safeParse(written)
    if (parsed.success) return parsed.data
    throw new Error(`${path} is no ${expected}: ${faultsOf(parsed.error, written)}`)
  }
}

/** What a configured file says. @param missing what to do if there is none @throws ConfigError when it cannot be used */
export async function contentOf<T>(
  variable: string,
  path: string,
  read: (text: string, path: string) => T,
  missing = '',
): Promise<T> {
  try {
    return read(await readTextFile(path), path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const named = message.startsWith(path) ? message : `${path}: ${message}`
    const fault = code === 'ENOENT' ? `there is no file ${path}${missing}` : named
    throw new ConfigError([`${variable} cannot be used: ${fault}`])
  }
}

// Files that are readable by their owner only, and are written atomically.

/** Writes a file atomically, replacing any old one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await rename(await unfinished(path, text), path)
}

/** Creates a file and its folder, unless another process creates the file first. */
export async function createFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = await unfinished(path, text)
  await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(temporary)
}

async function unfinished(path: string, text: string): Promise<string> {
  const temporary = `${path}.${randomUUID()}`
  await writeFile(temporary, text, { mode: 0o600 })
  return temporary
}

/** All problems at once, so that a start does not fail once for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  /** @param file the configuration file, if there is one */
  constructor(problems: readonly string[], file?: string) {
    const where = file === undefined ? '' : ` (${file})`
    super(
      `The configuration is not valid${where}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    )
    this.problems = problems
  }
}
