import { startDynalite } from '@grantkit/test-servers/dynalite'
import { type DynamoServer, hasDynamoLocal, startDynamoLocal } from '@grantkit/test-servers/dynamodb-local'
import { describeStore } from '@grantkit/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDynamoStore, createTable, settingsWarnings } from '../src/index.ts'
import { newTable, PATIENCE } from './table-under-test.ts'

/** Both behave like DynamoDB. Dynalite, which the short tests use, stands in where DynamoDB Local does not start. */
const isLocal = hasDynamoLocal()

let server: DynamoServer
beforeAll(async () => {
  server = await (isLocal ? startDynamoLocal() : startDynalite())
}, 300_000)
afterAll(() => server.close())

describeStore(
  `dynamodb on ${isLocal ? 'DynamoDB Local' : 'dynalite'}`,
  async ({ now }) => {
    const { client, table } = await newTable(server, isLocal)
    return { store: createDynamoStore(client, { table, now, ...PATIENCE }), close: () => client.destroy() }
  },
  { transients: true, namespaces: true, testTimeout: 120_000 },
)

it.skipIf(!isLocal)('DynamoDB Local gets a table with TTL once, and keeps it the second time', async () => {
  const { client } = await newTable(server, true)
  await createTable(client, { table: 'other' })
  await createTable(client, { table: 'other' })
  const warnings = await settingsWarnings({ client, table: 'other' })
  expect(warnings.filter((warning) => !warning.startsWith('backups'))).toEqual([
    expect.stringMatching(/^the client waits long/),
  ])
  client.destroy()
})
