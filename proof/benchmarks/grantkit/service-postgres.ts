import { startPostgres } from '../../../packages/test-servers/src/postgres-server.ts'
import { onGeneratorCore } from '../src/machine.ts'
import type { StartTarget } from '../src/workloads.ts'
import { startService } from './reference-service.ts'

/** The reference service with records and accounts in its own Postgres. */
export const start: StartTarget = async (port) => {
  const postgres = await onGeneratorCore(() => startPostgres())
  const { close, ...target } = await startService(port, {
    STORE_URL: postgres.url,
    DATABASE_URL: postgres.url,
  })
  return { ...target, close: async () => Promise.all([close?.(), postgres.close()]) }
}
