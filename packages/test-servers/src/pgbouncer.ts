import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startEngine } from './engine.ts'

/** In front of a Postgres, with few connections to it. */
export interface PgBouncer {
  readonly url: string
  close(): Promise<void>
}

/** Each transaction gets whatever connection is free, so nothing that a session remembers can be relied on. */
export async function startPgBouncer(postgresPort: number): Promise<PgBouncer> {
  const { port, close } = await startEngine({
    part: 'PgBouncer',
    async options(port, folder) {
      await writeFile(join(folder, 'pgbouncer.ini'), configuration(port, postgresPort), { mode: 0o644 })
      return ['pgbouncer.ini']
    },
    ready: 'process up',
  })
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, close }
}

function configuration(port: number, postgresPort: number): string {
  return `[databases]
postgres = host=127.0.0.1 port=${postgresPort} user=postgres

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
`
}
