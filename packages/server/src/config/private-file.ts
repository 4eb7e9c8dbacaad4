import { randomUUID } from 'node:crypto'
import { link, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Files that are readable by their owner only, and are written atomically. */

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
