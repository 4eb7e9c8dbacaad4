import { randomUUID } from 'node:crypto'
import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { newDatabase } from '@grantkit/test-servers/postgres-database'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountDirectory } from '../src/accounts/account-directory.ts'
import { accountRows } from '../src/accounts/account-rows.ts'
import type { StoredAccount } from '../src/accounts/accounts.ts'
import { installationNames } from '../src/accounts/installation-names.ts'
import { MAX_PASSKEYS, passkeyRows } from '../src/accounts/passkeys/passkey-rows.ts'
import { accountFor, identityRows } from '../src/accounts/upstream/identities.ts'
import { importedUsers } from '../src/accounts/users/users.ts'
import type { Database } from '../src/database/database.ts'
import { withoutAccounts } from './connected.ts'
import { failingAt } from './failing-statements.ts'
import { IDENTITY, PROVIDER } from './partner.ts'
import { DANA } from './people.ts'

/** Each write of a change fails in turn. The change is then rolled back. */

const TABLES = ['account', 'identity', 'passkey', 'installation_name', 'session'] as const

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

onEachDatabase((newDatabase) => {
  const rowsOf = (database: Database) => ({
    accounts: accountRows(database, () => {}),
    identities: identityRows(database),
    directory: accountDirectory(database),
  })
  const signUp = (database: Database) => accountFor(rowsOf(database), { ...PROVIDER, signUp: true }, IDENTITY)

  it('a sign-up that fails leaves neither an account nor an identity, and succeeds the next time', async () => {
    const { database } = await withoutAccounts(newDatabase)
    expect(await failEach(database, signUp)).toBe(2)
    expect(await signUp(database)).toMatchObject({ email: IDENTITY.email })
  })

  it('a removal that fails leaves the account as it was, and succeeds the next time', async () => {
    const { database } = await withoutAccounts(newDatabase)
    const account = await signUp(database)
    if (typeof account === 'string') throw new Error(account)
    await installationNames(database).give(account.id, randomUUID(), 'Laptop', 2_000_000_000)
    expect(await failEach(database, (failing) => rowsOf(failing).accounts.remove(account.id))).toBe(7)
    expect(JSON.stringify(await contentOf(database))).not.toContain(IDENTITY.email)
  })

  it.each<[string, number, (database: Database, alice: StoredAccount) => Promise<unknown>]>([
    ['a new passkey', 2, (database, alice) => passkeyRows(database).add(passkeyOf('two', alice), alice)],
    ['a new identity', 2, (database, alice) => identityRows(database).add(identityOf(alice, 'b2'), alice)],
    ['a removed passkey', 4, (database, { id }) => rowsOf(database).accounts.removePasskey(id, 'one')],
    [
      'a removed identity',
      5,
      (database, { id }) => rowsOf(database).accounts.removeIdentity(id, ISSUER, 'a1'),
    ],
    ['the name of an app', 2, (database, { id }) => installationNames(database).give(id, 'app', 'Mine', 0)],
    ['a user of the application', 2, (database) => importedUsers(database, () => {}).signIn(IMPORTED)],
  ])('%s that fails leaves everything as it was', async (_, writes, change) => {
    const { database } = await withoutAccounts(newDatabase)
    const alice = await signUp(database)
    if (typeof alice === 'string') throw new Error(alice)
    await passkeyRows(database).add(passkeyOf('one', alice), alice)
    expect(await failEach(database, (failing) => change(failing, alice))).toBe(writes)
  })

  it('a passkey is not added beyond the limit by concurrent requests', async () => {
    const { database } = await withoutAccounts(newDatabase)
    const alice = await signUp(database)
    if (typeof alice === 'string') throw new Error(alice)
    const add = (n: number) => passkeyRows(database).add(passkeyOf(`key ${n}`, alice), alice)
    for (let n = 1; n < MAX_PASSKEYS; n++) expect(await add(n)).toBe(true)
    const added = await Promise.all([100, 101, 102, 103].map(add))
    expect(added.filter(Boolean)).toHaveLength(1)
  })
})

describe('while the account is being removed, on Postgres', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres('fsync=off')
  })
  afterAll(() => server.close())
  const databaseOfServer = async () => (await newDatabase(server.url)).url

  it.each<[string, (database: Database, account: StoredAccount) => Promise<unknown>]>([
    ['the name of an app', (database, { id }) => installationNames(database).give(id, 'app', 'Mine', 0)],
    ['a new passkey', (database, account) => passkeyRows(database).add(passkeyOf('one', account), account)],
    ['a new identity', (database, account) => identityRows(database).add(identityOf(account, 'b2'), account)],
    [
      'a new session',
      (database, account) => accountRows(database, () => {}).sessions.start(account, sessionOf(account)),
    ],
    [
      'an account with the same address',
      (database, { email }) => accountRows(database, () => {}).add({ ...DANA, email }),
    ],
  ])('%s waits for the removal, and leaves nothing of the account', async (_, change) => {
    const { database } = await withoutAccounts(databaseOfServer)
    const added = { id: 'squatter', email: 'ada@server.example', email_verified: false, name: 'Ada' }
    const accounts = accountRows(database, () => {})
    await accounts.add({ ...added, updated_at: 0, password: '' })
    const account = (await accounts.find('squatter')) as StoredAccount
    // As a release without the source of addresses added it.
    await database.updateTable('account').set({ email_source: null }).where('id', '=', 'squatter').execute()
    let changed: Promise<unknown> = Promise.resolve()
    await database.transaction().execute(async (rows) => {
      const emptied = { email: null, claims: '{}', state: 'removed' } as const
      await rows.updateTable('account').set(emptied).where('id', '=', 'squatter').execute()
      changed = change(database, account)
      const waiting = sql<{ n: string }>`select count(*) as n from pg_locks where not granted`
      await expect.poll(async () => Number((await waiting.execute(database)).rows[0]?.n)).toBe(1)
    })
    await changed
    const [removed, ...others] = await Promise.all(
      TABLES.map((table) => database.selectFrom(table).selectAll().execute()),
    )
    expect(removed).toContainEqual(expect.objectContaining({ id: 'squatter', email: null, claims: '{}' }))
    expect(others).toEqual([[], [], [], []])
  })
})

const ISSUER = IDENTITY.issuer
const IMPORTED = { sub: 'bob', claims: { name: 'Bob' } }

function passkeyOf(id: string, { id: subject }: StoredAccount) {
  return { id, subject, name: '', publicKey: '', counter: 0, transports: [], synced: false, addedAt: 0 }
}

function sessionOf({ id: subject, sessionEpoch: epoch }: StoredAccount) {
  return { id: 's', subject, epoch, authTime: 0, confirmedAt: 0, startedAt: 0, usedAt: 0, expiresAt: 4e9 }
}

function identityOf({ id: subject }: StoredAccount, identity: string) {
  return { issuer: ISSUER, identity, subject, shownAs: '', addedAt: 0 }
}
