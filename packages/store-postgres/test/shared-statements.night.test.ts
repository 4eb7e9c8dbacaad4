import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { aClient, aGrant } from '@grantkit/testkit'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresStore, migrate, type PostgresStore } from '../src/index.ts'
import { PATIENT, poolOf, soon } from './patient.ts'

/** Requests that come at the same time, and share statements. */

const COUNT = 20

let server: PostgresServer
let pool: Pool
let store: PostgresStore
beforeAll(async () => {
  server = await startPostgres('fsync=off')
  pool = poolOf(server.url)
  await migrate(pool)
  store = await createPostgresStore(pool, PATIENT)
})
afterAll(async () => {
  store.close()
  await pool.end()
  await server.close()
})

async function someGrants() {
  const grants = Array.from({ length: COUNT }, () => aGrant({ usedAt: 1 }))
  for (const grant of grants) await store.grants.insert(grant.id, grant, soon())
  return Promise.all(grants.map(({ id }) => stored(id)))
}

async function stored(id: string) {
  const seen = await store.grants.find(id)
  if (seen === undefined) throw new Error('The grant is not there')
  return seen
}

type Seen = Awaited<ReturnType<typeof stored>>

/** Each of them changes the grant, so the second one loses. */
function use(seen: Seen): Promise<boolean> {
  return store.grants.replace(seen.value.id, seen, { ...seen.value, usedAt: seen.value.usedAt + 1 }, soon())
}

/** A statement takes one connection out of the pool. */
async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const counted = () => void count++
  pool.on('acquire', counted)
  await work()
  pool.off('acquire', counted)
  return count
}

describe('requests at the same time', () => {
  it('read their client and their grants by one statement for each table', async () => {
    const client = aClient()
    await store.clients.insert(client.clientId, client, soon())
    const seen = await someGrants()
    const reads = seen.flatMap(({ value }) => [
      store.clients.find(client.clientId),
      store.grants.find(value.id),
    ])
    expect(await statementsOf(() => Promise.all(reads))).toBe(2)
    const found = await Promise.all(reads)
    expect(found.map((record) => record?.value)).toEqual(seen.flatMap(({ value }) => [client, value]))
  })

  it('replace their grants in one commit, and each gets its own result', async () => {
    const seen = await someGrants()
    const [first, second, third] = seen as [Seen, Seen, Seen]
    await use(first)
    await store.grants.remove(second.value.id)
    const uses = () => Promise.all([...seen, third].map(use))
    let results: boolean[] = []
    // The removed one is looked for once more.
    expect(await statementsOf(async () => (results = await uses()))).toBe(2)
    expect(results.slice(0, 2), 'changed meanwhile, removed').toEqual([false, false])
    expect([results[2], results.at(-1)].sort(), 'the same one twice').toEqual([false, true])
    expect(results.slice(3, -1).every(Boolean)).toBe(true)
    for (const { value } of seen.slice(2))
      expect(await stored(value.id)).toMatchObject({ value: { usedAt: 2 } })
  })

  it('do not wait for a grant that another transaction has locked', async () => {
    const seen = await someGrants()
    const [locked, ...others] = seen as [Seen, ...Seen[]]
    const operator = await pool.connect()
    await operator.query('BEGIN')
    await operator.query('SELECT FROM grantkit_grant WHERE id = $1 FOR UPDATE', [locked.value.id])
    let released = false
    const waiting = use(locked).then((replaced) => ({ replaced, released }))
    expect((await Promise.all(others.map(use))).every(Boolean)).toBe(true)
    released = true
    await operator.query('COMMIT')
    operator.release()
    expect(await waiting).toEqual({ replaced: true, released: true })
  })
})
