import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { type Kysely, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../src/database/database.ts'
import { migrate } from '../src/database/migrate.ts'
import { withAppMigrations } from '../src/database/migrations.ts'

const createNotes = async (database: Kysely<unknown>) => {
  await sql`create table note (id integer primary key)`.execute(database)
}
const addNotes = async (database: Kysely<unknown>) => {
  await sql`insert into note (id) values (1), (2)`.execute(database)
}
const NOW = withAppMigrations({
  steps: { '0001_note': { up: createNotes }, '0002_demo': { demo: addNotes } },
})
/** As a release that added them with the tables. */
const EARLIER = withAppMigrations({
  steps: { '0001_note': { up: createNotes }, '0002_demo': { up: addNotes } },
})

onEachDatabase((newDatabase) => {
  async function open(url: string) {
    const database = await openDatabase(url, () => {})
    onTestFinished(() => database.destroy())
    const notes = async () =>
      (await sql<{ id: number }>`select id from note order by id`.execute(database)).rows
    return { database, notes }
  }

  it('demo rows are added on request only, even if it comes later', async () => {
    const { database, notes } = await open(await newDatabase())
    await migrate(database, NOW)
    expect(await migrate(database, NOW)).toEqual([])
    expect(await notes()).toEqual([])
    await migrate(database, NOW, true)
    expect(await notes()).toEqual([{ id: 1 }, { id: 2 }])
  })

  it('tables that are older than the previous release are refused and left as they are', async () => {
    const { database } = await open(await newDatabase())
    const { table, steps } = withAppMigrations()
    const old = Object.fromEntries(Object.entries(steps).filter(([name]) => name < '0010'))
    await migrate(database, { table, steps: old })
    const tables = () => database.introspection.getTables()
    const before = await tables()
    await expect(migrate(database)).rejects.toThrow('start the release before this one on it first')
    expect(await tables()).toEqual(before)
  })

  it('demo rows that were removed do not come back', async () => {
    const { database, notes } = await open(await newDatabase())
    await migrate(database, NOW)
    await migrate(database, NOW, true)
    await sql`delete from note where id = 1`.execute(database)
    await migrate(database, NOW, true)
    expect(await notes()).toEqual([{ id: 2 }])
  })

  it('demo rows of an earlier release are kept, and not added again', async () => {
    const { database, notes } = await open(await newDatabase())
    await migrate(database, EARLIER)
    await sql`delete from note where id = 1`.execute(database)
    await migrate(database, NOW)
    await migrate(database, NOW, true)
    expect(await notes()).toEqual([{ id: 2 }])
  })

  it('an earlier release does not add demo rows to a database of this one', async () => {
    const { database, notes } = await open(await newDatabase())
    await migrate(database, NOW)
    expect(await migrate(database, EARLIER)).toEqual([])
    expect(await notes()).toEqual([])
  })

  it('demo rows are added as a whole or not at all', async () => {
    const { database, notes } = await open(await newDatabase())
    await migrate(database, NOW)
    await sql`insert into note (id) values (2)`.execute(database)
    await expect(migrate(database, NOW, true)).rejects.toThrow()
    await sql`delete from note`.execute(database)
    await migrate(database, NOW, true)
    expect(await notes()).toHaveLength(2)
  })
})
