import { startDynalite } from '@grantkit/test-servers/dynalite'
import { type DynamoServer, hasDynamoLocal, startDynamoLocal } from '@grantkit/test-servers/dynamodb-local'
import { describeStore } from '@grantkit/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDynamoStore, createTable, settingsWarnings } from '../src/index.ts'
import { newTable, PATIENCE } from './table-under-test.ts'

const TEST_MS = 120_000

/** Both behave like DynamoDB, each with faults of its own. */

describeStore(
  'dynamodb on dynalite',
  async ({ now }) => {
    const { client, table, close } = await newTable(await startDynalite())
    return { store: createDynamoStore(client, { table, now, ...PATIENCE }), close }
  },
  { transients: true, testTimeout: TEST_MS },
)

describe.skipIf(!hasDynamoLocal())('DynamoDB Local', () => {
  let server: DynamoServer
  beforeAll(async () => {
    server = await startDynamoLocal()
  }, 300_000)
  afterAll(() => server.close())

  describeStore(
    'dynamodb on DynamoDB Local',
    async ({ now }) => {
      const { client, table } = await newTable(server, true)
      return { store: createDynamoStore(client, { table, now, ...PATIENCE }), close: () => client.destroy() }
    },
    { transients: true, testTimeout: TEST_MS },
  )

  it('gets a table with TTL once, and keeps it the second time', async () => {
    const { client } = await newTable(server, true)
    await createTable(client, { table: 'other' })
    await createTable(client, { table: 'other' })
    const warnings = await settingsWarnings({ client, table: 'other' })
    expect(warnings.filter((warning) => !warning.startsWith('backups'))).toEqual([
      expect.stringMatching(/^the client waits long/),
    ])
    client.destroy()
  })
})
