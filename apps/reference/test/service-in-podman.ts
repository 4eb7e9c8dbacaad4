import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import type { Podman } from '@grantkit/test-servers/podman'
import { startPostgres } from '@grantkit/test-servers/postgres-server'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { readComposeService } from './compose-service.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The service of `compose.yaml` with its Postgres, on free ports of this machine. */
export interface ServiceInPodman {
  readonly port: number
  /** Runs a program of the image with the settings of the service, which may write `/private`. */
  once(...program: string[]): Promise<string>
  /** Resolves when the image's health check passes. */
  start(): Promise<void>
  /** @returns the exit status, which is 137 when the grace period ran out */
  stop(): Promise<number>
}

/** @param variables those of `.env` */
export async function serviceInPodman(
  { podman }: Podman,
  image: string,
  variables: Readonly<Record<'BASE_URL' | 'SECRET' | 'POSTGRES_PASSWORD', string>>,
): Promise<ServiceInPodman> {
  const { environment, restrictions, stopGracePeriod } = await readComposeService(variables)
  const [port, METRICS_PORT, postgres] = [await freePort(), await freePort(), await postgresOfCompose()]
  const DATABASE_URL = environment.DATABASE_URL?.replace('@postgres/', `@127.0.0.1:${postgres.port}/`)
  const here = { ...environment, HOST: '127.0.0.1', PORT: port, METRICS_PORT, DATABASE_URL }
  const settings = Object.entries(here).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const machine = ['--pull=never', '--network', 'host', '--cgroups', 'disabled', ...LIMITS]
  const run = (...options: string[]) => podman('run', ...machine, ...settings, ...options)
  const keys = await folderOfNode()
  return {
    port,
    once: (...program) => run('--rm', '--volume', `${keys}:/private`, image, ...program),
    async start() {
      const named = ['--detach', '--replace', '--name', 'service']
      await run(...named, ...restrictions, '--volume', `${keys}:/private:ro`, image)
      await healthy(podman)
    },
    async stop() {
      await podman('stop', '--time', `${stopGracePeriod}`, 'service')
      return Number(await podman('inspect', '--format', '{{.State.ExitCode}}', 'service'))
    },
  }
}

/** Podman's own are higher than a virtual machine may allow. */
const LIMITS = ['nofile=4096:4096', 'nproc=4096:4096'].flatMap((limit) => ['--ulimit', limit])

/** With the role and the database that compose.yaml asks the image of Postgres for. */
async function postgresOfCompose() {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.close())
  const client = new Client(postgres.url)
  await client.connect()
  await client.query('CREATE ROLE school LOGIN')
  await client.query('CREATE DATABASE school OWNER school')
  await client.end()
  return postgres
}

/** A folder of the image's user. */
async function folderOfNode(): Promise<string> {
  const folder = join(await temporaryFolder(), 'private')
  await mkdir(folder)
  await chown(folder, 1000, 1000)
  return folder
}

/** Each check takes Node's start and three seconds at most; compose asks as often as the Dockerfile says. */
async function healthy(podman: Podman['podman']): Promise<void> {
  for (let check = 1; ; check++) {
    try {
      await podman('healthcheck', 'run', 'service')
      return
    } catch (error) {
      if (check === 30) throw new Error(`${error}\n${await podman('logs', 'service')}`)
    }
  }
}
