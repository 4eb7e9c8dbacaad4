import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import type { Podman } from '@grantkit/test-servers/podman'
import { startPostgres } from '@grantkit/test-servers/postgres-server'
import { Client } from 'pg'
import type { ServerConfig } from '../../src/config/schema.ts'
import { readComposeService } from './compose-service.ts'
import type { InitProject } from './init-project.ts'

/** The server of `compose.yaml` with its Postgres, on free ports of this machine. */
export interface ServerInPodman {
  readonly port: number
  /** Runs a command with the settings of the server, which may write `/private`. */
  once(...command: string[]): Promise<string>
  /** Runs a line of shell next to the running server. */
  exec(line: string): Promise<string>
  /** Resolves when the image's health check passes. */
  start(): Promise<void>
  /** @returns the exit status, which is 137 when the grace period ran out */
  stop(): Promise<number>
  /** Kills it, ends its Postgres, and removes its files. */
  close(): Promise<void>
}

interface Settings {
  /** Those of `.env`. */
  readonly variables: Readonly<Record<'BASE_URL' | 'SECRET' | 'POSTGRES_PASSWORD', string>>
  /** The configuration file. */
  readonly config: ServerConfig
}

export async function serverInPodman(
  { podman }: Podman,
  image: string,
  { variables, config }: Settings,
): Promise<ServerInPodman> {
  const { environment, restrictions, stopGracePeriod } = await readComposeService(variables)
  const METRICS_PORT = `${await freePort()}`
  const { port, run, close } = await onThisMachine(podman, { ...environment, METRICS_PORT })
  const folder = await folderWith(config)
  const files = ['--volume', `${folder}/config:/config:ro`]
  const keys = `${folder}/private`
  return {
    port,
    async close() {
      await close()
      await rm(folder, { recursive: true })
    },
    once: (...command) => run('--rm', ...files, '--volume', `${keys}:/private`, image, ...command),
    exec: (line) => podman('exec', 'server', 'sh', '-c', line),
    async start() {
      const named = ['--detach', '--replace', '--name', 'server']
      await run(...named, ...restrictions, ...files, '--volume', `${keys}:/private:ro`, image)
      await healthy(podman)
    },
    async stop() {
      await podman('stop', '--time', `${stopGracePeriod}`, 'server')
      return Number(await podman('inspect', '--format', '{{.State.ExitCode}}', 'server'))
    },
  }
}

/** The services of a compose file of `grantkit init`: the signing keys are created, and the server is healthy. */
export async function initProjectInPodman(
  { podman }: Podman,
  image: string,
  { folder, environment, keys }: InitProject,
): Promise<Pick<ServerInPodman, 'port' | 'exec' | 'close'>> {
  const { port, run, close } = await onThisMachine(podman, environment)
  const volumes = [`${folder}/grantkit.config.ts:/config/grantkit.config.ts:ro`, 'data:/data'].flatMap(
    (volume) => ['--volume', volume],
  )
  await run('--rm', ...volumes, '--entrypoint', JSON.stringify(keys.entrypoint), image, ...keys.command)
  await run('--detach', '--replace', '--name', 'server', ...volumes, image)
  await healthy(podman)
  return { port, close, exec: (line) => podman('exec', 'server', 'sh', '-c', line) }
}

/** Runs containers with the environment of a compose file, on a free port and with a Postgres of this machine. */
async function onThisMachine(podman: Podman['podman'], environment: Readonly<Record<string, string>>) {
  const [port, postgres] = [await freePort(), await postgresOfCompose()]
  const DATABASE_URL = environment.DATABASE_URL?.replace('@postgres/', `@127.0.0.1:${postgres.port}/`)
  const here = { ...environment, HOST: '127.0.0.1', PORT: port, DATABASE_URL }
  const settings = Object.entries(here).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const machine = ['--pull=never', '--network', 'host', '--cgroups', 'disabled', ...LIMITS]
  const run = (...options: string[]) => podman('run', ...machine, ...settings, ...options)
  const close = async () => {
    await podman('rm', '--force', '--time', '0', 'server')
    await postgres.close()
  }
  return { port, run, close }
}

/** Podman's own are higher than a virtual machine may allow. */
const LIMITS = ['nofile=4096:4096', 'nproc=4096:4096'].flatMap((limit) => ['--ulimit', limit])

/** With the role and the database that compose.yaml asks the image of Postgres for. */
async function postgresOfCompose() {
  const postgres = await startPostgres()
  const client = new Client(postgres.url)
  await client.connect()
  await client.query('CREATE ROLE grantkit LOGIN')
  await client.query('CREATE DATABASE grantkit OWNER grantkit')
  await client.end()
  return postgres
}

/** Two folders: `config` with the configuration file, and an empty `private` of the image's user. */
async function folderWith(config: ServerConfig): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-'))
  await chmod(folder, 0o755)
  for (const name of ['config', 'private']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'config/grantkit.config.json'), JSON.stringify(config))
  await chown(join(folder, 'private'), 1000, 1000)
  return folder
}

/** Each check takes Node's start and three seconds at most; compose asks as often as the Dockerfile says. */
async function healthy(podman: Podman['podman']): Promise<void> {
  for (let check = 1; ; check++) {
    try {
      await podman('healthcheck', 'run', 'server')
      return
    } catch (error) {
      if (check === 30) throw new Error(`${error}\n${await podman('logs', 'server')}`)
    }
  }
}
