import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoServer } from '@grantkit/test-servers/dynamodb-local'
import { createTable } from '../src/index.ts'

/** A table in a server, with its clients. */
export interface TableUnderTest {
  readonly client: DynamoDBClient
  readonly table: string
  close(): Promise<void>
}

export const LOCAL = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
}

/** A busy machine may take seconds for what DynamoDB does in milliseconds. */
export const PATIENCE = { commandTimeout: 60_000 }

export async function newTable(server: DynamoServer, timeToLive = false): Promise<TableUnderTest> {
  const client = new DynamoDBClient({ ...LOCAL, endpoint: server.endpoint })
  const table = 'grantkit'
  await createTable(client, { table, timeToLive })
  return {
    client,
    table,
    async close() {
      client.destroy()
      await server.close()
    },
  }
}
