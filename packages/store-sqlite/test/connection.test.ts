import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../src/database.ts'
import type { SqliteStoreOptions } from '../src/index.ts'
import { newFolder, newStore } from './files.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** What SQLite says of a setting of the store's own connection. */
async function settingOf(name: string, options: Partial<SqliteStoreOptions> = {}): Promise<unknown> {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  const { close } = await newStore(options)
  const connection = prepare.mock.contexts.at(-1) as DatabaseSync
  const [value] = Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})
  await close()
  return value
}

const [NORMAL, FULL] = [1, 2]

describe('the connection of a store', () => {
  it.each([
    ['machine', FULL],
    [undefined, FULL],
    ['process', NORMAL],
  ] as const)('of the durability %s syncs its log accordingly', async (durability, synchronous) => {
    expect(await settingOf('synchronous', { durability })).toBe(synchronous)
  })

  it.each([
    ['journal_mode', 'wal'],
    ['fullfsync', 1],
    ['busy_timeout', 250],
  ])('has the setting %s = %s', async (name, value) => {
    expect(await settingOf(name)).toBe(value)
  })

  it('cannot be made to change the schema by hand', async () => {
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
    const { close } = await newStore()
    const connection = prepare.mock.contexts.at(-1) as DatabaseSync
    connection.exec('PRAGMA writable_schema = ON')
    expect(() => connection.exec("UPDATE sqlite_schema SET sql = ''")).toThrow('may not be modified')
    await close()
  })
})

describe('a new file', () => {
  it('that another process reads is waited for, and not for ever', async () => {
    const { path, remove } = await newFolder()
    const other = new DatabaseSync(path)
    other.exec('CREATE TABLE t (id INTEGER); BEGIN; SELECT * FROM t')
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
    // A second attempt would succeed: there is none, for the first one has waited.
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementationOnce(() => other.close())
    const locked = {
      message: expect.stringMatching(/cannot be used as a database: .*locked/),
      cause: expect.objectContaining({ errcode: 5 }),
    }
    expect(() => openDatabase(path, 50)).toThrow(expect.objectContaining(locked))
    expect((prepare.mock.contexts[0] as DatabaseSync).isOpen).toBe(false)
    exec.mockRestore()
    other.close()
    openDatabase(path, 50).close()
    await remove()
  })

  it('that another process writes is used when its lock is free', async () => {
    const { path, remove } = await newFolder()
    const other = new DatabaseSync(path)
    other.exec('CREATE TABLE t (id INTEGER); BEGIN IMMEDIATE')
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementationOnce(() => other.close())
    openDatabase(path).close()
    expect(exec.mock.calls[0]).toEqual(['BEGIN IMMEDIATE; ROLLBACK'])
    await remove()
  })

  it('needs a Node that knows defensive connections', async () => {
    const { path, remove } = await newFolder()
    const before = DatabaseSync.prototype.enableDefensive
    Reflect.deleteProperty(DatabaseSync.prototype, 'enableDefensive')
    try {
      expect(() => openDatabase(path)).toThrow('needs Node 24.15')
    } finally {
      DatabaseSync.prototype.enableDefensive = before
    }
    await remove()
  })
})
