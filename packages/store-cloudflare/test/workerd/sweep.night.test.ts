import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Store } from '@grantkit/core'
import { aClient, aGrant, aTransient } from '@grantkit/testkit'
import { describe, expect, it } from 'vitest'
import { createD1Store, migrate } from '../../src/d1.ts'
import { createDurableStore } from '../../src/durable-objects.ts'
import { PATIENT } from './patient.ts'

const HOUR = 3600
const DAY = 24 * HOUR

/** Long ago: for a store with this clock the records live, for the sweep they have ended. */
const YESTERDAY = Math.floor(Date.now() / 1000) - DAY
const now = () => YESTERDAY

async function insertEach(store: Store, name: string, expiresAt: number): Promise<void> {
  const times = { createdAt: YESTERDAY, expiresAt }
  await store.clients.insert(`client-${name}`, aClient(), expiresAt)
  await store.grants.insert(
    `grant-${name}`,
    aGrant({ id: `grant-${name}`, subject: 'alice', ...times }),
    expiresAt,
  )
  await store.transients?.insert(`transient-${name}`, aTransient(), expiresAt)
}

describe('the alarm of an object', () => {
  const stub = env.RECORDS.getByName('g/0')
  const store = createDurableStore(env.RECORDS, { objects: 1, now, ...PATIENT })
  const ids = (table: string) =>
    runInDurableObject(stub, (_, { storage }) =>
      storage.sql
        .exec(`SELECT id FROM grantkit_${table} ORDER BY id`)
        .toArray()
        .map(({ id }) => id),
    )

  it('deletes what ended an hour ago, of each kind, with the entries of the lists', async () => {
    await insertEach(store, 'old', YESTERDAY + HOUR)
    await insertEach(store, 'recent', YESTERDAY + DAY - HOUR / 2)
    await insertEach(store, 'live', YESTERDAY + 2 * DAY)
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    expect(await ids('client')).toEqual(['client-live', 'client-recent'])
    expect(await ids('grant')).toEqual(['grant-live', 'grant-recent'])
    expect(await ids('transient')).toEqual(['transient-live', 'transient-recent'])
    expect(await ids('entry')).toEqual(['grant-live', 'grant-recent'])
  })

  it('comes again in half a day to one and a half', async () => {
    for (let day = 0; day < 5; day++) {
      await runDurableObjectAlarm(stub)
      const next = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())
      const hours = ((next ?? 0) / 1000 - Date.now() / 1000) / HOUR
      expect(hours).toBeGreaterThan(11.9)
      expect(hours).toBeLessThan(36.1)
    }
  })

  it('deletes more than a page', async () => {
    const many = Array.from({ length: 4500 }, (_, at) => `many-${at}`)
    await runInDurableObject(stub, (_, { storage }) => {
      for (const id of many)
        storage.sql.exec(`INSERT INTO grantkit_client VALUES (?, 'version', '{}', ?)`, id, YESTERDAY + 1)
    })
    await runDurableObjectAlarm(stub)
    expect(await ids('client')).toEqual(['client-live', 'client-recent'])
  })
})

describe('the sweep of a D1 database', () => {
  const store = createD1Store(env.DB, { now, ...PATIENT })
  const present = createD1Store(env.DB, PATIENT)
  const count = async (table: string) =>
    (
      (await env.DB.prepare(`SELECT count(*) AS count FROM grantkit_${table}`).all()).results[0] as {
        count: number
      }
    ).count

  it('deletes what ended an hour ago, of each kind', async () => {
    await migrate(env.DB)
    await insertEach(store, 'old', YESTERDAY + HOUR)
    await insertEach(store, 'recent', YESTERDAY + DAY - HOUR / 2)
    await insertEach(store, 'live', YESTERDAY + 2 * DAY)
    expect(await present.sweep()).toBe(3)
    expect(await Promise.all(['client', 'grant', 'transient'].map(count))).toEqual([2, 2, 2])
    expect(await present.clients.find('client-live')).toBeDefined()
  })

  it('stops after the given steps', async () => {
    await insertEach(store, 'old', YESTERDAY + HOUR)
    expect(await present.sweep({ maxSteps: 0 })).toBe(0)
    expect(await present.sweep()).toBe(3)
  })
})
