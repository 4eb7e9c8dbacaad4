import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { aClient } from '@grantkit/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSqliteStore } from '../src/index.ts'
import { newStore, soon } from './files.ts'

let opened: Awaited<ReturnType<typeof newStore>>
beforeEach(async () => {
  opened = await newStore()
})
afterEach(() => opened.close())

describe('a commit with a write that fails', () => {
  const insert = (id: string) => opened.store.clients.insert(id, aClient(), soon())

  it('writes nothing and rejects all its writes, and the next one succeeds', async () => {
    const other = new DatabaseSync(opened.path)
    other.exec(`
      CREATE TRIGGER full BEFORE INSERT ON grantkit_client WHEN NEW.id = 'second'
      BEGIN SELECT RAISE(ABORT, 'no room'); END`)
    other.close()
    const results = await Promise.allSettled([insert('first'), insert('second'), insert('third')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    for (const id of ['first', 'second', 'third']) expect(await opened.store.clients.find(id)).toBeUndefined()
    expect(await insert('first')).toBe(true)
  })

  it('leaves out a write that could never succeed: it rejects alone', async () => {
    const { clients } = opened.store
    const results = await Promise.allSettled([
      insert('first'),
      clients.insert('never', aClient(), Number.NaN),
      clients.insert('half', aClient(), soon() + 0.5),
      insert('third'),
    ])
    expect(results[1]).toMatchObject({ reason: new RangeError('Not a time in epoch seconds: NaN') })
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  })
})

it('a lock that another process keeps rejects writes, and no reads', async () => {
  const { clients } = opened.store
  await clients.insert('one', aClient(), soon())
  const other = new DatabaseSync(opened.path)
  other.exec('BEGIN IMMEDIATE')
  await expect(clients.insert('two', aClient(), soon())).rejects.toThrow('locked')
  await expect(opened.store.probe()).rejects.toThrow('locked')
  expect(await clients.find('one')).toBeDefined()
  other.exec('ROLLBACK')
  other.close()
  expect(await clients.insert('two', aClient(), soon())).toBe(true)
  await opened.store.probe()
})

it('a store that opens waits for a writer longer than a request does', async () => {
  const holder = new Worker(HOLDER, { eval: true, workerData: opened.path })
  await once(holder, 'message')
  await createSqliteStore({ path: opened.path }).close()
})

/** Keeps the lock for longer than a request waits. */
const HOLDER = `
  const { parentPort, workerData } = require('node:worker_threads')
  const database = new (require('node:sqlite').DatabaseSync)(workerData)
  database.exec('BEGIN IMMEDIATE')
  parentPort.postMessage('held')
  setTimeout(() => database.close(), 500)
`

it('a record of a newer release rejects for itself alone', async () => {
  const { clients } = opened.store
  await clients.insert('old', aClient(), soon())
  await clients.insert('new', aClient(), soon())
  const other = new DatabaseSync(opened.path)
  other.exec(`UPDATE grantkit_client SET value = '{"schema":2,"value":{}}' WHERE id = 'new'`)
  other.close()
  await expect(clients.find('new')).rejects.toThrow('newer release')
  expect(await clients.find('old')).toBeDefined()
})

describe('close', () => {
  it('runs what waits, may be called twice, and what comes later rejects', async () => {
    const { store } = opened
    const found = store.clients.find('one')
    const written = store.clients.insert('one', aClient(), soon())
    await store.close()
    await store.close()
    expect(await found).toBeUndefined()
    expect(await written).toBe(true)
    await expect(store.clients.insert('two', aClient(), soon())).rejects.toThrow('not open')
    await expect(store.clients.find('one')).rejects.toThrow()
    await expect(store.probe()).rejects.toThrow()
  })
})
