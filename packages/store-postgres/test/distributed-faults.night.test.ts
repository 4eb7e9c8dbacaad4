import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { aClient, aGrant } from '@grantkit/testkit'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { attempt, createPostgresStore, migrate, NoAnswerError, type PostgresStore } from '../src/index.ts'
import { DISTRIBUTED, poolOf, soon } from './patient.ts'
import { fiftyRefreshes, signedIn } from './signed-in.ts'
import { startWire, type Wire } from './wire.ts'

/** Conflicts and unknown outcomes, which engines that divide their tables report often, on a real Postgres. */

const CONFLICT = { code: '40001', executed: false }

let server: PostgresServer
let wire: Wire
let near: Pool
let pool: Pool
let store: PostgresStore
beforeAll(async () => {
  server = await startPostgres('fsync=off', 'default_transaction_isolation=serializable')
  wire = await startWire(server.port)
  near = poolOf(server.url)
  pool = poolOf(server.url.replace(`${server.port}`, `${wire.port}`))
  await migrate(near, { dialect: 'distributed' })
  store = await createPostgresStore(pool, DISTRIBUTED)
})
afterEach(() => {
  wire.fault = () => undefined
})
afterAll(async () => {
  await pool.end()
  await near.end()
  await wire.close()
  await server.close()
})

/** The next statements of a verb fail; those after them do not. */
function failing(verb: string, faults: readonly { code: string; executed: boolean }[]): void {
  const left = [...faults]
  wire.fault = (sent) => (sent.includes(`grant_one_${verb}`) ? left.shift() : undefined)
}

async function opened() {
  const grant = aGrant({ usedAt: 1 })
  await store.grants.insert(grant.id, grant, soon())
  return { grant, seen: await stored(grant.id) }
}

async function stored(id: string) {
  const seen = await store.grants.find(id)
  if (seen === undefined) throw new Error('The grant is not there')
  return seen
}

const changed = async (grant: ReturnType<typeof aGrant>, seen: Awaited<ReturnType<typeof stored>>) =>
  store.grants.replace(grant.id, seen, { ...grant, usedAt: seen.value.usedAt + 1 }, soon())

describe('a conflict (40001)', () => {
  it('is repeated three times, and the caller notices nothing', async () => {
    const grant = aGrant()
    failing('insert', [CONFLICT, CONFLICT, CONFLICT])
    expect(await store.grants.insert(grant.id, grant, soon())).toBe(true)
    failing('find', [CONFLICT, CONFLICT, CONFLICT])
    const seen = await stored(grant.id)
    failing('replace', [CONFLICT, CONFLICT, CONFLICT])
    expect(await changed(grant, seen)).toBe(true)
    failing('remove', [CONFLICT, CONFLICT, CONFLICT])
    expect(await store.grants.remove(grant.id)).toBe(true)
    expect(await store.grants.find(grant.id)).toBeUndefined()
  })

  it('is a lost race if another write won it meanwhile', async () => {
    const { grant, seen } = await opened()
    await changed(grant, seen)
    failing('replace', [CONFLICT, CONFLICT])
    expect(await changed(grant, seen)).toBe(false)
  })

  it('without an end is an error, and no endless loop', async () => {
    const { grant, seen } = await opened()
    wire.sent.length = 0
    wire.fault = (sent) => (sent.includes('grant_one_replace') ? CONFLICT : undefined)
    await expect(changed(grant, seen)).rejects.toThrow('injected 40001')
    // The store tries twice, each time with three repetitions, and the connection is as good as before.
    expect(wire.sent).toHaveLength(8)
    expect(await stored(grant.id)).toMatchObject({ value: { usedAt: 1 } })
  })

  it('that shows only at the commit counts as none of it done', async () => {
    const { grant, seen } = await opened()
    await near.query(`
      CREATE SEQUENCE commits;
      CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('commits') < 3 THEN RAISE EXCEPTION 'late' USING ERRCODE = '40001'; END IF;
        RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON grantkit_grant DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION conflict()`)
    expect(await changed(grant, seen)).toBe(true)
    expect(await stored(grant.id)).toMatchObject({ value: { usedAt: 2 } })
    const { rows } = await near.query('SELECT last_value FROM commits')
    expect(rows).toEqual([{ last_value: '3' }])
    await near.query('DROP TRIGGER late ON grantkit_grant')
  })
})

it('a pause after a conflict ends with the time limit, and the connection serves the next statement', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.2)
  onTestFinished(() => void vi.restoreAllMocks())
  const single = poolOf(server.url.replace(`${server.port}`, `${wire.port}`), { max: 1 })
  onTestFinished(() => single.end())
  const removed = vi.fn()
  single.on('remove', removed)
  // Its connection is there: what is sent next is the statement.
  await single.query('SELECT 1')
  const left = [CONFLICT]
  wire.fault = () => left.shift()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const paused = expect(attempt(single, { text: 'SELECT 1' }, 50, [1000])).rejects.toThrow(NoAnswerError)
  // Its time limit, and the pause of 200 ms; between two looks the clock goes on by the interval.
  await expect.poll(() => vi.getTimerCount(), { interval: 0 }).toBe(2)
  vi.advanceTimersByTime(50)
  await paused
  vi.advanceTimersByTime(150)
  expect(await attempt(single, { text: 'SELECT 1' }, 5000)).toMatchObject({ rowCount: 1 })
  expect(removed).not.toHaveBeenCalled()
})

describe.each([
  ['was carried out', true],
  ['was not carried out', false],
])('an unknown outcome (40003) of a statement that %s', (_, executed) => {
  const unknown = [{ code: '40003', executed }]

  it('is settled by a second attempt, and the record is written once', async () => {
    const grant = aGrant({ usedAt: 1 })
    failing('insert', unknown)
    expect(await store.grants.insert(grant.id, grant, soon())).toBe(true)
    const seen = await stored(grant.id)
    failing('replace', unknown)
    expect(await changed(grant, seen)).toBe(true)
    expect(await stored(grant.id)).toMatchObject({ value: { usedAt: 2 } })
    failing('remove', unknown)
    expect(await store.grants.remove(grant.id)).toBe(true)
    expect(await store.grants.find(grant.id)).toBeUndefined()
  })
})

it('an unknown outcome is no lost race when another write has followed it', async () => {
  const { grant, seen } = await opened()
  let followed: Promise<unknown> | undefined
  const there = await createPostgresStore(near, DISTRIBUTED)
  wire.fault = (sent) => {
    if (!sent.includes('grant_one_replace')) return
    wire.fault = (next) => {
      if (next.includes('grant_one_replace')) wire.fault = () => undefined
      return
    }
    return { code: '40003', executed: true }
  }
  const replacing = changed(grant, seen).catch((error) => error)
  await expect
    .poll(() => there.grants.find(grant.id), { interval: 1 })
    .toMatchObject({ value: { usedAt: 2 } })
  const now = await there.grants.find(grant.id)
  if (now !== undefined) followed = there.grants.replace(grant.id, now, { ...grant, usedAt: 3 }, soon())
  expect(await followed).toBe(true)
  expect(await replacing).toMatchObject({ name: 'UnknownOutcomeError' })
})

describe('fifty refreshes of one token at once', () => {
  it('all get its one successor on a server that reports real conflicts', async () => {
    const { statuses, successors } = await fiftyRefreshes(await signedIn(store))
    expect(statuses).toEqual(Array(50).fill(200))
    expect(successors).toHaveLength(1)
  })

  it.each([
    ['meets another conflict', () => CONFLICT],
    ['has an unknown outcome', () => ({ code: '40003', executed: Math.random() < 0.5 })],
  ])('leave one successor, which works, while one statement in five %s', async (_, fault) => {
    const client = await signedIn(store)
    wire.fault = (sent) => (sent.includes('grant_one_') && Math.random() < 0.2 ? fault() : undefined)
    const { successors } = await fiftyRefreshes(client, () => {
      wire.fault = () => undefined
    })
    expect(successors).toHaveLength(1)
    expect(await client.app.refresh(successors[0] ?? '')).toMatchObject({ status: 200 })
  })
})

it('a client that is removed while its record meets conflicts stays removed', async () => {
  const client = aClient()
  await store.clients.insert(client.clientId, client, soon())
  const left = [CONFLICT, { code: '40003', executed: true }]
  wire.fault = (sent) => (sent.includes('client_one_remove') ? left.shift() : undefined)
  expect(await store.clients.remove(client.clientId)).toBe(true)
  expect(await store.clients.find(client.clientId)).toBeUndefined()
})
