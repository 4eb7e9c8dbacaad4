import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { haproxyConfig } from './haproxy.ts'

export interface ClusterOptions {
  /** The port of the load balancer; the replicas use the ports after it. */
  readonly port: number
  /** The ports of the replicas. */
  readonly replicas: readonly number[]
  /** The path of the HAProxy executable. */
  readonly haproxy: string
  /** Shared config of the replicas, with `STORE_URL`. */
  readonly environment: NodeJS.ProcessEnv
  /** Config of one replica alone. */
  readonly ownEnvironment?: (index: number) => NodeJS.ProcessEnv
  /** Called with the output of the processes. */
  readonly onOutput: (text: string) => void
}

/** Replicas of the service behind one address, each in its own process. */
export interface Cluster {
  readonly baseUrl: string
  /** The process of a replica. */
  replica(index: number): ChildProcess
  /** Restarts a replica that has ended. */
  start(index: number): Promise<void>
  stop(): Promise<void>
}

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

/** @throws Error when one of them does not start; the others are then stopped */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { port, replicas, haproxy, onOutput } = options
  const baseUrl = `http://127.0.0.1:${port}`
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-cluster-'))
  const config = join(folder, 'haproxy.cfg')
  await writeFile(config, await haproxyConfig({ port, replicas }))
  const processes: ChildProcess[] = []
  const cluster: Cluster = {
    baseUrl,
    replica: (index) => processes[index] as ChildProcess,
    async start(index) {
      const own = {
        BASE_URL: baseUrl,
        PORT: `${replicas[index]}`,
        ...metricsPort(options, index),
        ...options.ownEnvironment?.(index),
      }
      const environment = { ...options.environment, ...own }
      processes[index] = launch(process.execPath, [MAIN], environment, onOutput)
      await until(`http://127.0.0.1:${replicas[index]}/readyz`, processes[index])
    },
    async stop() {
      await Promise.all([...processes].map(end))
      await rm(folder, { recursive: true })
    },
  }
  try {
    for (const index of replicas.keys()) await cluster.start(index)
    const balancer = launch(haproxy, ['-db', '-f', config], process.env, onOutput)
    processes.push(balancer)
    await until(`${baseUrl}/readyz`, balancer)
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return cluster
}

/** Each replica has its own counters, so each needs its own port. */
function metricsPort({ environment: { METRICS_PORT } }: ClusterOptions, index: number): NodeJS.ProcessEnv {
  return METRICS_PORT === undefined ? {} : { METRICS_PORT: `${Number(METRICS_PORT) + index}` }
}

function launch(
  command: string,
  parameters: readonly string[],
  env: NodeJS.ProcessEnv,
  onOutput: (text: string) => void,
): ChildProcess {
  const child = spawn(command, parameters, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => onOutput(String(chunk)))
  return child
}

async function until(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (hasEnded(child)) throw new Error(`A process ended before ${url} answered; see what it printed`)
    const ready = await fetch(url).then(
      ({ status }) => status === 200,
      () => false,
    )
    if (ready) return
    await new Promise((later) => setTimeout(later, 50))
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  // SIGTERM would wait for the load balancer, which is stopped too.
  child.kill('SIGINT')
  await ended
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
