import { chmodSync, chownSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'
import { aClient, aGrant } from '@grantkit/testkit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSqliteStore, migrate } from '../src/index.ts'
import { newFolder, soon } from './files.ts'

let folder: Awaited<ReturnType<typeof newFolder>>
let path: string
beforeEach(async () => {
  folder = await newFolder()
  path = folder.path
})
afterEach(() => folder.remove())

/** A text alone would accept a thrown `undefined`, too. */
const errorWith = (message: RegExp) => expect.objectContaining({ message: expect.stringMatching(message) })

/** Changes the file as another program would. */
function change(statements: string): void {
  const database = new DatabaseSync(path)
  database.exec(statements)
  database.close()
}

const TABLES = ['client', 'grant', 'transient', 'probe']
  .map((name) => `CREATE TABLE grantkit_${name} (id TEXT)`)
  .join('; ')

function both(): (() => unknown)[] {
  return [() => createSqliteStore({ path }), () => migrate({ path })]
}

describe('migrate', () => {
  it('makes a file that only its owner can read, and its log, too', async () => {
    migrate({ path })
    const store = createSqliteStore({ path })
    await store.clients.insert('one', aClient(), soon())
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600)
    await store.close()
  })

  it('leaves no connection open', () => {
    migrate({ path })
    expect(existsSync(`${path}-wal`)).toBe(false)
    change('UPDATE grantkit_probe SET steps = 0')
    expect(() => createSqliteStore({ path })).toThrow('run migrate()')
    expect(existsSync(`${path}-wal`)).toBe(false)
  })

  it('leaves records as they are when it runs again', async () => {
    migrate({ path })
    const store = createSqliteStore({ path })
    await store.clients.insert('one', aClient(), soon())
    migrate({ path })
    expect(await store.clients.find('one')).toBeDefined()
    await store.close()
  })

  it.each([
    ['the first release', 'ALTER TABLE grantkit_probe DROP COLUMN steps'],
    ['an earlier release that counted its steps', 'UPDATE grantkit_probe SET steps = 1'],
  ])('brings the tables of %s up to date, and keeps their grants', async (_, statement) => {
    migrate({ path })
    const before = createSqliteStore({ path })
    await before.grants.insert('old', aGrant({ id: 'old', subject: 'alice' }), soon())
    await before.close()
    change(`
      ${statement};
      DROP INDEX grantkit_grant_by_subject;
      DROP INDEX grantkit_grant_by_owner;
      ALTER TABLE grantkit_grant DROP COLUMN owner;
      ALTER TABLE grantkit_grant DROP COLUMN created_at;
      CREATE INDEX grantkit_grant_subject ON grantkit_grant (subject)`)
    expect(() => createSqliteStore({ path })).toThrow('run migrate()')
    for (const time of ['first', 'second']) {
      migrate({ path })
      const store = createSqliteStore({ path })
      const { grants } = await store.grants.list({ subject: 'alice' }, { limit: 9 })
      expect(grants, time).toMatchObject([{ id: 'old' }])
      await store.close()
    }
  })

  it('adds its tables to a file that has others', async () => {
    change('CREATE TABLE courses (title TEXT)')
    migrate({ path })
    await createSqliteStore({ path }).close()
  })

  it('needs a directory that exists', () => {
    expect(() => migrate({ path: `${path}/no/grantkit.db` })).toThrow(/ENOTDIR|ENOENT/)
    expect(() => migrate({ path: path.replace('grantkit.db', 'no/grantkit.db') })).toThrow('ENOENT')
  })

  it('treats a name that is special to SQLite as the name of a file', () => {
    const directory = vi.spyOn(process, 'cwd').mockReturnValue(path.replace('/grantkit.db', ''))
    migrate({ path: ':memory:' })
    directory.mockRestore()
    expect(existsSync(path.replace('grantkit.db', ':memory:'))).toBe(true)
  })

  it.each(['', 'a-', 'A', 'x;', 'a'.repeat(33), '"'])('refuses the prefix %j', (prefix) => {
    expect(() => migrate({ path, prefix })).toThrow(RangeError)
    expect(existsSync(path)).toBe(false)
  })
})

describe('a file', () => {
  it('that is missing is not created by a store, which says what to run', () => {
    expect(() => createSqliteStore({ path })).toThrow(/has no tables.*run migrate\(\)/)
    expect(existsSync(path)).toBe(false)
  })

  it('without tables is refused with what to run', () => {
    writeFileSync(path, '')
    expect(() => createSqliteStore({ path })).toThrow(errorWith(/has no tables.*run migrate\(\)/))
  })

  it('to which a newer release has only added is used', async () => {
    migrate({ path })
    change('UPDATE grantkit_probe SET steps = 99')
    migrate({ path })
    const database = new DatabaseSync(path)
    expect(database.prepare('SELECT steps FROM grantkit_probe').get()).toEqual({ steps: 99 })
    database.close()
    await createSqliteStore({ path }).close()
  })

  it('that only a newer release can use is refused with what to run, and left as it is', () => {
    migrate({ path })
    change('PRAGMA user_version = 2')
    for (const open of both()) expect(open).toThrow(errorWith(/schema 2 of a newer release.*run npm install/))
  })

  it.each([
    ['with a version of its own', 'CREATE TABLE courses (title TEXT); PRAGMA user_version = 1'],
    ['with a higher version of its own', 'PRAGMA user_version = 99'],
    ['with a table of our name', 'CREATE TABLE grantkit_client (id TEXT)'],
    ['with a table of our name and a version', 'CREATE TABLE grantkit_client (id); PRAGMA user_version = 1'],
    ['with tables of our names and no version', TABLES],
  ])('of another program, %s, is refused with what to run', (_, statements) => {
    change(statements)
    for (const open of both()) expect(open).toThrow(errorWith(/belongs to another program.*run migrate\(\)/))
  })

  it('with tables of another prefix is refused', () => {
    migrate({ path, prefix: 'oauth_' })
    for (const open of both()) expect(open).toThrow('belongs to another program or prefix')
  })

  it('that is no database is refused, and left as it is', () => {
    const text = 'a list of courses\n'.repeat(100)
    writeFileSync(path, text)
    for (const open of both()) expect(open).toThrow(`${path} cannot be used as a database`)
    expect(statSync(path).size).toBe(text.length)
  })

  it.runIf(isMainThread || process.geteuid?.() !== 0)('that may not be written is refused', () => {
    migrate({ path })
    chmodSync(path, 0o400)
    withoutRightsOfRoot(() => {
      expect(() => createSqliteStore({ path })).toThrow(`${path} cannot be used as a database`)
    })
  })
})

it('a store is opened only after it has written, and is ready only after that, too', async () => {
  migrate({ path })
  const store = createSqliteStore({ path })
  change(`
    CREATE TRIGGER read_only BEFORE UPDATE ON grantkit_probe
    BEGIN SELECT RAISE(ABORT, 'nothing can be written'); END`)
  expect(() => createSqliteStore({ path })).toThrow(
    `${path} cannot be used as a database: nothing can be written`,
  )
  await expect(store.probe()).rejects.toThrow('nothing can be written')
  await store.close()
})

/** Root may write any file, and only a main thread can be another user for a while. */
function withoutRightsOfRoot(work: () => void): void {
  const isRoot = process.geteuid?.() === 0
  const nobody = 65_534
  if (isRoot) for (const owned of [path, path.replace('/grantkit.db', '')]) chownSync(owned, nobody, nobody)
  if (isRoot) process.seteuid?.(nobody)
  try {
    work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}
