import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../config/config-error.ts'
import type { ConfiguredService } from '../configured-service.ts'

/**
 * Creates the server without listening, in memory, so that everything that a start would refuse is found: files, keys,
 * scopes, the brand.
 */
export async function trial({ config, definition }: ConfiguredService): Promise<readonly string[]> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'grantkit-check-'))
  try {
    await createInMemory({ config: { ...config, dataFolder }, definition })
    return []
  } catch (error) {
    return error instanceof ConfigError ? error.problems : [(error as Error).message]
  } finally {
    await rm(dataFolder, { recursive: true })
  }
}

async function createInMemory({ config, definition }: ConfiguredService): Promise<void> {
  const { openStorage } = await import('../storage.ts')
  const { createService } = await import('../service.ts')
  const secret = config.secret ?? randomBytes(32).toString('base64url')
  const here = { ...config, secret, database: 'memory:', store: 'memory:' }
  const storage = await openStorage(here, () => {}, { definition })
  try {
    const observers = { onEvent: () => {}, onError: () => {} }
    await createService({ definition, config: here, observers, storage })
  } finally {
    await storage.close()
  }
}
