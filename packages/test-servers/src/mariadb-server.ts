import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { folderInMemory } from './folder-in-memory.ts'
import { freePort } from './free-port.ts'
import { requireSystemPart } from './system-parts.ts'
import { handOver, launchUnprivileged, SERVER_USER } from './unprivileged.ts'

/** A real server for one test, on a free loopback port. */
export interface MariaDbServer {
  readonly port: number
  /** Of the empty database `test`, as `root`, who has no password. */
  readonly url: string
  /** Kills it, like a crash. */
  stop(): Promise<void>
  /** Starts it again on its files; kills it first if it still runs. */
  restart(): Promise<void>
  /** Keeps its connections open but answers nothing, like a machine that lost its network. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

/** @param options of the command line, such as `--read-only`. Everything that makes a commit durable is on by default. */
export async function startMariaDb(...options: string[]): Promise<MariaDbServer> {
  const executable = requireSystemPart('MariaDB')
  const folder = await folderInMemory('mariadb')
  await handOver(folder)
  // A server that starts deletes the temporary tables that it finds, and so those of another one in the same folder.
  const own = ['--no-defaults', `--datadir=${folder}`, `--tmpdir=${folder}`, '--innodb-log-file-size=8M']
  await initialize(executable, own, folder)
  const port = await freePort()
  const listening = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(folder, 'socket')}`]
  const start = () =>
    launchUnprivileged(executable, [...own, ...listening, ...SKIPPED, ...options], folder, READY)
  let server = await start()
  return {
    port,
    url: `mysql://root@127.0.0.1:${port}/test`,
    stop: () => kill(server),
    async restart() {
      await kill(server)
      server = await start()
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async close() {
      await kill(server)
      await rm(folder, { recursive: true })
    },
  }
}

const READY = 'ready for connections'

/** From release 11.4 on, it would make a certificate at each start, which takes a busy machine a minute. */
const SKIPPED = ['--skip-name-resolve', '--skip-ssl']

/** What `mariadb-install-db` does, without its shell script: that needs a program of another package. */
async function initialize(executable: string, own: readonly string[], folder: string): Promise<void> {
  const { folder: messages, scripts } = systemTables(executable)
  const texts = await Promise.all(scripts.map((script) => readFile(script, 'utf8')))
  const quick = ['--skip-log-bin', '--innodb-flush-log-at-trx-commit=0']
  const bootstrap = spawn(executable, [...own, '--bootstrap', `--lc-messages-dir=${messages}`, ...quick], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'pipe'],
    ...SERVER_USER,
  })
  const log: string[] = []
  bootstrap.stderr.on('data', (chunk) => log.push(String(chunk)))
  bootstrap.stdin.end(['CREATE DATABASE test;', 'CREATE DATABASE mysql;', 'USE mysql;', ...texts].join('\n'))
  const [code] = await once(bootstrap, 'close')
  if (code !== 0) throw new Error(`MariaDB did not make its tables:\n${log.join('')}`)
}

const SYSTEM_TABLES = ['system_tables', 'performance_tables', 'system_tables_data']

/** Releases from 11 on have other names. */
function systemTables(executable: string) {
  const share = join(dirname(dirname(realpathSync(executable))), 'share')
  for (const folder of [join(share, 'mysql'), join(share, 'mariadb'), share])
    for (const name of ['mariadb', 'mysql']) {
      const scripts = SYSTEM_TABLES.map((table) => join(folder, `${name}_${table}.sql`))
      if (scripts.every((script) => existsSync(script))) return { folder, scripts }
    }
  throw new Error(`MariaDB has no scripts for its tables in ${share}`)
}

async function kill(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}
