import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@grantkit/test-servers/free-port'
import { newDatabase } from '@grantkit/test-servers/postgres-database'
import { PROGRAM_ENVIRONMENT } from '@grantkit/test-servers/program-environment'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { onTestFinished } from 'vitest'
import { keySetText, newKeys } from '../../src/config/signing-keys-file.ts'

/** `grantkit start --workers 2` in production mode. */
export interface StartedWorkers {
  readonly url: string
  readonly metricsUrl: string
  /** The primary process. */
  readonly process: ChildProcess
  readonly exit: Promise<unknown>
  readonly databaseUrl: string
  /** What it has logged, as objects, and what else it has printed. */
  log(): readonly Readonly<Record<string, unknown>>[]
  output(): string
  /** Resolves with the first line of the log that has these members. @throws Error when the program ends before */
  logged(members: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
}

const BIN = join(import.meta.dirname, '../../src/bin.ts')

/** @param postgresUrl of a server, in which it gets a database of its own */
export async function startWorkers(
  postgresUrl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<StartedWorkers> {
  const [folder, database] = [await temporaryFolder(), await newDatabase(postgresUrl)]
  const [port, metricsPort] = [await freePort(), await freePort()]
  const environment = {
    NODE_ENV: 'production',
    BASE_URL: 'https://auth.notes.example',
    SECRET: 'x'.repeat(32),
    KEYS_FILE: join(folder, 'keys.json'),
    DATABASE_URL: database.url,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DRAIN_SECONDS: '0',
    ...more,
  }
  await writeFile(environment.KEYS_FILE, keySetText(await newKeys(undefined)), { mode: 0o600 })
  const program = spawn(process.execPath, [BIN, 'start', '--workers', '2'], {
    cwd: folder,
    env: { ...PROGRAM_ENVIRONMENT, ...environment },
    // A group of its own, so that the end of a failed test ends its workers too.
    detached: true,
  })
  const exit = once(program, 'exit').then(([code]) => code)
  let output = ''
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (chunk) => (output += chunk))
  const log = () =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line))
  onTestFinished(async () => {
    if (program.exitCode === null && program.signalCode === null) process.kill(-(program.pid ?? 0), 'SIGKILL')
    await exit
  })
  return {
    url: `http://127.0.0.1:${port}`,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    process: program,
    exit,
    databaseUrl: database.url,
    log,
    output: () => output,
    async logged(members) {
      for (;;) {
        const line = log().find((entry) =>
          Object.entries(members).every(([key, value]) => entry[key] === value),
        )
        if (line !== undefined) return line
        if (program.exitCode !== null) throw new Error(`It ended early and printed:\n${output}`)
        await sleep(50)
      }
    },
  }
}

/** The value of a metric for each worker, by its number. @param labels in the order of the exposition */
export async function valuesByWorker({ metricsUrl }: StartedWorkers, metric: string, labels: string) {
  const exposition = await (await fetch(metricsUrl)).text()
  const values = exposition.split('\n').flatMap((line): (readonly [string, number])[] => {
    if (!line.startsWith(`${metric}{`) || !line.includes(labels)) return []
    return [[/worker="(\d+)"/.exec(line)?.[1] ?? '', Number(line.split(' ').at(-1))]]
  })
  return Object.fromEntries(values)
}
