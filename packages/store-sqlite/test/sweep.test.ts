import { DatabaseSync } from 'node:sqlite'
import { systemTime } from '@grantkit/core/store-kit'
import { aClient, aGrant, aTransient } from '@grantkit/testkit'
import { afterEach, expect, it, vi } from 'vitest'
import type { SqliteStoreOptions } from '../src/index.ts'
import { newStore } from './files.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const NOON = 20_000 * DAY + DAY / 2

afterEach(() => {
  vi.useRealTimers()
})

/** A store on a clock that the test moves. */
async function storeAt(now: number, options: Partial<SqliteStoreOptions> = {}) {
  const clock = { now }
  const { store, path, close } = await newStore({ now: () => clock.now, ...options })
  const rows = (table: string): number => {
    const database = new DatabaseSync(path)
    const count = database.prepare(`SELECT count(*) AS count FROM grantkit_${table}`).get()?.count
    database.close()
    return Number(count)
  }
  return { clock, store, rows, close }
}

it('deletes rows of each kind that expired on a day before and an hour ago, and no others', async () => {
  const { clock, store, rows, close } = await storeAt(NOON)
  await store.clients.insert('client', aClient(), NOON + 1)
  await store.grants.insert('grant', aGrant(), NOON + 1)
  await store.grants.insert('lasting', aGrant(), NOON + DAY)
  await store.transients.insert('transient', aTransient(), NOON + 1)
  clock.now = NOON + 10
  expect(await store.sweep(), 'expired today').toBe(0)
  clock.now = NOON + DAY / 2 + HOUR - 1
  expect(await store.sweep(), 'expired perhaps not for an hour').toBe(0)
  clock.now++
  expect(await store.sweep()).toBe(3)
  expect(['client', 'grant', 'transient'].map(rows)).toEqual([0, 1, 0])
  expect(await store.grants.find('lasting')).toBeDefined()
  await close()
})

/** A store with so many expired clients. Pauses take no time and are counted. */
async function withExpired(count: number) {
  const pauses: number[] = []
  const sleep = async (milliseconds: number) => {
    pauses.push(milliseconds)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const opened = await storeAt(NOON, { time: { ...systemTime, sleep } })
  const ids = Array.from({ length: count }, (_, index) => `client-${index}`)
  await Promise.all(ids.map((id) => opened.store.clients.insert(id, aClient(), NOON + 1)))
  opened.clock.now = NOON + DAY
  return { ...opened, pauses }
}

it('deletes many in steps, and requests have the time between them', async () => {
  const { clock, store, rows, pauses, close } = await withExpired(3000)
  const sweeping = store.sweep()
  expect(await store.clients.insert('new', aClient(), clock.now + DAY)).toBe(true)
  expect(rows('client')).toBeGreaterThan(1)
  expect(await sweeping).toBe(3000)
  expect(rows('client')).toBe(1)
  expect(pauses.length).toBeGreaterThanOrEqual(30)
  expect(Math.min(...pauses)).toBeGreaterThan(0)
  await close()
})

it('ends between two steps when the store is closed', async () => {
  const { store, pauses, close } = await withExpired(300)
  const sweeping = store.sweep()
  await close()
  expect(await sweeping).toBe(100)
  expect(pauses).toHaveLength(1)
})

it('happens about once a minute, and never in a request', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { clock, store, rows, close } = await storeAt(NOON, { sweeping: true })
  for (const round of [1, 2]) {
    await store.clients.insert('abandoned', aClient(), clock.now + 1)
    clock.now += DAY
    await store.clients.insert(`other-${round}`, aClient(), clock.now + 100 * DAY)
    expect(rows('client')).toBe(round + 1)
    await expect.poll(() => vi.advanceTimersByTime(90_000) && rows('client')).toBe(round)
  }
  await close()
})

it('begins if nothing else is said, and stops when the store is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { close } = await storeAt(NOON, { sweeping: undefined })
  expect(vi.getTimerCount()).toBe(1)
  await close()
  expect(vi.getTimerCount()).toBe(0)
})

it('happens at the times that a test decides', async () => {
  const after = vi.fn(() => () => {})
  const time = { after, sleep: () => Promise.reject(new Error('nothing sleeps')) }
  const { close } = await storeAt(NOON, { time, random: (bytes) => new Uint8Array(bytes), sweeping: true })
  expect(after.mock.calls).toEqual([[30_000, expect.any(Function)]])
  await close()
})

it('is left to the operator where it is switched off', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { close } = await storeAt(NOON, { sweeping: false })
  expect(vi.getTimerCount()).toBe(0)
  await close()
})
