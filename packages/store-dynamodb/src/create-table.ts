import {
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { EXPIRY, KEYS, type TableOptions } from './table.ts'

export interface CreateTableOptions extends TableOptions {
  /**
   * Lets DynamoDB delete what has expired, at no cost. Default true. Switch it off where TTL is missing, such as in dynalite, and
   * call `sweep` of the store.
   */
  readonly timeToLive?: boolean | undefined
}

/**
 * Creates the table, with TTL and on demand, unless it is there; waits until it can be used. Other settings, such as
 * backups, are for your CloudFormation or Terraform.
 *
 * @example
 * ```ts
 * import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
 * import { createTable } from '@grantkit/store-dynamodb'
 *
 * await createTable(new DynamoDBClient(), { table: 'grantkit' })
 * ```
 */
export async function createTable(
  client: DynamoDBClient,
  { table, timeToLive = true }: CreateTableOptions,
): Promise<void> {
  await client
    .send(
      new CreateTableCommand({
        TableName: table,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: KEYS.partition, AttributeType: 'S' },
          { AttributeName: KEYS.sort, AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: KEYS.partition, KeyType: 'HASH' },
          { AttributeName: KEYS.sort, KeyType: 'RANGE' },
        ],
      }),
    )
    .catch((error: Error) => {
      if (error.name !== 'ResourceInUseException') throw error
    })
  await waitUntilTableExists({ client, maxWaitTime: MAX_WAIT_SECONDS, minDelay: 1 }, { TableName: table })
  if (timeToLive) await enableExpiry(client, table)
}

const MAX_WAIT_SECONDS = 120

async function enableExpiry(client: DynamoDBClient, TableName: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }))
  if (TimeToLiveDescription?.TimeToLiveStatus !== 'DISABLED') return
  const TimeToLiveSpecification = { AttributeName: EXPIRY, Enabled: true }
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))
}
