import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { endWithThisProcess, onFreePort } from '@grantkit/test-servers/launched-server'

const FOLDER = import.meta.dirname

/** As the README shows it. It lies in a folder of its own, for wrangler writes beside it. */
const CONFIGURATION = {
  name: 'grantkit-crash',
  main: join(FOLDER, 'worker.ts'),
  compatibility_date: '2026-04-01',
  compatibility_flags: ['nodejs_compat'],
  durable_objects: { bindings: [{ name: 'RECORDS', class_name: 'GrantkitRecords' }] },
  migrations: [{ tag: 'v1', new_sqlite_classes: ['GrantkitRecords'] }],
  d1_databases: [
    {
      binding: 'DB',
      database_name: 'grantkit',
      database_id: '00000000-0000-0000-0000-000000000000',
      migrations_dir: join(FOLDER, '../../migrations'),
    },
  ],
}

const WRANGLER = join(
  dirname(createRequire(import.meta.url).resolve('wrangler/package.json')),
  'bin/wrangler.js',
)

/** Runs wrangler in a folder. It leads a group of processes, so that workerd can be killed with it. */
function wrangler(home: string, args: readonly string[]): ChildProcess {
  writeFileSync(join(home, 'wrangler.json'), JSON.stringify(CONFIGURATION))
  const child = spawn(process.execPath, [WRANGLER, ...args, '--persist-to', join(home, 'state')], {
    cwd: home,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, CI: '1', WRANGLER_SEND_METRICS: 'false' },
  })
  endWithThisProcess(child)
  return child
}

/** @returns what wrangler says */
export async function applyMigrations(home: string): Promise<string> {
  const child = wrangler(home, ['d1', 'migrations', 'apply', 'grantkit', '--local'])
  const [output, errors] = await Promise.all(
    [child.stdout, child.stderr].map((stream) => text(stream as NodeJS.ReadableStream)),
  )
  return `${output}${errors}`
}

export interface Worker {
  readonly url: string
  /** Kills wrangler and workerd with SIGKILL. */
  kill(): Promise<void>
}

/** Starts workerd, with objects and database on disk. */
export function startWorker(home: string): Promise<Worker> {
  return onFreePort((port) => startedAt(port, home))
}

async function startedAt(port: number, home: string): Promise<Worker> {
  const child = wrangler(home, ['dev', '--port', String(port), '--inspector-port', '0'])
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const url = `http://127.0.0.1:${port}`
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    process.kill(-child.pid, 'SIGKILL')
    await once(child, 'exit')
  }
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`The Worker does not answer: ${output}`)
    await sleep(100)
  }
  return { url, kill }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}
