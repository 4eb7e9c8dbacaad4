import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { formBrowser, type Send, type TestClient, testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountRows } from '../../src/accounts/account-rows.ts'
import { connected } from '../connected.ts'
import { DANA } from '../people.ts'
import { exchange } from './new-connection.ts'
import { type StartedWorkers, startWorkers } from './started-workers.ts'

/** A worker that is killed under load, and a stop under load. */

const ISSUER = 'https://auth.notes.example'
const INSTALLATIONS = 12
/** Of DANA. */
const PASSWORD = 'demo'
const EMAIL = String(DANA.email)

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres('fsync=off')
})
afterAll(() => postgres.close())

/** A connection for each request, as a proxy without keep-alive does. */
const balanced =
  (url: string): Send =>
  async (address, { method, headers, body }) =>
    exchange(address.replace(ISSUER, url), {
      method,
      headers: headers as Record<string, string>,
      body: body ?? '',
    })

/** An app that refreshes as often as it can. A lost answer is followed by the same refresh token again. */
interface Installation {
  readonly refresh: () => Promise<'refreshed' | 'lost'>
  readonly live: () => Promise<boolean>
}

async function installation(client: TestClient): Promise<Installation> {
  let { refresh_token = '' } = await client.tokens('openid')
  return {
    async refresh() {
      const answer = await client.refresh(refresh_token).catch(() => undefined)
      if (answer === undefined) return 'lost'
      const tokens = { access_token: expect.any(String), refresh_token: expect.any(String) }
      expect(answer).toMatchObject({ status: 200, ...tokens })
      refresh_token = answer.refresh_token ?? ''
      return 'refreshed'
    },
    live: async () => (await client.refresh(refresh_token)).status === 200,
  }
}

async function installationsAt({ url, databaseUrl }: StartedWorkers): Promise<Installation[]> {
  await accountRows(await connected(databaseUrl), () => {}).add(DANA)
  const send = balanced(url)
  const browser = formBrowser({ origin: ISSUER, typed: { email: EMAIL, password: PASSWORD }, send })
  const client = await testClient(ISSUER, { send, browser })
  const made: Installation[] = []
  while (made.length < INSTALLATIONS) made.push(await installation(client))
  return made
}

/** All refresh until the end. @returns how often an answer was lost */
function underLoad(installations: readonly Installation[], isOver: () => boolean) {
  const counts = { refreshed: 0, lost: 0 }
  const ended = Promise.all(
    installations.map(async ({ refresh }) => {
      while (!isOver()) counts[await refresh()]++
    }),
  )
  return { counts, ended }
}

it('a killed worker loses no more than the answers of its own connections, no grant, and is replaced', async () => {
  const workers = await startWorkers(postgres.url)
  await workers.logged({ workers: 2, msg: 'listening' })
  const installations = await installationsAt(workers)
  let over = false
  const load = underLoad(installations, () => over)
  const kills = 2
  for (let kill = 0; kill < kills; kill++) {
    const before = load.counts.refreshed
    await expect.poll(() => load.counts.refreshed, { timeout: 30_000 }).toBeGreaterThan(before + 30)
    const [pid = 0] = await pidsOfWorkers(workers)
    process.kill(pid, 'SIGKILL')
    const replaced = () => workers.log().filter(({ msg }) => msg === 'worker_replaced').length
    await expect.poll(replaced, { timeout: 30_000 }).toBe(kill + 1)
  }
  over = true
  await load.ended
  expect(load.counts.lost).toBeLessThanOrEqual(kills * INSTALLATIONS)
  expect(await Promise.all(installations.map(({ live }) => live()))).toEqual(installations.map(() => true))
  const ends = workers.log().filter(({ msg }) => msg === 'worker_ended')
  expect(ends.map(({ signal, restartMs }) => [signal, restartMs])).toEqual([
    ['SIGKILL', 250],
    ['SIGKILL', 500],
  ])
  const metrics = await (await fetch(workers.metricsUrl)).text()
  expect(metrics).toContain('grantkit_workers 2\n')
  expect(metrics).toContain('grantkit_worker_ends_total 2\n')
}, 120_000)

it('a stop under load answers each request, once no balancer sends new ones', async () => {
  const workers = await startWorkers(postgres.url, { DRAIN_SECONDS: '3' })
  await workers.logged({ workers: 2, msg: 'listening' })
  const installations = await installationsAt(workers)
  let ready = true
  const load = underLoad(installations, () => !ready)
  await expect.poll(() => load.counts.refreshed, { timeout: 30_000 }).toBeGreaterThan(100)
  workers.process.kill('SIGTERM')
  while (ready) {
    ready = (await exchange(`${workers.url}/readyz`)).status === 200
    await sleep(50)
  }
  await load.ended
  expect(load.counts.lost).toBe(0)
  expect(await workers.exit).toBe(0)
})

it('a server whose workers are all killed, and cannot start again, ends', async () => {
  const workers = await startWorkers(postgres.url, { STORE_URL: '' })
  await workers.logged({ workers: 2, msg: 'listening' })
  await postgres.stop()
  for (const pid of await pidsOfWorkers(workers)) process.kill(pid, 'SIGKILL')
  expect(await workers.exit).toBe(1)
  await postgres.restart()
})

/** The children of the primary process. */
async function pidsOfWorkers({ process: primary }: StartedWorkers): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(primary.pid)])
  return stdout.trim().split(/\s+/).map(Number)
}
