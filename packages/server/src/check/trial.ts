import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import type { ConfiguredService } from '../configured-service.ts'

/** What a start reads one after another, each left out. */
const WITHOUT: readonly ((config: Config) => Config)[] = [
  (config) => ({ ...config, keysFile: undefined }),
  (config) => ({ ...config, brand: { name: config.brand.name } }),
  (config) => ({ ...config, accountsFile: undefined }),
  (config) => ({ ...config, upstreamFile: undefined }),
  ({ features, ...config }) => {
    const clientDocuments = { ...features.clientDocuments, pinned: undefined }
    return { ...config, features: { ...features, clientDocuments } }
  },
]

/**
 * Creates the server without listening, in memory, so that everything that a start would refuse is found: files, keys,
 * scopes, the brand. A start ends at the first problem, so it is tried again without the part that is at fault.
 */
export async function trial(configured: ConfiguredService): Promise<readonly string[]> {
  const problems = await problemsOf(configured)
  if (problems.length === 0) return problems
  for (const without of WITHOUT) {
    const rest = { ...configured, config: without(configured.config) }
    if ((await problemsOf(rest))[0] !== problems[0]) return [...problems, ...(await trial(rest))]
  }
  return problems
}

async function problemsOf({ config, definition }: ConfiguredService): Promise<readonly string[]> {
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
