import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { accountRows } from '../../src/accounts/account-rows.ts'
import { connected } from '../connected.ts'
import { DANA } from '../people.ts'
import { cookiesOf, exchange, formPost, postForm, register, underWay } from './new-connection.ts'
import { type StartedWorkers, startWorkers, valuesByWorker } from './started-workers.ts'

/** `grantkit start --workers 2` on Postgres. */

/** Connections that reach both workers. */
const MANY = Array.from({ length: 8 })

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres('fsync=off')
})
afterAll(() => postgres.close())

async function loginForm(url: string) {
  const page = await exchange(`${url}/login`)
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(page.body) ?? []
  return { token, cookie: cookiesOf(page) }
}

async function sessionOf(url: string): Promise<string> {
  const { token, cookie } = await loginForm(url)
  return cookiesOf(
    await postForm(`${url}/login`, { token, email: String(DANA.email), password: 'demo' }, cookie),
  )
}

async function accountStatuses(url: string, cookie: string): Promise<number[]> {
  const pages = MANY.map(() => exchange(`${url}/account`, { headers: { cookie } }))
  return (await Promise.all(pages)).map(({ status }) => status)
}

/** Each worker has its own series. */
async function answeredByBoth(workers: StartedWorkers, labels: string): Promise<boolean> {
  const counts = await valuesByWorker(workers, 'grantkit_http_request_duration_seconds_count', labels)
  return Number(counts[1]) > 0 && Number(counts[2]) > 0
}

it('two workers count together, know of a sign-out at once, and answer what is under way at a stop', async () => {
  const workers = await startWorkers(postgres.url)
  const { url, logged } = workers
  await logged({ workers: 2, msg: 'listening' })

  const statuses: number[] = []
  while (statuses.length < 102) statuses.push((await register(url)).status)
  expect(statuses, 'the limit is 100, not 100 for each worker').toEqual([...Array(100).fill(201), 429, 429])
  expect(await answeredByBoth(workers, 'route="/api/oauth/register",status="201"')).toBe(true)

  await accountRows(await connected(workers.databaseUrl), () => {}).add(DANA)
  const cookie = await sessionOf(url)
  expect(await accountStatuses(url, cookie)).toEqual(MANY.map(() => 200))
  expect((await postForm(`${url}/logout`, {}, cookie)).status).toBe(303)
  expect(await accountStatuses(url, cookie)).toEqual(MANY.map(() => 303))
  expect(await answeredByBoth(workers, 'route="/account",status="303"')).toBe(true)

  const form = await loginForm(url)
  // A password takes a tenth of a second.
  const slow = MANY.map((_, n) => {
    const fields = { token: form.token, email: `${n}@example.com`, password: 'a guess' }
    return underWay(`${url}/login`, formPost(fields, form.cookie))
  })
  await Promise.all(slow.map(({ sent }) => sent))
  // The primary process accepts connections in their order, so all of them are with a worker now.
  await exchange(`${url}/healthz`)
  workers.process.kill('SIGTERM')
  const answers = await Promise.all(slow.map(({ received }) => received))
  expect(answers.map(({ status }) => status)).toEqual(MANY.map(() => 401))
  expect(await workers.exit).toBe(0)
})

it('a worker that cannot start ends the server with its exit code, and is not started again', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as AddressInfo
  const workers = await startWorkers(postgres.url, { PORT: String(port) })
  expect(await workers.exit).toBe(1)
  expect(workers.output().match(/The port is taken/g)).toHaveLength(1)
  expect(workers.output()).toContain('Worker 1 ended before it listened')
})
