import { randomUUID } from 'node:crypto'
import { link, rename, rm, writeFile } from 'node:fs/promises'

/** Files that only their owner may read, and that are never visible half written. */

/** Writes a file atomically, replacing any old one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await rename(await unfinished(path, text), path)
}

/** Creates a file, unless another process creates it first. */
export async function createFile(path: string, text: string): Promise<void> {
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
