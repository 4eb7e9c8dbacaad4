import { readFile, rename } from 'node:fs/promises'
import type { Client, Store } from '@grantkit/core'
import type { Settings } from '../settings/settings.ts'

/** An integration came from `INTEGRATIONS_FILE`. */
export interface IntegrationImported {
  readonly type: 'integration_imported'
  readonly clientId: string
}

/**
 * Moves the integrations of `INTEGRATIONS_FILE` into the store, where they are clients as all others. The file then gets
 * another name: an integration that is removed later must not come back. The store `memory:` needs the file again.
 */
export async function importIntegrations(
  settings: Settings,
  { clients }: Store,
  onEvent: (event: IntegrationImported) => void,
): Promise<void> {
  const { INTEGRATIONS_FILE: path, STORE_URL } = settings
  const text = path === undefined ? undefined : await textOf(path)
  if (path === undefined || text === undefined) return
  for (const client of Object.values<Client>(JSON.parse(text)))
    if (await clients.insert(client.clientId, client, client.expiresAt))
      onEvent({ type: 'integration_imported', clientId: client.clientId })
  if (STORE_URL !== 'memory:') await rename(path, `${path}.imported`)
}

/** Another replica may have moved it. */
async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
