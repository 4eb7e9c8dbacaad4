import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { accountRows } from '../src/accounts/account-rows.ts'
import type { Database } from '../src/database/database.ts'
import { installationNames } from '../src/oauth/installation-names.ts'
import { accountFor } from '../src/upstream/account-for.ts'
import { identityRows } from '../src/upstream/identity-rows.ts'
import { failingAt } from './failing-statements.ts'
import { connected, onBothDatabases } from './on-both-databases.ts'
import { IDENTITY, PROVIDER } from './partner.ts'

/** Each write of a change fails in turn. The change is then rolled back. */

const TABLES = ['account', 'identity', 'passkey', 'installation_name'] as const

async function contentOf(database: Database): Promise<unknown> {
  return Promise.all(TABLES.map((table) => database.selectFrom(table).selectAll().execute()))
}

/** @returns how many writes the change has */
async function failEach(database: Database, change: (database: Database) => Promise<unknown>) {
  const before = await contentOf(database)
  for (let write = 1; ; write++) {
    const failed = await change(failingAt(write, database)).then(
      () => false,
      () => true,
    )
    if (!failed) return write - 1
    expect(await contentOf(database), `write ${write}`).toEqual(before)
  }
}

onBothDatabases((newDatabase) => {
  const rowsOf = (database: Database) => ({
    accounts: accountRows(database, () => {}),
    identities: identityRows(database),
  })
  const signUp = (database: Database) =>
    accountFor(rowsOf(database), { ...PROVIDER, sign_up: true }, IDENTITY)

  it('a sign-up that fails leaves neither an account nor an identity, and succeeds the next time', async () => {
    const database = await connected(await newDatabase())
    expect(await failEach(database, signUp)).toBe(2)
    expect(await signUp(database)).toMatchObject({ email: IDENTITY.email })
  })

  it('a removal that fails leaves the account as it was, and succeeds the next time', async () => {
    const database = await connected(await newDatabase())
    const account = await signUp(database)
    if (typeof account === 'string') throw new Error(account)
    await installationNames(database).give(account.id, randomUUID(), 'Laptop', 2_000_000_000)
    expect(await failEach(database, (failing) => rowsOf(failing).accounts.remove(account.id))).toBe(4)
    expect(JSON.stringify(await contentOf(database))).not.toContain(IDENTITY.email)
  })
})
