import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { requireSystemPart } from './system-parts.ts'
import { handOver, launchUnprivileged } from './unprivileged.ts'

/** In front of a Postgres, with few connections to it. */
export interface PgBouncer {
  readonly url: string
  close(): Promise<void>
}

/** Each transaction gets whatever connection is free, so nothing that a session remembers can be relied on. */
export async function startPgBouncer(postgresPort: number): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-pgbouncer-'))
  const port = await freePort()
  await writeFile(join(folder, 'pgbouncer.ini'), configuration(port, postgresPort), { mode: 0o644 })
  await handOver(folder)
  const bouncer = await launchUnprivileged(
    requireSystemPart('PgBouncer'),
    ['pgbouncer.ini'],
    folder,
    'process up',
  )
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async close() {
      const ended = once(bouncer, 'exit')
      bouncer.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }
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
