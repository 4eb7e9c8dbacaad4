import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@grantkit/test-servers/free-port'
import { build } from 'esbuild'
import type { Environment } from './service.ts'

export interface Running {
  readonly url: string
  close(): Promise<void>
}

type Command = readonly [program: string, ...args: string[]]

/** The command of each runtime. All but workerd run the sources directly. */
const COMMANDS: Readonly<Record<string, (environment: Environment, folder: string) => Promise<Command>>> = {
  Node: async () => [process.execPath, entry('node')],
  Bun: async () => [programOf('bun', 'bin/bun'), 'run', entry('bun')],
  Deno: async () => [
    programOf('deno', 'deno'),
    'run',
    '--no-remote',
    '--allow-net',
    '--allow-env',
    '--no-check',
    entry('deno'),
  ],
  workerd: async (environment, folder) => [
    programOf('workerd', 'bin/workerd'),
    'serve',
    await worker(environment, folder),
  ],
}

export const RUNTIMES = Object.keys(COMMANDS)

/** Starts the service on a free loopback port, in a process of the runtime. */
export async function run(runtime: string, settings: Omit<Environment, 'ISSUER'>): Promise<Running> {
  const environment = { ...settings, ISSUER: `http://127.0.0.1:${await freePort()}` }
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-runtime-'))
  const [program = '', ...args] = (await COMMANDS[runtime]?.(environment, folder)) ?? []
  const child = spawn(program, args, {
    env: { ...process.env, ...environment, DENO_DIR: folder, DENO_NO_UPDATE_CHECK: '1' },
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

const entry = (runtime: string) => join(import.meta.dirname, `${runtime}.ts`)

const require = createRequire(import.meta.url)

/** The program is in a package per platform; only the one for this platform is installed. */
function programOf(name: string, path: string): string {
  const manifest = require.resolve(`${name}/package.json`)
  const { optionalDependencies } = require(manifest) as { optionalDependencies: Record<string, string> }
  const { resolve } = createRequire(manifest)
  for (const platform of Object.keys(optionalDependencies)) {
    try {
      return join(dirname(resolve(`${platform}/package.json`)), path)
    } catch {}
  }
  throw new Error(`${name} has no program for this platform`)
}

/**
 * Bundles as wrangler does: one file, with Node's own modules left to the runtime. The date is the oldest supported
 * one.
 */
async function worker(environment: Environment, folder: string): Promise<string> {
  await build({
    entryPoints: [entry('workerd')],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*'],
  })
  const config = join(folder, 'config.capnp')
  await writeFile(config, configuration(environment))
  return config
}

function configuration(environment: Environment): string {
  const bindings = Object.entries(environment).map(
    ([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker", esModule = embed "worker.js")],
    compatibilityDate = "2024-09-23",
    compatibilityFlags = ["nodejs_compat"],
    bindings = [${bindings.join(', ')}],
  ))],
  sockets = [(name = "http", address = "${new URL(environment.ISSUER).host}", http = (), service = "main")],
);`
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  )
}
