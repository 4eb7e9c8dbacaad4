import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { arch, availableParallelism, cpus, loadavg, platform, release } from 'node:os'
import { join } from 'node:path'

/** Server and generator do not compete: each has its own core, where the system supports it. */
export const SERVER_CORE = 0
export const GENERATOR_CORE = 1

const pinned = platform() === 'linux' && availableParallelism() > 1

/** The command that runs a program on one core; the program itself if pinning is not possible. */
export function onCore(core: number, command: string, args: readonly string[]): [string, string[]] {
  return pinned ? ['taskset', ['-c', String(core), command, ...args]] : [command, [...args]]
}

/** Moves every thread of this process. */
export function pinThisProcess(core: number): void {
  if (pinned) execFileSync('taskset', ['-a', '-c', '-p', String(core), String(process.pid)])
}

/** Starts a store on the core of the generator, so that the target has the server core alone. */
export async function onGeneratorCore<T>(start: () => Promise<T>): Promise<T> {
  pinThisProcess(GENERATOR_CORE)
  return start().finally(() => pinThisProcess(SERVER_CORE))
}

/** Rejects if the port is taken. Express would pass that error to the callback for success. */
export async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

/** Below the range of ports for outgoing connections, which come and go while a target starts. */
let nextPort = 20_000 + (process.pid % 10_000)

export async function freePort(): Promise<number> {
  const port = nextPort++
  const probe = createServer()
  if ((await listen(probe, port).catch(() => 'taken')) === 'taken') return freePort()
  await once(probe.close(), 'close')
  return port
}

const CORES = pinned
  ? 'server and generator on a core each'
  : 'server and generator NOT on cores of their own'

/** One sentence: what the numbers depend on, apart from the code. */
export function describeMachine(cores = CORES): string {
  const [cpu] = cpus()
  const system = `${platform()} ${release()} ${arch()}`
  const load = `load ${(loadavg()[0] ?? 0).toFixed(1)} before the run`
  return `${cpu?.model}, ${cpus().length} cores, ${system}, Node ${process.versions.node}; ${cores}, ${load}.`
}

const FOLDER = join(import.meta.dirname, '..')

/** The measured commit and the versions of packages, by default of all. */
export function describeVersions(packages?: readonly string[]): string {
  const { dependencies } = packageJson(FOLDER)
  const others = packages ?? Object.keys(dependencies).filter((name) => !name.startsWith('@grantkit/'))
  const versions = others.map((name) => `${name} ${packageJson(join(FOLDER, 'node_modules', name)).version}`)
  return [`Grantkit ${revision()}`, ...versions].join(', ')
}

/** With `-dirty` if there are uncommitted changes. */
function revision(): string {
  const command = ['describe', '--always', '--dirty', '--exclude', '*']
  return execFileSync('git', command, { cwd: FOLDER, encoding: 'utf8' }).trim()
}

function packageJson(folder: string): { version: string; dependencies: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
