import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, lookup, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

const ADA = { id: 'ada', email: 'ada', claims: '{}', password: '', state: 'active', admin: 0 } as const
const ROW = { ...ADA, email_source: null, email_since: null, session_epoch: 0, added_at: '' }

let database: Database
beforeEach(async () => {
  database = await openDatabase('memory:', () => {})
  await migrate(database)
})
afterEach(() => database.destroy())

const stateOf = (of: Database) => lookup(of, of.selectFrom('account').select('state').where('id', '=', ''))
const disable = (of: Pick<Database, 'updateTable'>) =>
  of.updateTable('account').set({ state: 'disabled' }).where('id', '=', 'ada').execute()

describe('a look-up', () => {
  it('finds the row of each value, and none of an unknown one', async () => {
    const find = stateOf(database)
    await database
      .insertInto('account')
      .values([ROW, { ...ROW, id: 'bob', email: 'bob', state: 'removed' }])
      .execute()
    expect([await find('ada'), await find('bob'), await find("' or 1=1")]).toEqual([
      { state: 'active' },
      { state: 'removed' },
      undefined,
    ])
  })

  it('sees each change at once', async () => {
    const find = stateOf(database)
    await database.insertInto('account').values(ROW).execute()
    expect(await find('ada')).toEqual({ state: 'active' })
    await disable(database)
    expect(await find('ada')).toEqual({ state: 'disabled' })
  })

  it('waits for a transaction, and does not see what it rolls back', async () => {
    const find = stateOf(database)
    await database.insertInto('account').values(ROW).execute()
    let found: ReturnType<typeof find> | undefined
    const rolledBack = database.transaction().execute(async (rows) => {
      await disable(rows)
      found = find('ada')
      await new Promise(setImmediate)
      throw new Error('Rolled back')
    })
    await expect(rolledBack).rejects.toThrow('Rolled back')
    expect(await found).toEqual({ state: 'active' })
  })

  it('can be the first query of a database', async () => {
    const unread = await openDatabase('memory:', () => {})
    await expect(stateOf(unread)('ada')).rejects.toThrow('no such table')
    await unread.destroy()
  })

  it('of a closed database fails', async () => {
    const closed = await openDatabase('memory:', () => {})
    await migrate(closed)
    const find = stateOf(closed)
    await closed.destroy()
    await expect(find('ada')).rejects.toThrow()
  })
})
