import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb'
import { EXPIRY, KEYS, type TableOptions } from './table.ts'

export interface SettingsOptions extends TableOptions {
  readonly client: DynamoDBClient
}

/**
 * Warnings about settings of the table and of the client that could lose, keep or reveal records; empty if all is well. For a
 * command of the operator: it needs three more permissions than the store.
 *
 * @throws Error when the table cannot be described
 *
 * @example
 * ```ts
 * import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
 * import { CLIENT_SETTINGS, settingsWarnings } from '@grantkit/store-dynamodb'
 *
 * const client = new DynamoDBClient({ ...CLIENT_SETTINGS })
 * for (const warning of await settingsWarnings({ client, table: 'grantkit' })) console.warn(warning)
 * ```
 */
export async function settingsWarnings({ client, table: TableName }: SettingsOptions): Promise<string[]> {
  const { Table = {} } = await client.send(new DescribeTableCommand({ TableName }))
  const isStrong = Table.MultiRegionConsistency === 'STRONG'
  return [
    ...keyWarnings(Table),
    ...regionWarnings(Table, isStrong),
    ...(isStrong ? [] : await expiryWarnings(client, TableName)),
    ...(await backupWarnings(client, TableName)),
    ...(await clientWarnings(client)),
  ]
}

function keyWarnings({ KeySchema = [], AttributeDefinitions = [] }: TableDescription): string[] {
  const keys = KeySchema.map(({ AttributeName, KeyType }) => {
    const type = AttributeDefinitions.find((attribute) => attribute.AttributeName === AttributeName)
    return `${AttributeName} ${KeyType} ${type?.AttributeType}`
  })
  const wanted = [`${KEYS.partition} HASH S`, `${KEYS.sort} RANGE S`]
  return keys.join() === wanted.join()
    ? []
    : [`the key is ${keys.join(', ')}: every command fails; create a table with ${wanted.join(', ')}`]
}

function regionWarnings({ Replicas = [] }: TableDescription, isStrong: boolean): string[] {
  if (isStrong || Replicas.length === 0) return []
  const regions = Replicas.map(({ RegionName }) => RegionName).join(', ')
  return [
    `the table is replicated (${regions}) with eventual consistency: let one Region alone write, or two of them may ` +
      'redeem one code, and a revocation may be lost',
  ]
}

async function expiryWarnings(client: DynamoDBClient, TableName: string): Promise<string[]> {
  const advice = `enable TTL on the attribute ${EXPIRY}, or run sweep()`
  try {
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }))
    const { TimeToLiveStatus: status, AttributeName: attribute } = TimeToLiveDescription ?? {}
    if (status !== 'ENABLED' && status !== 'ENABLING')
      return [`TTL is off: nothing expired is deleted, and the table grows; ${advice}`]
    return attribute === EXPIRY ? [] : [`TTL is on ${attribute}: nothing expired is deleted; ${advice}`]
  } catch (error) {
    return [`TTL cannot be read (${reasonOf(error)}): ${advice}`]
  }
}

async function backupWarnings(client: DynamoDBClient, TableName: string): Promise<string[]> {
  const advice = 'enable point-in-time recovery'
  try {
    const answer = await client.send(new DescribeContinuousBackupsCommand({ TableName }))
    const recovery = answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription
    return recovery?.PointInTimeRecoveryStatus === 'ENABLED'
      ? []
      : [`there is no backup: a deleted table is lost with every client and grant; ${advice}`]
  } catch (error) {
    return [`backups cannot be read (${reasonOf(error)}): ${advice}`]
  }
}

const MAX_TIMEOUT_MS = 2000

async function clientWarnings({ config }: DynamoDBClient): Promise<string[]> {
  const { requestTimeout = 0, throwOnRequestTimeout } = settingsOf(config.requestHandler)
  const isLimited = requestTimeout > 0 && requestTimeout <= MAX_TIMEOUT_MS && throwOnRequestTimeout === true
  return [
    ...(isLimited
      ? []
      : ['the client waits long for an answer: a lost one is not asked for again; use CLIENT_SETTINGS']),
    ...((await config.maxAttempts()) > 1 ? [] : ['the client tries only once: use CLIENT_SETTINGS']),
  ]
}

interface HandlerSettings {
  readonly requestTimeout?: number
  readonly throwOnRequestTimeout?: boolean
}

/** A handler of your own may not report its settings. */
function settingsOf(handler: object): HandlerSettings {
  const { httpHandlerConfigs } = handler as { httpHandlerConfigs?: () => object }
  return httpHandlerConfigs?.call(handler) ?? {}
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
