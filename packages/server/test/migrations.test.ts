import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { type Kysely, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { accountDirectory } from '../src/accounts/account-directory.ts'
import { accountRows } from '../src/accounts/account-rows.ts'
import { openDatabase } from '../src/database/database.ts'
import { migrate, withAppMigrations } from '../src/database/migrate.ts'
import type { AccountRow } from '../src/database/tables.ts'

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

/** A row as the release up to 0009_admin wrote it. */
function older(id: string, email_verified: boolean, password: string) {
  const email = `${id}@server.example`
  const claims = JSON.stringify({ email, email_verified, name: id })
  const row = { id, email, claims, password, state: 'active', admin: 0, added_at: '2026-01-01T00:00:00.000Z' }
  return row as AccountRow
}

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

  it('accounts of the previous release keep an address that the operator added or a provider verified', async () => {
    const { database } = await open(await newDatabase())
    const { steps, ...rest } = withAppMigrations()
    const earlier = Object.entries(steps).filter(([name]) => name <= '0009_admin')
    await migrate(database, { ...rest, steps: Object.fromEntries(earlier) })
    const rows = [older('ada', false, 'scrypt$a'), older('bo', true, ''), older('squatter', false, '')]
    await database
      .insertInto('account')
      .values([...rows, older('eve', true, 'scrypt$e')])
      .execute()
    const identity = {
      issuer: 'https://op.example',
      subject: '1',
      account: 'eve',
      shown_as: '',
      added_at: '',
    }
    await database.insertInto('identity').values(identity).execute()
    await migrate(database)
    const { accounts } = await accountDirectory(database).page({}, 10)
    const added = { emailSource: 'operator', emailSince: '2026-01-01T00:00:00.000Z' }
    expect(accounts).toMatchObject([
      { id: 'ada', email: 'ada@server.example', ...added },
      { id: 'bo', email: 'bo@server.example', emailSource: undefined, emailSince: undefined },
      { id: 'eve', email: 'eve@server.example', emailSource: undefined },
      { id: 'squatter', email: undefined, emailSource: undefined },
    ])
    expect(await accountRows(database, () => {}).claims('squatter')).toEqual({ name: 'squatter' })
  })
})
