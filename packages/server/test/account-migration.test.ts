import { onBothDatabases } from '@grantkit/test-servers/on-both-databases'
import { expect, it, onTestFinished } from 'vitest'
import { accountDirectory } from '../src/accounts/account-directory.ts'
import { accountRows } from '../src/accounts/account-rows.ts'
import { openDatabase } from '../src/database/database.ts'
import { migrate } from '../src/database/migrate.ts'
import { withAppMigrations } from '../src/database/migrations.ts'
import type { AccountRow } from '../src/database/tables.ts'

/** A row as the release up to 0009_admin wrote it. */
function older(id: string, email_verified: boolean, password: string) {
  const email = `${id}@server.example`
  const claims = JSON.stringify({ email, email_verified, name: id })
  const row = { id, email, claims, password, state: 'active', admin: 0, added_at: '2026-01-01T00:00:00.000Z' }
  return row as AccountRow
}

onBothDatabases((newDatabase) => {
  it('accounts of the previous release keep an address that the operator added or a provider verified', async () => {
    const database = await openDatabase(await newDatabase(), () => {})
    onTestFinished(() => database.destroy())
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
