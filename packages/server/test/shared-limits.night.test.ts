import { connectToPostgres } from '@grantkit/store-postgres'
import { freePort } from '@grantkit/test-servers/free-port'
import { newDatabase } from '@grantkit/test-servers/postgres-database'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { cli } from '@grantkit/test-servers/redis-cli'
import { startRedis } from '@grantkit/test-servers/redis-server'
import { startProxy } from '@grantkit/test-servers/tcp-proxy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sweepRateLimits } from '../src/limits/counters-in-postgres.ts'
import { connected } from './connected.ts'
import { at, noDeadlines, refresh, register, statuses } from './limited-requests.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/** Rate limits that replicas share, in Redis or in Postgres. */

/** Where replicas count together. */
interface Shared {
  readonly settings: Record<string, string>
  /** The keys of everything that is counted now, and the seconds for which it is. */
  counted(): Promise<readonly (readonly [key: string, seconds: number])[]>
  forgetAll(): Promise<void>
  stop(): Promise<void>
  restart(): Promise<void>
  /** Makes the server unresponsive until it is called again. */
  silence(silent: boolean): void
  close(): Promise<void>
}

async function onRedis(): Promise<Shared> {
  const redis = await startRedis()
  const redisCli = (...words: string[]) => cli('-p', `${redis.port}`, ...words)
  return {
    settings: { STORE_URL: redis.url },
    async counted() {
      const keys = (await redisCli('keys', 'grantkit:limit:*')).split('\n')
      return Promise.all(keys.map(async (key) => [key, Number(await redisCli('ttl', key))] as const))
    },
    forgetAll: async () => void (await redisCli('flushall')),
    stop: () => redis.stop(),
    restart: () => redis.restart(),
    silence: (silent) => (silent ? redis.freeze() : redis.thaw()),
    close: () => redis.close(),
  }
}

async function onPostgres(): Promise<Shared> {
  const network = await startProxy(postgres.port)
  const watcher = await connectToPostgres(postgres.url)
  return {
    settings: { DATABASE_URL: postgres.url.replace(`${postgres.port}`, `${network.port}`), STORE_URL: '' },
    async counted() {
      const { rows } = await watcher.query('SELECT key, expire FROM rate_limit')
      return rows.map(({ key, expire }) => [key, (Number(expire) - Date.now()) / 1000])
    },
    forgetAll: async () => void (await watcher.query('DELETE FROM rate_limit')),
    stop: () => postgres.stop(),
    restart: () => postgres.restart(),
    silence(silent) {
      network.cut = silent
    },
    async close() {
      await watcher.end()
      await network.close()
    },
  }
}

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres('fsync=off')
})
afterAll(() => postgres.close())

describe.each([
  ['Redis', onRedis],
  ['Postgres', onPostgres],
])('two replicas on %s', (name, start) => {
  let shared: Shared
  let replicas: readonly [RunningServer, RunningServer]
  beforeAll(async () => {
    shared = await start()
    const first = await freePort()
    const settings = {
      BASE_URL: `http://127.0.0.1:${first}`,
      SECRET: 'the same on every replica, and long enough',
      TRUST_PROXY: 'loopback',
      ...shared.settings,
    }
    replicas = [
      await runServer({ ...settings, PORT: String(first) }),
      await runServer({ ...settings, PORT: String(await freePort()) }),
    ]
  })
  afterAll(async () => {
    for (const replica of replicas) await replica.close()
    await shared.close()
  })

  it('count together, with keys that reveal no caller', async () => {
    noDeadlines()
    const [one, other] = replicas
    expect(await statuses(101, (n) => register(n % 2 === 0 ? one : other))).toEqual([
      ...Array(100).fill(201),
      429,
    ])
    const [[key, seconds] = ['', 0], ...more] = await shared.counted()
    expect(key).toMatch(/^(grantkit:limit:)?registration:[\w-]{43}$/)
    expect(seconds).toSatisfy((end: number) => end > 0 && end <= 600)
    expect(more).toEqual([])
  })

  it('count the guesses at a password together', async () => {
    noDeadlines()
    const guess = (n: number) => signInStatus(replicas[n % 2 === 0 ? 0 : 1])
    const answers: number[] = []
    for (let n = 0; n < 12; n++) answers.push(await guess(n))
    expect(answers).toEqual([...Array(10).fill(401), 429, 429])
  })

  it('count the guesses of many networks at one account together', async () => {
    noDeadlines()
    await shared.forgetAll()
    const answers: number[] = []
    for (let n = 0; n < 22; n++)
      answers.push(await signInStatus(replicas[n % 2 === 0 ? 0 : 1], `10.0.${n}.1`))
    expect(answers).toEqual([...Array(20).fill(401), 429, 429])
    const seconds = (await shared.counted()).map(([key, end]) => [key.split(':').at(-2), Math.ceil(end / 60)])
    expect(seconds).toEqual(
      expect.arrayContaining([
        ['guess', 24 * 60],
        ['guess_row', 24 * 60],
        ['guess_turn', 1],
      ]),
    )
  })

  it('count per process while it is down, without delay', async () => {
    await shared.stop()
    const [one] = replicas
    // Without the store a registration fails: a 503 shows that the limit let it pass.
    expect((await register(one)).status).toBe(503)
    expect(one.events.map(({ type }) => type)).not.toContain('limiter_failed')
    await shared.restart()
    await expect.poll(async () => (await fetch(at(one, '/readyz'))).status).toBe(200)
    // A replica that counted by itself tries the server again after a second.
    await expect.poll(async () => (await register(one)).status).toBe(AFTER_A_CRASH[name])
  })

  it('respond to every request while it is unresponsive', async () => {
    await shared.forgetAll()
    const [one] = replicas
    const { client_id, refresh_token } = await signedIn(one.baseUrl, 'notes:read')
    const requests = {
      registration: () => register(one),
      'a refresh': () => refresh(one, client_id, refresh_token),
      'an authorization': () => fetch(at(one, `/oauth/authorize?client_id=${client_id}`)),
      readiness: () => fetch(at(one, '/readyz')),
    }
    shared.silence(true)
    const check = async ([name, send]: [string, () => Promise<Response>]) => {
      expect((await send()).status, name).toBe(503)
    }
    await Promise.all(Object.entries(requests).map(check)).finally(() => shared.silence(false))
  })
})

/** Redis keeps the counts over a restart. Postgres does not, because the table is unlogged. */
const AFTER_A_CRASH: Readonly<Record<string, number>> = { Redis: 429, Postgres: 201 }

/** @param address of the caller, as a proxy names it */
async function signInStatus(replica: RunningServer, address = '127.0.0.1'): Promise<number> {
  const form = await fetch(at(replica, '/login'))
  const [token = ''] = /(?<=name="token" value=")[^"]+/.exec(await form.text()) ?? []
  const cookie = form.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const headers = { cookie, 'x-forwarded-for': address }
  const body = new URLSearchParams({ token, email: 'demo@example.com', password: 'a guess' })
  const init = { method: 'POST', redirect: 'manual', headers, body } as const
  return (await fetch(at(replica, '/login'), init)).status
}

it('only expired windows are deleted from the table of Postgres', async () => {
  const { pool } = await connected((await newDatabase(postgres.url)).url)
  if (pool === undefined) throw new Error('Postgres has no pool')
  await pool.query('INSERT INTO rate_limit SELECT n::text, 1, n FROM generate_series(1, 2500) n')
  await sweepRateLimits(pool, 2400)
  const { rows } = await pool.query('SELECT count(*)::int, min(expire)::int FROM rate_limit')
  expect(rows).toEqual([{ count: 101, min: 2400 }])
})
