import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { startDynalite } from '@grantkit/test-servers/dynalite'
import { aClient, aGrant, aTransient } from '@grantkit/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDynamoStore } from '../src/index.ts'
import { newTable, PATIENCE, type TableUnderTest } from './table-under-test.ts'

const START = 1_800_000_000
const clock = { time: START }

let table: TableUnderTest
beforeAll(async () => {
  table = await newTable(await startDynalite())
})
afterAll(() => table.close())

it('deletes what expired an hour ago, of every kind, and nothing else', async () => {
  const store = createDynamoStore(table.client, { table: table.table, now: () => clock.time, ...PATIENCE })
  for (const [at, end] of [START + 10, START + 20, START + 9000].entries()) {
    const grant = aGrant({ id: `grant-${at}`, expiresAt: end })
    await store.clients.insert(`client-${at}`, aClient(), end)
    await store.grants.insert(grant.id, grant, end)
    await store.transients.insert(`transient-${at}`, aTransient(), end)
  }
  expect(await store.sweep(), 'nothing has expired yet').toBe(0)
  clock.time = START + 15 + 3600
  expect(await store.sweep(), 'a client, a grant with its entry, and a transient').toBe(4)
  expect(await store.sweep()).toBe(0)
  const { Items = [] } = await table.client.send(new ScanCommand({ TableName: table.table }))
  expect(Items.filter(({ e }) => Number(e?.N) <= START + 15)).toEqual([])
  expect(Items).toHaveLength(8)
})

it('deletes more than one page', async () => {
  const store = createDynamoStore(table.client, { table: table.table, now: () => clock.time, ...PATIENCE })
  const inserts = Array.from({ length: 110 }, (_, at) =>
    store.transients.insert(`many-${at}`, aTransient(), clock.time - 7200),
  )
  await Promise.all(inserts)
  expect(await store.sweep()).toBeGreaterThanOrEqual(110)
})
