import { randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Store } from '@grantkit/core'
import { aClient, aGrant, describeStore } from '@grantkit/testkit'
import { describe, expect, it } from 'vitest'
import { createMemoryStore } from './index.ts'

describeStore('memory', ({ now }) => ({ store: createMemoryStore({ now }) }), { transients: true })

/** A store on a clock that the test moves. */
function aStore(maxRecords?: number) {
  const clock = { now: 1_800_000_000 }
  return { clock, store: createMemoryStore({ now: () => clock.now, maxRecords }) }
}

describe('maxRecords', () => {
  it('refuses one more record and drops no live one', async () => {
    const { clock, store } = aStore(3)
    const grants = [aGrant(), aGrant(), aGrant()]
    for (const grant of grants) await store.grants.insert(grant.id, grant, clock.now + 60)
    await expect(store.grants.insert('one-more', aGrant(), clock.now + 60)).rejects.toThrow('store is full')
    expect(await store.grants.find('one-more')).toBeUndefined()
    for (const grant of grants) expect(await store.grants.find(grant.id)).toMatchObject({ value: grant })
  })

  it('makes room by an expired record at any position', async () => {
    for (let expiring = 0; expiring < 20; expiring++) {
      const { clock, store } = aStore(20)
      for (let index = 0; index < 20; index++) {
        await store.grants.insert(`${index}`, aGrant(), clock.now + (index === expiring ? 10 : 60 + index))
      }
      clock.now += 10
      expect(await store.grants.insert('new', aGrant(), clock.now + 60)).toBe(true)
      await expect(store.grants.insert('newer', aGrant(), clock.now + 60)).rejects.toThrow('store is full')
    }
  })

  it('makes room by an expired record behind many prolonged ones', async () => {
    const { clock, store } = aStore(20)
    for (let index = 0; index < 20; index++) await store.grants.insert(`${index}`, aGrant(), clock.now + 10)
    for (let index = 0; index < 20; index++) {
      const seen = await store.grants.find(`${index}`)
      if (seen) await store.grants.replace(`${index}`, seen, aGrant(), clock.now + (index === 7 ? 20 : 60))
    }
    clock.now += 20
    expect(await store.grants.insert('new', aGrant(), clock.now + 60)).toBe(true)
    await expect(store.grants.insert('newer', aGrant(), clock.now + 60)).rejects.toThrow('store is full')
    expect(await store.grants.find('6')).toBeDefined()
  })

  it('refuses only until the second in which a record expires', async () => {
    const { clock, store } = aStore(2)
    await store.grants.insert('brief', aGrant(), clock.now + 10)
    await store.grants.insert('lasting', aGrant(), clock.now + 60)
    for (let second = 0; second < 10; second++, clock.now++) {
      await expect(store.grants.insert('new', aGrant(), clock.now + 60)).rejects.toThrow('store is full')
    }
    expect(await store.grants.insert('new', aGrant(), clock.now + 60)).toBe(true)
  })

  it('lets records be replaced and removed at the cap, which makes room', async () => {
    const { clock, store } = aStore(1)
    await store.clients.insert('a', aClient(), clock.now + 60)
    const seen = await store.clients.find('a')
    if (seen === undefined) throw new Error('The client is not there')
    expect(await store.clients.replace('a', seen, aClient(), clock.now + 60)).toBe(true)
    expect(await store.clients.insert('a', aClient(), clock.now + 60)).toBe(false)
    await store.clients.remove('a')
    expect(await store.clients.insert('b', aClient(), clock.now + 60)).toBe(true)
  })

  it('counts clients and grants apart, so that a flood of registrations stops no sign-in', async () => {
    const { clock, store } = aStore(1)
    await store.clients.insert('a', aClient(), clock.now + 60)
    expect(await store.grants.insert('a', aGrant(), clock.now + 60)).toBe(true)
  })

  it.each([0, -1, 1.5, Number.NaN])('cannot be %d', (maxRecords) => {
    expect(() => createMemoryStore({ maxRecords })).toThrow(RangeError)
  })
})

describe('memory', () => {
  it('is freed of abandoned records after a third as many inserts, even if nobody reads them again', async () => {
    const { clock, store } = aStore()
    const abandoned = await abandon(store, 500, clock.now + 60)
    clock.now += 60
    for (let write = 0; write < 170; write++) {
      const grant = aGrant({ subject: 'the living' })
      await store.grants.insert(grant.id, grant, clock.now + 3600)
    }
    await collectGarbage()
    expect(abandoned.filter((reference) => reference.deref() !== undefined)).toHaveLength(0)
    expect(await store.grants.listBySubject('the living')).toHaveLength(170)
  })

  it('is given back by what was replaced or removed', async () => {
    const { clock, store } = aStore()
    const references = await abandon(store, 100, clock.now + 3600)
    for (let index = 0; index < 100; index++) await replaceOrRemove(store, `${index}`, clock.now + 7200)
    await collectGarbage()
    expect(references.filter((reference) => reference.deref() !== undefined)).toHaveLength(0)
  })

  it('keeps no trace of subjects whose grants were removed or have expired', async () => {
    const { clock, store } = aStore()
    await insertAndRemove(store, 1000, clock)
    await collectGarbage()
    const before = process.memoryUsage().heapUsed
    await insertAndRemove(store, 20_000, clock)
    await collectGarbage()
    // One leaked subject takes about two hundred bytes.
    expect((process.memoryUsage().heapUsed - before) / 20_000).toBeLessThan(50)
    expect(await store.grants.listBySubject('nobody')).toEqual([])
  })
})

async function insertAndRemove(store: Store, count: number, clock: { now: number }): Promise<void> {
  const run = randomUUID()
  for (let index = 0; index < count; index++) {
    const id = randomUUID()
    // Some subjects have one grant, which expires; others have two, one removed and one expiring.
    const subject = `subject-${Math.floor((index * 2) / 3)}-${run}`
    await store.grants.insert(id, aGrant({ id, subject }), clock.now + 10)
    if (index % 3 === 1) await store.grants.remove(id)
    if (index % 100 === 0) clock.now += 1
  }
  clock.now += 10
  for (let write = 0; write < 1000; write++) await store.grants.remove('nothing')
}

/** Inserts grants and keeps only weak references to them. */
async function abandon(store: Store, count: number, expiresAt: number): Promise<WeakRef<object>[]> {
  const references: WeakRef<object>[] = []
  for (let index = 0; index < count; index++) {
    const grant = aGrant()
    references.push(new WeakRef(grant))
    await store.grants.insert(`${index}`, grant, expiresAt)
  }
  return references
}

async function replaceOrRemove(store: Store, id: string, expiresAt: number): Promise<void> {
  const seen = Number(id) % 2 === 0 ? await store.grants.find(id) : undefined
  if (seen === undefined) await store.grants.remove(id)
  else await store.grants.replace(id, seen, aGrant(), expiresAt)
}

async function collectGarbage(): Promise<void> {
  // A new WeakRef keeps its target alive until the current task ends.
  await new Promise(setImmediate)
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
