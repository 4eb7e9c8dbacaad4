import { stat, statfs } from 'node:fs/promises'
import { fileSystemWarning } from './file-system-warning.ts'
import type { SqliteStoreOptions } from './sqlite-store.ts'

export type FileOptions = Pick<SqliteStoreOptions, 'path' | 'durability'>

/**
 * Warnings about the place and the settings of a file that could lose or reveal records; empty if all is well.
 *
 * @example
 * ```ts
 * import { settingsWarnings } from '@grantkit/store-sqlite'
 *
 * for (const warning of await settingsWarnings({ path: 'grants.sqlite' })) console.warn(warning)
 * ```
 */
export async function settingsWarnings({ path, durability }: FileOptions): Promise<string[]> {
  const { mode } = await stat(path)
  const warnings = [
    durability === 'process' && 'durability is process: a power cut loses the last writes, revocations too',
    process.platform === 'linux' && fileSystemWarning(path, (await statfs(path)).type),
    process.platform !== 'win32' &&
      (mode & 0o077) !== 0 &&
      `${path} can be read by other users of the machine: run chmod 600 on it`,
  ]
  return warnings.filter((warning) => typeof warning === 'string')
}
