import { env } from 'cloudflare:workers'
import type { Store } from '@grantkit/core'
import { aClient } from '@grantkit/testkit'
import { beforeEach, describe, expect, it } from 'vitest'
import { createD1Store, type Database, migrate } from '../../src/d1.ts'
import { createDurableStore, type RecordsNamespace } from '../../src/durable-objects.ts'
import { PATIENT } from './patient.ts'

const END = 1_900_000_000

/** What becomes of the next calls: before or after they were carried out. */
interface Faults {
  before: (unknown | undefined)[]
  after: (unknown | undefined)[]
  calls: number
}

/** Runs a call, or what the faults make of it. */
async function withFaults<T>(faults: Faults, call: () => Promise<T>): Promise<T> {
  faults.calls++
  const before = faults.before.shift()
  if (before === 'silence') return new Promise(() => {})
  if (before !== undefined) throw before
  const result = await call()
  const after = faults.after.shift()
  if (after !== undefined) throw after
  return result
}

const faults: Faults = { before: [], after: [], calls: 0 }

const objects: RecordsNamespace = {
  jurisdiction: () => objects,
  getByName: (name) => {
    const stub = env.RECORDS.getByName(name)
    return {
      run: (...parameters) => withFaults(faults, () => stub.run(...parameters)),
      enlist: (...parameters) => stub.enlist(...parameters),
      entries: (...parameters) => stub.entries(...parameters),
      findAll: (...parameters) => stub.findAll(...parameters),
      objectsOfStore: (count) => stub.objectsOfStore(count),
    }
  },
}

const database: Database = {
  batch: (statements) => env.DB.batch(statements),
  prepare: (statement) => ({
    bind: (...values) => {
      const bound = env.DB.prepare(statement).bind(...values)
      return { bind: () => bound, all: () => withFaults(faults, () => bound.all()) }
    },
    all: () => env.DB.prepare(statement).all(),
  }),
}

const RETRYABLE = {
  objects: () => Object.assign(new Error('Network connection lost.'), { retryable: true }),
  D1: () => new Error('D1_ERROR: Network connection lost.'),
}
const OVERLOADED = {
  objects: () =>
    Object.assign(new Error('Durable Object is overloaded.'), { retryable: true, overloaded: true }),
  D1: () => new Error('D1_ERROR: D1 DB is overloaded. Too many requests queued.'),
}

const STORES = {
  objects: (commandTimeout = PATIENT.commandTimeout) => createDurableStore(objects, { commandTimeout }),
  D1: (commandTimeout = PATIENT.commandTimeout) => createD1Store(database, { commandTimeout }),
}

describe.each(['objects', 'D1'] as const)('over %s', (name) => {
  let store: Store
  beforeEach(async () => {
    await migrate(env.DB)
    Object.assign(faults, { before: [], after: [] })
    store = STORES[name]()
    await store.clients.find('any')
    faults.calls = 0
  })

  async function inserted(id: string) {
    await store.clients.insert(id, aClient(), END)
    const seen = await store.clients.find(id)
    if (seen === undefined) throw new Error('The client is gone')
    faults.calls = 0
    return seen
  }

  it('a read that failed in passing is sent once more', async () => {
    await inserted('read')
    faults.before = [RETRYABLE[name]()]
    expect(await store.clients.find('read')).toBeDefined()
    expect(faults.calls).toBe(2)
  })

  it('a second failure rejects', async () => {
    faults.before = [RETRYABLE[name](), RETRYABLE[name]()]
    await expect(store.clients.find('read')).rejects.toThrow('Network connection lost')
    expect(faults.calls).toBe(2)
  })

  it('an overload rejects at once', async () => {
    faults.before = [OVERLOADED[name]()]
    await expect(store.clients.insert('overload', aClient(), END)).rejects.toThrow('overloaded')
    expect(faults.calls).toBe(1)
  })

  it('any other error rejects at once', async () => {
    faults.before = [new Error('disk I/O error')]
    await expect(store.clients.find('read')).rejects.toThrow('disk I/O error')
    expect(faults.calls).toBe(1)
  })

  it('an insert whose answer was lost counts once', async () => {
    faults.after = [RETRYABLE[name]()]
    expect(await store.clients.insert('lost-insert', aClient(), END)).toBe(true)
    expect(await store.clients.insert('lost-insert', aClient(), END)).toBe(false)
  })

  it('a replacement whose answer was lost counts once', async () => {
    const seen = await inserted('lost-replace')
    faults.after = [RETRYABLE[name]()]
    const changed = { ...seen.value, clientName: 'changed' }
    expect(await store.clients.replace('lost-replace', seen, changed, END)).toBe(true)
    expect(await store.clients.replace('lost-replace', seen, changed, END)).toBe(false)
    expect((await store.clients.find('lost-replace'))?.value.clientName).toBe('changed')
  })

  it('a removal whose answer was lost counts as one', async () => {
    await inserted('lost-remove')
    faults.after = [RETRYABLE[name]()]
    expect(await store.clients.remove('lost-remove')).toBe(true)
    expect(await store.clients.remove('lost-remove')).toBe(false)
  })

  it('a write that is sent twice and refused rejects: the first one may have been carried out', async () => {
    const seen = await inserted('unknown')
    await store.clients.replace('unknown', seen, seen.value, END)
    faults.before = [RETRYABLE[name]()]
    await expect(store.clients.replace('unknown', seen, seen.value, END)).rejects.toThrow('answer was lost')
    faults.before = [RETRYABLE[name]()]
    await expect(store.clients.insert('unknown', aClient(), END)).rejects.toThrow('answer was lost')
  })

  it('silence rejects after the time limit', async () => {
    const brief = STORES[name](100)
    faults.before = ['silence']
    await expect(brief.clients.find('read')).rejects.toThrow('did not answer within 100 ms')
  })

  it('a time that is none is a fault of the caller, and reaches no table', async () => {
    await expect(store.clients.insert('never', aClient(), 0.5)).rejects.toThrow(RangeError)
    expect(faults.calls).toBe(0)
  })
})

it('a D1 database without tables rejects with what to run', async () => {
  const store = createD1Store(env.EMPTY)
  await expect(store.clients.find('any')).rejects.toThrow(/wrangler d1 migrations apply.*migrate\(\)/)
  await expect(store.grants.list({ subject: 'any' }, { limit: 1 })).rejects.toThrow('migrations apply')
})
