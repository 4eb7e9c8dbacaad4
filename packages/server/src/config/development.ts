import { randomBytes } from 'node:crypto'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newSigningKeys } from '@grantkit/core'
import { createFile } from './private-file.ts'
import { keySetText } from './signing-keys-file.ts'

/**
 * Secret and signing keys for development, created at the first start in a folder that git ignores, so that sessions and
 * tokens are valid after a restart.
 */

export async function developmentSecret(folder: string): Promise<string> {
  return readFile(await keptFile(folder, 'secret', async () => randomBytes(32).toString('base64url')), 'utf8')
}

/** The path of the key set. */
export function developmentKeysFile(folder: string): Promise<string> {
  return keptFile(folder, 'keys.json', async () => keySetText(await newSigningKeys()))
}

/** If two processes start at once, one creates the file and both use it. */
async function keptFile(folder: string, name: string, make: () => Promise<string>): Promise<string> {
  const path = join(folder, name)
  if (await exists(path)) return path
  await createFile(path, await make())
  return path
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
