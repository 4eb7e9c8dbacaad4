import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  CreateTableCommand,
  DynamoDBClient,
  type TableDescription,
  type TimeToLiveDescription,
} from '@aws-sdk/client-dynamodb'
import { startDynalite } from '@grantkit/test-servers/dynalite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { CLIENT_SETTINGS, settingsWarnings } from '../src/index.ts'
import { LOCAL, newTable, type TableUnderTest } from './table-under-test.ts'

let table: TableUnderTest
beforeAll(async () => {
  table = await newTable(await startDynalite())
})
afterAll(() => table.close())

describe('the warnings about a table', () => {
  it('name what dynalite does not have, and what a client has not set', async () => {
    expect(await settingsWarnings(table)).toEqual([
      expect.stringMatching(/^TTL is off/),
      expect.stringMatching(/^backups cannot be read/),
      expect.stringMatching(/^the client waits long/),
    ])
  })

  it('name another key', async () => {
    await table.client.send(
      new CreateTableCommand({
        TableName: 'other',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      }),
    )
    expect(await settingsWarnings({ ...table, table: 'other' })).toContain(
      'the key is id HASH S: every command fails; create a table with pk HASH S, sk RANGE S',
    )
  })

  it('are an error for a table that does not exist', async () => {
    await expect(settingsWarnings({ ...table, table: 'missing' })).rejects.toThrow('not found')
  })
})

/** A server with answers of DynamoDB for what no emulator has: replicas, TTL and backups. */
async function answering(description: TableDescription, expiry: TimeToLiveDescription, recovery = 'ENABLED') {
  const answers: Record<string, object> = {
    DescribeTable: { Table: { ...KEYS, ...description } },
    DescribeTimeToLive: { TimeToLiveDescription: expiry },
    DescribeContinuousBackups: {
      ContinuousBackupsDescription: {
        PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: recovery },
      },
    },
  }
  const server = createServer((request, response) => {
    const [, command = ''] = String(request.headers['x-amz-target']).split('.')
    response.setHeader('content-type', 'application/x-amz-json-1.0').end(JSON.stringify(answers[command]))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = new DynamoDBClient({ ...CLIENT_SETTINGS, ...LOCAL, endpoint })
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  return { client, table: 'grantkit' }
}

const KEYS: TableDescription = {
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
  ],
}
const EXPIRES = { TimeToLiveStatus: 'ENABLED', AttributeName: 'e' } as const
const REPLICAS = [{ RegionName: 'eu-central-1' }, { RegionName: 'eu-west-1' }]

describe('the warnings about what DynamoDB answers', () => {
  it('are none for a table in one Region with TTL and backups', async () => {
    expect(await settingsWarnings(await answering({}, EXPIRES))).toEqual([])
  })

  it('name TTL that is on another attribute', async () => {
    const expiry = { TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' } as const
    expect(await settingsWarnings(await answering({}, expiry))).toEqual([
      expect.stringMatching(/^TTL is on ttl/),
    ])
  })

  it('name a table without backups', async () => {
    expect(await settingsWarnings(await answering({}, EXPIRES, 'DISABLED'))).toEqual([
      expect.stringMatching(/^there is no backup/),
    ])
  })

  it('name Regions that write with eventual consistency', async () => {
    expect(await settingsWarnings(await answering({ Replicas: REPLICAS }, EXPIRES))).toEqual([
      expect.stringMatching(/replicated \(eu-central-1, eu-west-1\) with eventual consistency/),
    ])
  })

  it('are none for Regions with strong consistency, which have no TTL', async () => {
    const strong = { Replicas: REPLICAS, MultiRegionConsistency: 'STRONG' } as const
    expect(await settingsWarnings(await answering(strong, { TimeToLiveStatus: 'DISABLED' }))).toEqual([])
  })
})
