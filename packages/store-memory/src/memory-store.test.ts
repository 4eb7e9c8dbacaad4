import { randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Store } from '@grantkit/core'
import { aClient, aGrant, describeStore } from '@grantkit/testkit'
import { describe, expect, it } from 'vitest'
import { createMemoryStore } from './index.ts'

describeStore('memory', ({ now }) => ({ store: createMemoryStore({ now }) }), {
  transients: true,
  namespaces: true,
})

/** A store on a clock that the test moves. */
function aStore(maxRecords?: number, maxUnapproved?: number) {
  const clock = { now: 1_800_000_000 }
  return { clock, store: createMemoryStore({ now: () => clock.now, maxRecords, maxUnapproved }) }
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

  it('evicts an expired record at any position for a new one', async () => {
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

  it('evicts an expired record behind many prolonged ones', async () => {
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

  it('replaces records at the limit, and inserts again after a removal', async () => {
    const { clock, store } = aStore(1)
    await store.grants.insert('a', aGrant(), clock.now + 60)
    const seen = await store.grants.find('a')
    if (seen === undefined) throw new Error('The grant is not there')
    expect(await store.grants.replace('a', seen, aGrant(), clock.now + 60)).toBe(true)
    expect(await store.grants.insert('a', aGrant(), clock.now + 60)).toBe(false)
    await store.grants.remove('a')
    expect(await store.grants.insert('b', aGrant(), clock.now + 60)).toBe(true)
  })

  it('is a hundred thousand if nothing is said', async () => {
    const { clock, store } = aStore()
    const grant = aGrant({ subject: undefined })
    for (let n = 0; n < 100_000; n++) await store.grants.insert(`${n}`, grant, clock.now + 60)
    await expect(store.grants.insert('one-more', grant, clock.now + 60)).rejects.toThrow('store is full')
  })

  it('counts clients and grants apart, so that a flood of registrations stops no sign-in', async () => {
    const { clock, store } = aStore(1)
    await store.clients.insert('a', aClient(), clock.now + 60)
    expect(await store.grants.insert('a', aGrant(), clock.now + 60)).toBe(true)
  })

  it('may be Infinity: a test or a migration wants no limit', () => {
    for (const limit of [1, Number.POSITIVE_INFINITY])
      expect(() => createMemoryStore({ maxRecords: limit, maxUnapproved: limit })).not.toThrow()
  })

  it.each([0, -1, 1.5, Number.NaN])('cannot be %d', (limit) => {
    expect(() => createMemoryStore({ maxRecords: limit })).toThrow('maxRecords must be')
    expect(() => createMemoryStore({ maxUnapproved: limit })).toThrow('maxUnapproved must be')
  })
})

describe('clients without an approval', () => {
  const SELF = aClient({ origin: 'registered' })
  interface Bench {
    readonly clock: { now: number }
    readonly store: Store
  }
  const register = ({ store, clock }: Bench, id: string, client = SELF) =>
    store.clients.insert(id, client, clock.now + 60)
  const approve = async ({ store, clock }: Bench, id: string) => {
    const seen = await store.clients.find(id)
    if (seen) await store.clients.replace(id, seen, seen.value, clock.now + 3600)
  }
  const left = async ({ store }: Bench, ids: readonly string[]) => {
    const found = await Promise.all(ids.map((id) => store.clients.find(id)))
    return ids.filter((_, index) => found[index] !== undefined)
  }

  it('are evicted at the limit, the oldest first, but no approved and no static client is', async () => {
    const bench = aStore(4)
    await register(bench, 'approved')
    await register(bench, 'integration', aClient({ origin: 'integration' }))
    await register(bench, 'older')
    await register(bench, 'newer')
    await approve(bench, 'approved')
    expect(await register(bench, 'newest')).toBe(true)
    expect(await left(bench, ['approved', 'integration', 'older', 'newer', 'newest'])).toEqual([
      'approved',
      'integration',
      'newer',
      'newest',
    ])
  })

  it('are evicted by a flood in their own namespace alone', async () => {
    const bench = aStore(2)
    await register(bench, 'alone')
    const tenant = { ...bench, store: bench.store.within('tenant') }
    for (const id of ['a', 'b', 'c']) expect(await register(tenant, id)).toBe(true)
    expect(await left(tenant, ['a', 'b', 'c'])).toEqual(['b', 'c'])
    expect(await left(bench, ['alone', 'a', 'b', 'c'])).toEqual(['alone'])
  })

  it('cannot register when every record is in use', async () => {
    const bench = aStore(2)
    for (const id of ['a', 'b']) {
      await register(bench, id)
      await approve(bench, id)
    }
    await expect(register(bench, 'c')).rejects.toThrow('store is full')
    expect(await left(bench, ['a', 'b', 'c'])).toEqual(['a', 'b'])
    await bench.store.clients.remove('a')
    for (const id of ['d', 'e', 'f']) expect(await register(bench, id), 'one place is free').toBe(true)
    expect(await left(bench, ['b', 'd', 'e', 'f'])).toEqual(['b', 'f'])
  })

  it('take no more memory together than they may, however large each is', async () => {
    const bench = aStore(undefined, 100_000)
    const large = { ...SELF, redirectUris: [`http://127.0.0.1/${'x'.repeat(20_000)}`] }
    await register(bench, 'approved', large)
    await approve(bench, 'approved')
    const ids = Array.from({ length: 10 }, (_, n) => `${n}`)
    for (const id of ids) await register(bench, id, large)
    expect(await left(bench, ['approved', ...ids])).toEqual(['approved', '5', '6', '7', '8', '9'])
    for (const id of ['6', '7', '8']) await bench.store.clients.remove(id)
    for (const id of ['10', '11', '12']) await register(bench, id, large)
    expect(await left(bench, ['5', '9', '10', '11', '12'])).toEqual(['5', '9', '10', '11', '12'])
  })

  it('free their place when they expire', async () => {
    const bench = aStore(undefined, 4000)
    for (const id of ['a', 'b', 'c']) await register(bench, id)
    bench.clock.now += 60
    for (const id of ['d', 'e', 'f', 'd']) await register(bench, id)
    expect(await left(bench, ['a', 'b', 'c', 'd', 'e', 'f'])).toEqual(['d', 'e', 'f'])
  })
})

describe('memory', () => {
  it('is freed of abandoned records after a third as many inserts, even without reads', async () => {
    const { clock, store } = aStore()
    const abandoned = await abandon(store, 500, clock.now + 60)
    clock.now += 60
    for (let write = 0; write < 170; write++) {
      const grant = aGrant({ subject: 'the living' })
      await store.grants.insert(grant.id, grant, clock.now + 3600)
    }
    await collectGarbage()
    expect(abandoned.filter((reference) => reference.deref() !== undefined)).toHaveLength(0)
    expect((await store.grants.list({ subject: 'the living' }, { limit: 200 })).grants).toHaveLength(170)
  })

  it('is freed by replaced and removed records', async () => {
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
    expect((await store.grants.list({ subject: 'unknown' }, { limit: 200 })).grants).toEqual([])
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
