import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '@grantkit/test-servers/free-port'
import { programOf } from '@grantkit/test-servers/program-of'
import { newestCompatibilityDate, startWorker } from '@grantkit/test-servers/workerd'
import type { Environment } from './service.ts'

export interface Running {
  readonly url: string
  close(): Promise<void>
}

type Command = readonly [program: string, ...args: string[]]

/** The command that runs a program of this folder, from its source. */
const SCRIPTS: Readonly<Record<string, (file: string) => Command>> = {
  Node: (file) => [process.execPath, file],
  Bun: (file) => [programOf('bun', 'bin/bun', import.meta.url), 'run', file],
  Deno: (file) => [
    programOf('deno', 'deno', import.meta.url),
    'run',
    '--no-remote',
    '--no-check',
    ...allowed(file),
    file,
  ],
}

/** The service needs no file. To import what the arguments name, Deno reads it, and drivers of databases ask for the system. */
function allowed(file: string): string[] {
  const service = ['--allow-net', '--allow-env']
  return file.endsWith('load-packages.ts') ? [...service, '--allow-read', '--allow-sys'] : service
}

/** The oldest supported date, and the newest. */
const DATES: Readonly<Record<string, () => string>> = {
  workerd: () => '2024-09-23',
  'workerd at its newest date': newestCompatibilityDate,
}

export const RUNTIMES = [...Object.keys(SCRIPTS), ...Object.keys(DATES)]

function scriptCommand(runtime: string, name: string): Command {
  const command = SCRIPTS[runtime]?.(file(name))
  if (command === undefined) throw new Error(`There is no ${runtime}`)
  return command
}

/** Starts the service on a free loopback port, in a process of the runtime. */
export async function run(runtime: string, settings: Omit<Environment, 'ISSUER'>): Promise<Running> {
  const compatibilityDate = DATES[runtime]?.()
  if (compatibilityDate !== undefined)
    return startWorker(file('workerd'), { bindings: settings, issuer: 'ISSUER', compatibilityDate })
  const environment = { ...settings, ISSUER: `http://127.0.0.1:${await freePort()}` }
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-runtime-'))
  return started(runtime, scriptCommand(runtime, runtime.toLowerCase()), environment, folder)
}

export interface Loaded {
  readonly loaded: number
  /** On Node: what the modules have done. A Worker fails if they do anything. */
  readonly effects: readonly string[]
}

/** Imports modules in a runtime. */
export async function load(runtime: string, files: readonly string[]): Promise<Loaded> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-runtime-'))
  if (DATES[runtime] !== undefined) return loadInWorker(runtime, files, folder)
  const [program, ...args] = scriptCommand(runtime, 'load-packages')
  const { stdout } = await promisify(execFile)(program, [...args, ...files], {
    env: processEnvironment(folder),
  })
  await rm(folder, { recursive: true })
  return JSON.parse(stdout)
}

/** A Worker imports before its first request, and can do nothing else then. */
async function loadInWorker(runtime: string, files: readonly string[], folder: string): Promise<Loaded> {
  const imports = files.map((file, index) => `import * as module${index} from ${JSON.stringify(file)}`)
  const modules = files.map((_, index) => `module${index}`)
  const answer = `{ loaded: [${modules}].length, effects: [] }`
  imports.push(`export default { fetch: () => Response.json(${answer}) }`)
  const entry = join(folder, 'entry.js')
  await writeFile(entry, imports.join('\n'))
  const { url, close } = await startWorker(entry, { compatibilityDate: DATES[runtime]?.() ?? '' })
  const loaded = (await (await fetch(url)).json()) as Loaded
  await close()
  await rm(folder, { recursive: true })
  return loaded
}

function processEnvironment(folder: string, environment = {}) {
  return { ...process.env, ...environment, DENO_DIR: folder, DENO_NO_UPDATE_CHECK: '1' }
}

async function started(
  runtime: string,
  [program, ...args]: Command,
  environment: Environment,
  folder: string,
): Promise<Running> {
  const child = spawn(program, args, {
    env: processEnvironment(folder, environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const close = async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit')
    await rm(folder, { recursive: true })
  }
  for (let attempt = 0; !(await answers(environment.ISSUER)); attempt++) {
    if (attempt < 400 && child.exitCode === null) await sleep(50)
    else throw await close().then(() => new Error(`${runtime} does not serve: ${output}`))
  }
  return { url: environment.ISSUER, close }
}

const file = (name: string) => join(import.meta.dirname, `${name}.ts`)

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  )
}
