import { env } from 'cloudflare:workers'
import type { Store } from '@grantkit/core'
import { aClient, aGrant, aTransient } from '@grantkit/testkit'
import { describe, expect, it } from 'vitest'
import { createD1Store, migrate } from '../../src/d1.ts'
import { createDurableStore } from '../../src/durable-objects.ts'
import { type Count, costOf, countingDatabase, countingObjects } from './counting.ts'
import { PATIENT } from './patient.ts'
import { clientInProcess } from './service.ts'

const END = 1_900_000_000

interface Counted {
  readonly count: Count
  readonly store: Store
}

/** A store that has made its first call, which checks the number of objects. */
async function objects(): Promise<Counted> {
  const { count, binding } = await countingObjects(env.RECORDS)
  const store = createDurableStore(binding, PATIENT)
  await store.clients.find('any')
  return { count, store }
}

async function d1(): Promise<Counted> {
  await migrate(env.DB)
  const { count, binding } = countingDatabase(env.DB)
  return { count, store: createD1Store(binding, PATIENT) }
}

describe.each([
  // An entry is a row and one of an index; so is a record. On D1 a grant is a row and three of indexes.
  { name: 'objects', open: objects, insertedGrant: { calls: 2, rows: 4 } },
  { name: 'D1', open: d1, insertedGrant: { calls: 1, rows: 4 } },
])('over $name', ({ open, insertedGrant }) => {
  it('reading a record is one call, and writes no row', async () => {
    const { count, store } = await open()
    expect(await costOf(count, () => store.grants.find('unknown'))).toEqual({ calls: 1, rows: 0 })
  })

  it('a new grant, client or transient costs as many calls and rows as documented', async () => {
    const { count, store } = await open()
    const grant = aGrant()
    expect(await costOf(count, () => store.grants.insert(grant.id, grant, END))).toEqual(insertedGrant)
    const inserts = [
      () => store.clients.insert('new-client', aClient(), END),
      () => store.transients?.insert('new-transient', aTransient(), END) ?? Promise.reject(),
      () => store.grants.insert('without-user', aGrant({ subject: undefined }), END),
    ]
    expect(await costOf(count, inserts[0] as () => Promise<boolean>)).toEqual({ calls: 1, rows: 2 })
    expect(await costOf(count, inserts[1] as () => Promise<boolean>)).toEqual({ calls: 1, rows: 2 })
    expect((await costOf(count, inserts[2] as () => Promise<boolean>)).calls).toBe(1)
  })

  it('a change is one call and one row', async () => {
    const { count, store } = await open()
    const grant = aGrant()
    await store.grants.insert(grant.id, grant, END)
    const seen = await store.grants.find(grant.id)
    if (seen === undefined) throw new Error('The grant is gone')
    const replace = () => store.grants.replace(grant.id, seen, { ...grant, usedAt: 2 }, END + 60)
    expect(await costOf(count, replace)).toEqual({ calls: 1, rows: 1 })
    expect(await costOf(count, replace), 'of a record that has changed').toEqual({ calls: 1, rows: 0 })
  })

  it('a refresh is three calls and one row, and a bearer check is one call', async () => {
    const { count, store } = await open()
    const { client, api } = await clientInProcess(store)
    const { refresh_token, access_token } = await client.tokens('notes:read')
    const refresh = () => client.refresh(refresh_token)
    expect(await costOf(count, refresh)).toEqual({ calls: 3, rows: 1 })
    expect(await costOf(count, refresh), 'sent again').toEqual({ calls: 2, rows: 0 })
    expect(await costOf(count, () => api(access_token))).toEqual({ calls: 1, rows: 0 })
  })
})
