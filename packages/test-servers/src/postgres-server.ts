import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { folderInMemory } from './folder-in-memory.ts'
import { freePort } from './free-port.ts'
import { requireSystemPart } from './system-parts.ts'
import { handOver, launchUnprivileged, SERVER_USER } from './unprivileged.ts'

/** A real server for one test, on a free loopback port. */
export interface PostgresServer {
  readonly port: number
  /** Of an empty database, as its owner. */
  readonly url: string
  /** All of its files, until `close`. */
  readonly folder: string
  /** What `pg_ctl stop -m immediate` does: nothing is flushed, and the next start recovers from the log. */
  stop(): Promise<void>
  /** Starts it again on its files; stops it first if it still runs. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** @param settings such as `synchronous_commit=off` */
export async function startPostgres(...settings: string[]): Promise<PostgresServer> {
  const executable = requireSystemPart('Postgres')
  const folder = await folderInMemory('postgres')
  await handOver(folder)
  await initialize(join(dirname(realpathSync(executable)), 'initdb'), folder)
  const port = await freePort()
  const options = [...OWN, `port=${port}`, ...settings].flatMap((setting) => ['-c', setting])
  const start = () => launchUnprivileged(executable, ['-D', folder, ...options], folder, READY)
  let server = await start()
  return {
    port,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    folder,
    stop: () => stop(server),
    async restart() {
      await stop(server)
      server = await start()
    },
    async close() {
      await stop(server)
      await rm(folder, { recursive: true })
    },
  }
}

/** Everything that makes a commit durable is on by default. */
const OWN = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=50']
const READY = 'database system is ready to accept connections'

async function initialize(initdb: string, folder: string): Promise<void> {
  const options = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  await promisify(execFile)(initdb, options, { cwd: folder, ...SERVER_USER })
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGQUIT')
  await ended
}
