import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Engine, startEngine } from './engine.ts'
import { SERVER_USER } from './unprivileged.ts'

/** It consists of processes, each with a group of its own, so it cannot be frozen by one signal. */
export interface PostgresServer extends Omit<Engine, 'freeze' | 'thaw'> {
  /** Of an empty database, as its owner. */
  readonly url: string
}

/** @param settings such as `synchronous_commit=off` */
export async function startPostgres(...settings: string[]): Promise<PostgresServer> {
  const engine = await startEngine({
    part: 'Postgres',
    prepare: initialize,
    options: (port, folder) => [
      '-D',
      folder,
      ...[...OWN, `port=${port}`, ...settings].flatMap((setting) => ['-c', setting]),
    ],
    ready: 'database system is ready to accept connections',
    // What `pg_ctl stop -m immediate` does: nothing is flushed, and the next start recovers from the log, once no backend is left.
    ending: 'SIGQUIT',
  })
  return { ...engine, url: `postgres://postgres@127.0.0.1:${engine.port}/postgres` }
}

/** Everything that makes a commit durable is on by default. */
const OWN = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=50',
  // In its folder: a server that is killed leaves it.
  'dynamic_shared_memory_type=mmap',
]

async function initialize(folder: string, executable: string): Promise<void> {
  const initdb = join(dirname(realpathSync(executable)), 'initdb')
  const options = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  await promisify(execFile)(initdb, options, { cwd: folder, ...SERVER_USER })
}
