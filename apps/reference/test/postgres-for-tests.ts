import { startPostgres } from '@grantkit/test-servers/postgres-server'
import type { TestProject } from 'vitest/node'

/** Starts one Postgres for all files whose `STORAGE` is that, unless there is one. Each service has a database of its own. */
export default async function setup({
  config: { env },
}: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { STORAGE, POSTGRES_URL } = { ...process.env, ...env }
  if (STORAGE !== 'postgres' || POSTGRES_URL !== undefined) return undefined
  const server = await startPostgres('max_connections=300')
  process.env.POSTGRES_URL = server.url
  return () => server.close()
}
