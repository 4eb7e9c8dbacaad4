import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { keysOf, recordKey } from '@grantkit/core/store-kit'
import { expect, it } from 'vitest'
import { D1_SCHEMA, D1_SWEEPS } from '../src/d1-schema.ts'
import { sweepTables } from '../src/sweep.ts'

const NOW = 1_900_000_000
const HOUR = 3600

/** The tables of D1, and a sweep of few steps. */
function openTables() {
  const database = new DatabaseSync(':memory:')
  for (const statement of D1_SCHEMA) database.exec(statement)
  const insert = (table: string, key: string, expiresAt: number) => {
    const columns = table === 'grant' ? ", 'subject', 'owner', 0" : ''
    const values = `?, 'version', '{}', ?${columns}`
    database.prepare(`INSERT INTO grantkit_${table} VALUES (${values})`).run(key, expiresAt)
  }
  const rows = (statement: string, values: readonly (string | number | null)[]) =>
    database.prepare(statement).all(...values) as never[]
  const sweep = () => sweepTables(rows, { tables: D1_SWEEPS, now: NOW, maxSteps: 3 })
  return { insert, sweep }
}

/** More than the steps of a sweep read. */
function insertLive(
  { insert }: ReturnType<typeof openTables>,
  table: string,
  keyOf: (id: string) => string = recordKey,
): void {
  for (let number = 0; number < 7000; number++)
    insert(table, keyOf(randomBytes(16).toString('base64url')), NOW + HOUR)
}

it.each(['transient', 'grant', 'client'])(
  'a sweep reaches the other tables, however many %ss live',
  async (full) => {
    const tables = openTables()
    insertLive(tables, full)
    const others = ['transient', 'grant', 'client'].filter((table) => table !== full)
    for (const table of others) tables.insert(table, 'old', NOW - HOUR)
    expect(await tables.sweep()).toBe(others.length)
  },
)

it.each([
  ['whose ids are hashed', (id: string) => recordKey(`a.${id}`)],
  ['of a namespace', keysOf('tenant').record],
])(
  'a sweep reaches the last of many records %s, and the first and last in order, sooner or later',
  async (_, keyOf) => {
    const tables = openTables()
    insertLive(tables, 'transient', keyOf)
    insertLive(tables, 'grant')
    insertLive(tables, 'client')
    for (let number = 0; number < 62; number++) tables.insert('transient', keyOf(`${number}`), NOW - HOUR)
    for (const end of ['!', '~']) tables.insert('transient', end, NOW - HOUR)
    let swept = 0
    for (let sweeps = 0; sweeps < 400 && swept < 64; sweeps++) swept += await tables.sweep()
    expect(swept).toBe(64)
  },
)
