import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { aClient, aGrant, aTransient } from '@grantkit/testkit'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createPostgresStore, migrate } from '../src/index.ts'
import { DISTRIBUTED, poolOf, soon } from './patient.ts'
import { startWire } from './wire.ts'

let server: PostgresServer
let pool: Pool
beforeAll(async () => {
  server = await startPostgres('fsync=off')
  pool = poolOf(server.url)
})
afterAll(async () => {
  await pool.end()
  await server.close()
})

/** A pool behind a wire, and the wire. */
async function wired() {
  const wire = await startWire(server.port)
  const far = poolOf(server.url.replace(`${server.port}`, `${wire.port}`))
  onTestFinished(async () => {
    await far.end()
    await wire.close()
  })
  return { wire, far }
}

const rowsOf = (prefix: string) => pool.query(`SELECT id, version, steps FROM ${prefix}schema`)
const WHOLE = [{ id: 1, version: 1, steps: 1 }]

describe('migrate with the distributed dialect', () => {
  it('leaves what is there when it runs again', async () => {
    const options = { ...DISTRIBUTED, prefix: 'twice_' }
    await migrate(pool, options)
    const { clients } = await createPostgresStore(pool, options)
    await clients.insert('kept', aClient(), soon())
    await migrate(pool, options)
    expect(await clients.find('kept')).toBeDefined()
    expect((await rowsOf('twice_')).rows).toEqual(WHOLE)
  })

  it('creates the tables once for eight replicas that start together, without a lock', async () => {
    const together = poolOf(`${server.url}?options=-c%20default_transaction_isolation=serializable`)
    onTestFinished(() => together.end())
    for (const prefix of ['once_', 'again_', 'thrice_']) {
      const replicas = Array.from({ length: 8 }, () => migrate(together, { ...DISTRIBUTED, prefix }))
      await Promise.all(replicas)
      expect((await rowsOf(prefix)).rows).toEqual(WHOLE)
      await createPostgresStore(pool, { ...DISTRIBUTED, prefix })
    }
  })

  it('repeats what met a conflict', async () => {
    const { wire, far } = await wired()
    const met = new Set<string>()
    wire.fault = (sent) => {
      if (!/CREATE|INSERT/.test(sent) || met.has(sent)) return
      met.add(sent)
      return { code: '40001', executed: false }
    }
    await migrate(far, { ...DISTRIBUTED, prefix: 'met_' })
    expect(met.size).toBe(10)
    expect((await rowsOf('met_')).rows).toEqual(WHOLE)
  })

  it('continues where an earlier one was cut short, and no store starts before', async () => {
    const { wire, far } = await wired()
    const options = { ...DISTRIBUTED, prefix: 'short_' }
    wire.fault = (sent) =>
      sent.includes('TABLE IF NOT EXISTS short_transient') ? { code: '57P01', executed: false } : undefined
    await expect(migrate(far, options)).rejects.toThrow('injected 57P01')
    await expect(createPostgresStore(pool, options)).rejects.toThrow('call migrate()')
    await migrate(pool, options)
    await createPostgresStore(pool, options)
  })

  it('makes its indexes in the background where an engine makes no others', async () => {
    const { wire, far } = await wired()
    wire.fault = (sent) => (/INDEX IF/.test(sent) ? { code: '0A000', executed: false } : undefined)
    wire.translate = (sent) => sent.replace('INDEX ASYNC', 'INDEX      ')
    await migrate(far, { ...DISTRIBUTED, prefix: 'later_' })
    const made = await pool.query(`SELECT FROM pg_indexes WHERE indexname ~ '^later_.*(ended|by_.*)$'`)
    expect(made.rowCount).toBe(5)
  })

  it.each([
    ['distributed', 'postgres'],
    ['postgres', 'distributed'],
  ] as const)('refuses tables of the dialect %s for the dialect %s', async (made, wanted) => {
    const prefix = `made_${made}_`
    await migrate(pool, { dialect: made, prefix })
    await expect(migrate(pool, { dialect: wanted, prefix })).rejects.toThrow(/or the dialect that made them/)
    await expect(createPostgresStore(pool, { dialect: wanted, prefix })).rejects.toThrow(
      /call migrate|the dialect that/,
    )
  })

  it('refuses tables that only a newer release can use', async () => {
    await migrate(pool, { ...DISTRIBUTED, prefix: 'newer_' })
    await pool.query('UPDATE newer_schema SET version = 99')
    await expect(migrate(pool, { ...DISTRIBUTED, prefix: 'newer_' })).rejects.toThrow('start that release')
  })

  it('knows no other dialect', async () => {
    await expect(migrate(pool, { dialect: 'mysql' as 'postgres' })).rejects.toThrow(RangeError)
  })
})

/** What one of the engines has not, by its documentation. */
const NOT_EVERYWHERE = [
  /advisory/i,
  /COLLATE/i,
  /GENERATED/i,
  /SKIP LOCKED|FOR (NO KEY )?UPDATE/i,
  /unnest|ANY\s*\(/i,
  /to_regclass|to_jsonb/i,
  /\bWITH\b/i,
  /\bBEGIN\b|\bDO \$|;\s*\w/,
  /CREATE INDEX.* (ASC|DESC)\b/i,
  /TRUNCATE|SEQUENCE|SAVEPOINT/i,
]

it('sends no statement that one of the engines lacks', async () => {
  const { wire, far } = await wired()
  const options = { ...DISTRIBUTED, prefix: 'plain_' }
  wire.sent.length = 0
  await migrate(far, options)
  const { clients, grants, transients, sweep } = await createPostgresStore(far, options)
  const [client, grant] = [aClient(), aGrant({ subject: 'alice' })]
  await Promise.all([
    clients.insert(client.clientId, client, soon()),
    grants.insert(grant.id, grant, soon()),
    transients.insert('lasting', aTransient(), soon()),
    transients.insert('ended', aTransient(), 1),
  ])
  const seen = await grants.find(grant.id)
  if (seen !== undefined)
    await Promise.all(Array.from({ length: 8 }, () => grants.replace(grant.id, seen, grant, soon())))
  await grants.list({ subject: 'alice' }, { limit: 2 })
  await grants.list({ subject: 'alice', clientId: grant.clientId }, { limit: 2 })
  for await (const _ of grants.scan());
  expect(await sweep()).toBe(1)
  await grants.remove(grant.id)
  const sent = wire.sent.filter((text) => text.includes('plain_'))
  expect(sent.length).toBeGreaterThan(20)
  for (const text of sent) for (const lacking of NOT_EVERYWHERE) expect(text).not.toMatch(lacking)
})

it('scans the records of one namespace, where keys have the order of a language', async () => {
  const options = { ...DISTRIBUTED, prefix: 'worded_' }
  await migrate(pool, options)
  await pool.query('ALTER TABLE worded_client ALTER COLUMN id TYPE text COLLATE "und-x-icu"')
  const store = await createPostgresStore(pool, options)
  const names = ['none', 'a', 'b']
  const stores = names.map((name) => (name === 'none' ? store : store.within(name)))
  for (const [at, { clients }] of stores.entries()) {
    const insert = (_: unknown, index: number) =>
      clients.insert(
        `${index % 2 ? 'Plain' : 'an URL: '}${index}`,
        aClient({ clientName: names[at] }),
        soon(),
      )
    await Promise.all(Array.from({ length: 600 }, insert))
  }
  for (const [at, { clients }] of stores.entries()) {
    const found: (string | undefined)[] = []
    for await (const { clientName } of clients.scan()) found.push(clientName)
    expect(found).toEqual(Array(600).fill(names[at]))
  }
})

describe('the sweep of the distributed dialect', () => {
  const today = 1_900_000_000 - (1_900_000_000 % 86_400)
  /** From then on, what ended before today. */
  const due = today + 3600
  const at = (now: number, prefix: string) =>
    createPostgresStore(pool, { ...DISTRIBUTED, prefix, now: () => now })

  it('deletes what ended on a day before and an hour ago, in steps, and nothing else', async () => {
    await migrate(pool, { ...DISTRIBUTED, prefix: 'swept_' })
    const { clients, sweep } = await at(due - 1, 'swept_')
    const ending = (end: number) => (_: unknown, index: number) =>
      clients.insert(`ends at ${end} ${index}`, aClient(), end)
    await Promise.all(Array.from({ length: 700 }, ending(today - 1)))
    await Promise.all(Array.from({ length: 3 }, ending(today)))
    expect(await sweep()).toBe(0)
    expect(await (await at(due, 'swept_')).sweep()).toBe(700)
    expect((await pool.query('SELECT FROM swept_client')).rowCount).toBe(3)
  })

  it('follows a change of the end', async () => {
    await migrate(pool, { ...DISTRIBUTED, prefix: 'moved_' })
    const { grants, sweep } = await at(today, 'moved_')
    const grant = aGrant()
    await grants.insert(grant.id, grant, today + 1)
    const seen = await grants.find(grant.id)
    if (seen !== undefined) await grants.replace(grant.id, seen, grant, today + 86_400 * 7)
    const days = await pool.query('SELECT swept_from - $1 / 86400 AS days FROM moved_grant', [today])
    expect(days.rows).toEqual([{ days: 8 }])
    expect(await sweep()).toBe(0)
  })

  it('leaves a row whose id was taken by a new record while it waited for it', async () => {
    await migrate(pool, { ...DISTRIBUTED, prefix: 'taken_' })
    const { transients, sweep } = await at(due, 'taken_')
    await transients.insert('taken', aTransient(), today - 1)
    const writer = await pool.connect()
    // Its connection ends its transaction too.
    onTestFinished(() => writer.release(true))
    await writer.query('BEGIN')
    await writer.query('UPDATE taken_transient SET expires_at = $1, swept_from = $2', [
      due + 60,
      today / 86_400 + 1,
    ])
    const sweeping = sweep()
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
    await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1)
    await writer.query('COMMIT')
    expect(await sweeping).toBe(0)
    expect(await transients.find('taken')).toBeDefined()
  })
})
