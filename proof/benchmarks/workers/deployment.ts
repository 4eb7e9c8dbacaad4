import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { formBrowser, overFetch, type Send, testClient } from '@grantkit/testkit/client'
import { keySetText, newKeys } from '../../../packages/server/src/config/signing-keys-file.ts'
import { startPostgres } from '../../../packages/test-servers/src/postgres-server.ts'
import { freePort } from '../src/machine.ts'

/** What the requests need: live grants of a client, and an API that may introspect their tokens. */
export interface Access {
  readonly clientId: string
  readonly grants: { access_token: string; refresh_token: string }[]
  readonly api: { readonly client_id: string; readonly client_secret: string }
}

/** Servers on one Postgres. */
export interface Deployment {
  readonly ports: readonly number[]
  readonly access: Access
  close(): Promise<void>
}

const ISSUER = 'https://auth.example'
const BIN = join(import.meta.dirname, '../../../packages/server/src/bin.ts')
const GRANTS = 32
const ADA = { email: 'ada@example.com', password: 'a password of her own' }

/** @param workers how many each server has */
export async function startDeployment(workers: readonly string[]): Promise<Deployment> {
  const [postgres, folder] = [await startPostgres(), await mkdtemp(join(tmpdir(), 'grantkit-bench-'))]
  const environment = {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    BASE_URL: ISSUER,
    SECRET: 'x'.repeat(32),
    KEYS_FILE: join(folder, 'keys.json'),
    DATABASE_URL: postgres.url,
    DRAIN_SECONDS: '0',
  }
  await writeFile(environment.KEYS_FILE, keySetText(await newKeys(undefined)), { mode: 0o600 })
  const ports: number[] = []
  const servers: ChildProcess[] = []
  for (const count of workers) {
    const port = await freePort()
    const env = { ...environment, PORT: String(port) }
    servers.push(
      spawn(process.execPath, [BIN, 'start', '--workers', count], { env, cwd: folder, stdio: 'inherit' }),
    )
    await until(() => ready(port))
    ports.push(port)
  }
  // The second worker listens a little later than the first.
  await sleep(5000)
  const command = async (words: readonly string[], input = '') => {
    const running = promisify(execFile)(process.execPath, [BIN, ...words], { env: environment, cwd: folder })
    running.child.stdin?.end(input)
    return (await running).stdout
  }
  await command(['users', 'add', '--email', ADA.email, '--name', 'Ada'], `${ADA.password}\n`)
  const api = JSON.parse(await command(['clients', 'add', '--name', 'API', '--resource-server', '--json']))
  return {
    ports,
    access: { api, ...(await grantsAt(ports[0] ?? 0)) },
    async close() {
      for (const server of servers) server.kill('SIGINT')
      await Promise.all(servers.map((server) => once(server, 'exit')))
      await postgres.close()
      await rm(folder, { recursive: true })
    },
  }
}

async function grantsAt(port: number): Promise<Pick<Access, 'clientId' | 'grants'>> {
  const send: Send = (address, request) =>
    overFetch()(address.replace(ISSUER, `http://127.0.0.1:${port}`), request)
  const browser = formBrowser({ origin: ISSUER, typed: ADA, send })
  const client = await testClient(ISSUER, { send, browser })
  const grants: Access['grants'] = []
  while (grants.length < GRANTS) {
    const { access_token, refresh_token = '' } = await client.tokens('openid')
    grants.push({ access_token, refresh_token })
  }
  return { clientId: client.clientId, grants }
}

async function ready(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(100)
}
