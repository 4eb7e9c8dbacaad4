import { DatabaseSync } from 'node:sqlite'
import { CompiledQuery, Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nodeSqlite } from './sqlite-dialect.ts'

interface Tables {
  note: { id: number; text: string }
}

let database: Kysely<Tables>
const run = (sql: string) => database.executeQuery(CompiledQuery.raw(sql))
const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')

beforeEach(async () => {
  database = new Kysely<Tables>({ dialect: nodeSqlite(':memory:').dialect })
  await run('create table note (id integer, text text)')
  await database.insertInto('note').values({ id: 1, text: 'one' }).execute()
})
afterEach(() => database.destroy())

describe('the statements of SQLite', () => {
  it('are prepared once for each text, whatever the values', async () => {
    const textOf = (id: number) =>
      database.selectFrom('note').select('text').where('id', '=', id).executeTakeFirst()
    await textOf(1)
    prepare.mockClear()
    expect([await textOf(1), await textOf(2)]).toEqual([{ text: 'one' }, undefined])
    expect(prepare).not.toHaveBeenCalled()
  })

  it('see a column that was added later', async () => {
    const all = () => database.selectFrom('note').selectAll().execute()
    await all()
    await run("alter table note add column colour text default 'red'")
    expect(await all()).toEqual([{ id: 1, text: 'one', colour: 'red' }])
  })

  it('are cached up to a limit', async () => {
    for (let n = 1; n <= 201; n++) await run(`select ${n}`)
    prepare.mockClear()
    await run('select 1')
    expect(prepare).toHaveBeenCalledOnce()
  })
})

it('a transaction that SQLite has rolled back itself, as on a full disk, rejects with what it rejected', async () => {
  await run('create unique index one_of_each on note (id)')
  const rolledBack = database.transaction().execute(async (rows) => {
    await rows.insertInto('note').values({ id: 2, text: 'two' }).execute()
    await rows.executeQuery(CompiledQuery.raw("insert or rollback into note values (1, 'another')"))
  })
  await expect(rolledBack).rejects.toThrow('UNIQUE constraint failed')
  expect(await database.selectFrom('note').select('id').execute()).toEqual([{ id: 1 }])
})
