import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Engine, startEngine } from './engine.ts'
import { SERVER_USER } from './unprivileged.ts'

export interface MariaDbServer extends Engine {
  /** Of the empty database `test`, as `root`, who has no password. */
  readonly url: string
}

/** @param options of the command line, such as `--read-only`. Everything that makes a commit durable is on by default. */
export async function startMariaDb(...options: string[]): Promise<MariaDbServer> {
  const engine = await startEngine({
    part: 'MariaDB',
    prepare: initialize,
    options: (port, folder) => [
      ...ownOptions(folder),
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(folder, 'socket')}`,
      ...SKIPPED,
      ...options,
    ],
    ready: 'ready for connections',
  })
  return { ...engine, url: `mysql://root@127.0.0.1:${engine.port}/test` }
}

/** A server that starts deletes the temporary tables that it finds, and so those of another one in the same folder. */
function ownOptions(folder: string): readonly string[] {
  return ['--no-defaults', `--datadir=${folder}`, `--tmpdir=${folder}`, '--innodb-log-file-size=8M']
}

/** From release 11.4 on, it would make a certificate at each start, which takes a busy machine a minute. */
const SKIPPED = ['--skip-name-resolve', '--skip-ssl']

/** What `mariadb-install-db` does, without its shell script: that needs a program of another package. */
async function initialize(folder: string, executable: string): Promise<void> {
  const { folder: messages, scripts } = systemTables(executable)
  const texts = await Promise.all(scripts.map((script) => readFile(script, 'utf8')))
  const quick = ['--skip-log-bin', '--innodb-flush-log-at-trx-commit=0']
  const bootstrap = spawn(
    executable,
    [...ownOptions(folder), '--bootstrap', `--lc-messages-dir=${messages}`, ...quick],
    {
      cwd: folder,
      stdio: ['pipe', 'ignore', 'pipe'],
      ...SERVER_USER,
    },
  )
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
