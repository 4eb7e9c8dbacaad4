import { randomUUID } from 'node:crypto'
import { link, rename, rm, writeFile } from 'node:fs/promises'

/** Files that only their owner may read, and that nobody ever sees half written. */

/** Puts a file in the place of whatever was there. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await rename(await unfinished(path, text), path)
}

/** Makes a file unless somebody else, this moment too, has made it already. */
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
