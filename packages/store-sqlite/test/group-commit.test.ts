import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../src/database.ts'
import { groupCommit } from '../src/group-commit.ts'

let database: DatabaseSync
beforeEach(() => {
  database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT')
})
afterEach(() => {
  vi.restoreAllMocks()
  if (database.isOpen) database.close()
})

const nextTurn = () => new Promise((turn) => setImmediate(turn))
const insert = (id: number | string) => () =>
  database.prepare('INSERT INTO t (id) VALUES (?)').run(id).changes
const ids = () => database.prepare('SELECT id FROM t').all()
const commitsOf = (exec: { mock: { calls: unknown[][] } }) =>
  exec.mock.calls.filter(([statement]) => statement === 'COMMIT').length

it('writes and reads have settled when their turn of the event loop ends', async () => {
  const { read, write } = groupCommit(database)
  const settled: string[] = []
  for (const turn of [1, 2]) {
    read(ids).then(() => settled.push(`read in ${turn}`))
    write(insert(turn)).then(() => settled.push(`written in ${turn}`))
    await nextTurn()
  }
  write(insert('no integer')).catch(() => settled.push('refused'))
  await nextTurn()
  expect(settled).toEqual(['read in 1', 'written in 1', 'read in 2', 'written in 2', 'refused'])
})

describe('the writes of one turn of the event loop', () => {
  it('share one commit, and each has its own result', async () => {
    const exec = vi.spyOn(database, 'exec')
    const commits = groupCommit(database)
    const results = await Promise.all([1, 2, 3].map((id) => commits.write(insert(id))))
    expect(results).toEqual([1, 1, 1])
    expect(commitsOf(exec)).toBe(1)
  })

  it('share none with writes of the next turn', async () => {
    const exec = vi.spyOn(database, 'exec')
    const commits = groupCommit(database)
    for (const id of [1, 2, 3]) await commits.write(insert(id))
    expect(commitsOf(exec)).toBe(3)
  })

  it('are all rolled back and rejected when one fails, and the next turn starts a new transaction', async () => {
    const commits = groupCommit(database)
    const writes = [insert(1), insert('no integer'), insert(2)]
    const results = await Promise.allSettled(writes.map((write) => commits.write(write)))
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(ids()).toEqual([])
    await commits.write(insert(3))
    expect(ids()).toEqual([{ id: 3 }])
  })

  it('are all rejected when the commit itself fails', async () => {
    const exec = database.exec.bind(database)
    vi.spyOn(database, 'exec').mockImplementation((statement) => {
      if (statement === 'COMMIT') throw new Error('disk I/O error')
      exec(statement)
    })
    const commits = groupCommit(database)
    const results = await Promise.allSettled([1, 2].map((id) => commits.write(insert(id))))
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(ids()).toEqual([])
  })

  it('are committed at once by a flush, and once', () => {
    const exec = vi.spyOn(database, 'exec')
    const commits = groupCommit(database)
    commits.write(insert(1))
    commits.flush()
    expect(ids()).toEqual([{ id: 1 }])
    commits.flush()
    expect(commitsOf(exec)).toBe(1)
  })

  it('are rejected with the first error where SQLite has rolled back by itself', async () => {
    const full = () => {
      database.exec('ROLLBACK')
      throw new Error('disk is full')
    }
    await expect(groupCommit(database).write(full)).rejects.toThrow('disk is full')
  })

  it('wait for the end of the turn that a test decides', async () => {
    const turns: (() => void)[] = []
    const after = (milliseconds: number, work: () => void) => {
      expect(milliseconds).toBe(0)
      turns.push(work)
      return () => {}
    }
    const commits = groupCommit(database, { after, sleep: () => Promise.reject(new Error('nothing sleeps')) })
    const written = [1, 2].map((id) => commits.write(insert(id)))
    await nextTurn()
    expect([turns.length, ids().length]).toEqual([1, 0])
    turns[0]?.()
    expect(await Promise.all(written)).toEqual([1, 1])
  })
})

describe('the reads of one turn of the event loop', () => {
  it('share one transaction, and each has its own result', async () => {
    const exec = vi.spyOn(database, 'exec')
    const commits = groupCommit(database)
    expect(await Promise.all([commits.read(() => 1), commits.read(() => 2)])).toEqual([1, 2])
    expect(exec.mock.calls).toEqual([['BEGIN'], ['COMMIT']])
  })

  it('have no transaction when there is only one', async () => {
    const exec = vi.spyOn(database, 'exec')
    expect(await groupCommit(database).read(ids)).toEqual([])
    expect(exec).not.toHaveBeenCalled()
  })

  it('see what another connection commits after they were called', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turns-'))
    const [own, other] = [1, 2].map(() => openDatabase(join(folder, 'file'))) as [DatabaseSync, DatabaseSync]
    other.exec('CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT')
    const commits = groupCommit(own)
    const count = () => own.prepare('SELECT count(*) AS count FROM t').get()?.count
    const counts = [commits.read(count), commits.read(count)]
    other.exec('INSERT INTO t VALUES (1)')
    expect(await Promise.all(counts)).toEqual([1, 1])
    own.close()
    other.close()
    rmSync(folder, { recursive: true })
  })

  it('do not wait for the lock that writes wait for', async () => {
    const commits = groupCommit(database)
    const busy = vi.spyOn(database, 'exec').mockImplementation((statement) => {
      if (statement === 'BEGIN IMMEDIATE') throw new Error('database is locked')
    })
    const [write, ...reads] = await Promise.allSettled([
      commits.write(insert(1)),
      commits.read(ids),
      commits.read(ids),
    ])
    expect(write?.status).toBe('rejected')
    expect(reads.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    busy.mockRestore()
  })
})
