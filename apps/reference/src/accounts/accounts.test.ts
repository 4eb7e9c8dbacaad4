import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SqliteQueryCompiler } from 'kysely'
import { describe, expect, it } from 'vitest'
import { writeAccounts } from '../../test/accounts-file.ts'
import { temporaryFolder } from '../../test/temporary-folder.ts'
import { Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { nodeSqlite } from '../database/sqlite-dialect.ts'
import { accountRows } from './account-rows.ts'
import { demoAccounts, readAccounts } from './accounts.ts'

const demo = demoAccounts()
const database = await openDatabase('memory:', () => {})
await migrate(database)
const accounts = accountRows(database, () => {})
for (const account of demo) await accounts.add(account)

async function temporaryFile(): Promise<string> {
  return join(await temporaryFolder(), 'accounts.json')
}

describe('accounts', () => {
  it.each([
    ['demo@example.com', 'demo', 'demo-account'],
    [' Demo@Example.COM ', 'demo', 'demo-account'],
    ['demo@example.com', 'Demo', undefined],
    ['demo@example.com', '', undefined],
    ['nobody@example.com', 'demo', undefined],
    ['constructor', 'demo', undefined],
    ['demo@example.com\0', 'demo', undefined],
  ])('%s with %j is %s', async (email, password, id) => {
    expect((await accounts.verify(email, password))?.id).toBe(id)
  })

  it('return the claims of a user without the password', async () => {
    const claims = await accounts.claims('demo-account')
    expect(claims).toMatchObject({ name: 'Dana Moore', email: 'demo@example.com', email_verified: true })
    expect(JSON.stringify(claims)).not.toContain('scrypt')
    expect(await accounts.claims('nobody')).toBeUndefined()
  })

  it('are looked up by a query that is compiled once for all accounts', async () => {
    let compiled = 0
    class CountingCompiler extends SqliteQueryCompiler {
      override compileQuery(...parameters: Parameters<SqliteQueryCompiler['compileQuery']>) {
        compiled++
        return super.compileQuery(...parameters)
      }
    }
    const counted = new Database({
      ...nodeSqlite(':memory:'),
      createQueryCompiler: () => new CountingCompiler(),
    })
    await migrate(counted)
    const some = accountRows(counted, () => {})
    for (const account of demo) await some.add(account)
    compiled = 0
    const lookups = ['demo-account', 'teacher-account', 'nobody'].map(async (id) => {
      const [account, claims] = [await some.find(id), await some.claims(id)]
      return [account?.id, account?.email === claims?.email, claims === undefined]
    })
    expect(await Promise.all(lookups)).toEqual([
      ['demo-account', true, false],
      ['teacher-account', true, false],
      [undefined, true, true],
    ])
    expect(compiled).toBe(0)
  })

  it('of the demo are the same after a restart, so that it signs nobody out', () => {
    expect(demoAccounts()).toEqual(demo)
  })

  it('of the demo have every claim of the scope profile', async () => {
    const names =
      'name family_name given_name middle_name nickname preferred_username profile picture website'
    const others = 'gender birthdate zoneinfo locale updated_at'
    const claims = await accounts.claims('demo-account')
    expect(Object.keys(claims ?? {})).toEqual(expect.arrayContaining(`${names} ${others}`.split(' ')))
  })
})

describe('the file of accounts', () => {
  it('is read back as it was written', async () => {
    const path = await temporaryFile()
    await writeAccounts(path, demo)
    expect(await readAccounts(path)).toEqual(demo)
  })

  it.each([
    [
      'a password that is not hashed',
      { id: '1', email: 'a@b.example', name: 'A', updated_at: 1, password: 'plain' },
      'scrypt hash',
    ],
    ['no e-mail address', { id: '1', name: 'A', updated_at: 1, password: demo[0]?.password }, 'email'],
    ['a picture that is no address', { ...demo[0], picture: 'javascript:x' }, 'picture'],
    ['a birthdate in words', { ...demo[0], birthdate: '2 April' }, 'birthdate'],
    ['a time zone that there is none of', { ...demo[0], zoneinfo: 'Lisbon' }, 'zoneinfo'],
    ['a locale that is none', { ...demo[0], locale: 'english language' }, 'locale'],
    ['a member that is misspelt', { ...demo[0], pasword: 'x' }, 'pasword'],
  ])('is refused with %s', async (_, account, problem) => {
    const path = await temporaryFile()
    await writeFile(path, JSON.stringify({ accounts: [account] }))
    await expect(readAccounts(path)).rejects.toThrow(problem)
  })
})
