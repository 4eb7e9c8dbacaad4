import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Store } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import * as sqlite from '@grantkit/store-sqlite'
import type { Pool } from 'pg'
import type { Config } from './config/config.ts'
import type { Database } from './database/database.ts'
import { loadOptional } from './database/optional-packages.ts'
import { postgresPassword } from './database/postgres-password.ts'
import { type CreateCounter, countersInRedis } from './limits/counters.ts'

/** The store of clients and grants. */
export interface OpenStore {
  readonly store: Store
  /** Present if the store counts for all replicas together. */
  readonly createCounter?: CreateCounter
  /** Rejects if the store cannot be written. Present where a read does not show this. */
  readonly probe?: (() => Promise<void>) | undefined
  close(): Promise<void>
}

type OnWarning = (warning: string) => void

interface OpenStoreOptions {
  /** Whether to migrate the tables. */
  readonly migrating: boolean
  readonly onWarning: OnWarning
}

/** Each driver is loaded only with the store that needs it: all have hundreds of modules. */
const loadPostgres = () => import('@grantkit/store-postgres')
const loadRedis = () => import('@grantkit/store-redis')

/** @param database shares its connections with a store in the same Postgres */
export async function openStore(
  config: Config,
  database: Database,
  options: OpenStoreOptions,
): Promise<OpenStore> {
  const { onWarning } = options
  const { store: url, postgresPrepare: prepare } = config
  if (url === 'memory:') return { store: createMemoryStore(), close: async () => {} }
  if (url.startsWith('sqlite:')) return sqliteStore(url.slice('sqlite:'.length), options)
  if (/^(mysql|mariadb):/.test(url)) {
    const { mysql, pool } = await connectToMysql(url)
    return sqlStore(
      mysql,
      pool,
      () => mysql.createMysqlStore(pool),
      options,
      () => pool.end(),
    )
  }
  if (url.startsWith('dynamodb:')) return dynamoStore(config, options)
  if (!url.startsWith('postgres')) return redisStore(config, onWarning)
  const postgres = await loadPostgres()
  const on = (pool: Pool, own = options, end?: () => Promise<void>) =>
    sqlStore(postgres, pool, () => postgres.createPostgresStore(pool, { prepare }), own, end)
  // The database has already warned about its settings.
  if (database.pool !== undefined && url === config.database)
    return on(database.pool, { ...options, onWarning: () => {} })
  const onError = (error: Error) => onWarning(`A connection to the store broke: ${error.message}`)
  const password = await postgresPassword(config, 'store', onWarning)
  const pool = await postgres.connectToPostgres(url, { onError, password })
  return on(pool, options, () => pool.end())
}

async function sqliteStore(path: string, { migrating, onWarning }: OpenStoreOptions): Promise<OpenStore> {
  if (migrating) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    sqlite.migrate({ path })
  }
  for (const warning of await sqlite.settingsWarnings({ path })) onWarning(warning)
  const store = sqlite.createSqliteStore({ path })
  return { store, probe: store.probe, close: store.close }
}

/** What the packages of SQL servers have in common. */
interface SqlStores<Connections> {
  migrate(pool: Connections): Promise<unknown>
  settingsWarnings(pool: Connections): Promise<readonly string[]>
}

/** @param end closes a pool of its own */
async function sqlStore<Connections>(
  { migrate, settingsWarnings }: SqlStores<Connections>,
  pool: Connections,
  create: () => Promise<Store & { close(): void; probe?(): Promise<void> }>,
  { migrating, onWarning }: OpenStoreOptions,
  end = async (): Promise<void> => {},
): Promise<OpenStore> {
  try {
    if (migrating) await migrate(pool)
    for (const warning of await settingsWarnings(pool)) onWarning(warning)
    const store = await create()
    const close = async () => {
      store.close()
      await end()
    }
    return { store, probe: store.probe, close }
  } catch (error) {
    await end()
    throw error
  }
}

async function redisStore(
  { store: url, waitReplicas: replicas }: Config,
  onWarning: OnWarning,
): Promise<OpenStore> {
  const onError = (error: Error) => onWarning(`The connection to Redis broke: ${error.message}`)
  const redis = await loadRedis()
  const connection = await redis.connectToRedis(url, { onError })
  for (const warning of await redis.settingsWarnings(connection)) onWarning(warning)
  const onShortfall = (acknowledged: number) =>
    onWarning(`Changes are answered with ${acknowledged} of ${replicas} replicas having them`)
  const waitReplicas = replicas > 0 ? { replicas, timeout: REPLICATION_MS, onShortfall } : undefined
  const store = redis.createRedisStore(connection, { waitReplicas })
  const createCounter = countersInRedis(connection.client, (error) =>
    onWarning(`Replicas count for rate limits alone: ${error}`),
  )
  return { store, createCounter, close: async () => connection.destroy() }
}

const REPLICATION_MS = 100

const CONNECT_MS = 1000

/** @throws Error when the server cannot be reached now */
async function connectToMysql(url: string) {
  const [{ createPool }, mysql] = await loadOptional('@grantkit/store-mysql mysql2', () =>
    Promise.all([import('mysql2/promise'), import('@grantkit/store-mysql')]),
  )
  // The driver has no short form for TLS with a verified server.
  const uri = url.replace(/([?&]ssl=)true(?=&|$)/, '$1{"verifyIdentity":true}')
  const pool = createPool({ uri, connectTimeout: CONNECT_MS })
  pool.pool.on('connection', (connection) => {
    // Without a callback an error of the server would end the process. A closed connection fails its statement, which is sent again.
    connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', (error) => {
      if (error) connection.destroy()
    })
  })
  try {
    const connection = await pool.getConnection()
    connection.release()
  } catch (cause) {
    await pool.end()
    const { message, code } = cause as NodeJS.ErrnoException
    throw new Error(`the server cannot be reached: ${message || code}`, { cause })
  }
  return { mysql, pool }
}

/** `dynamodb://table?region=…&endpoint=…`. What it does not say is for the AWS SDK: its environment, its files, the role of the machine. */
function placeInDynamo(url: string) {
  const { hostname: table, searchParams } = new URL(url)
  const [region, endpoint] = ['region', 'endpoint'].map((name) => searchParams.get(name))
  return { table, place: { ...(region && { region }), ...(endpoint && { endpoint }) } }
}

/**
 * @param missing what happens if there is no table, where a start may create it: not in production, because the price, the backups
 *   and the encryption of a table are the operator's. One of an emulator has none of them
 * @throws Error when the table cannot be read within seconds
 */
async function connectToDynamo(
  { store: url, mode }: Pick<Config, 'store' | 'mode'>,
  missing: 'create' | 'accept' | 'refuse',
) {
  const [{ DynamoDBClient }, dynamo] = await loadOptional(
    '@grantkit/store-dynamodb @aws-sdk/client-dynamodb',
    () => Promise.all([import('@aws-sdk/client-dynamodb'), import('@grantkit/store-dynamodb')]),
  )
  const { table, place } = placeInDynamo(url)
  const mayCreate = mode !== 'production' && place.endpoint !== undefined
  // Without the time limits of a request: a start loads credentials and modules, and a table is made in seconds.
  const patient = new DynamoDBClient(place)
  const { clients } = dynamo.createDynamoStore(patient, { table, commandTimeout: START_MS })
  try {
    await clients.find('a start').catch(async (cause: Error) => {
      if (cause.name !== 'ResourceNotFoundException') throw cause
      if (!mayCreate || missing === 'refuse')
        throw new Error(`there is no table ${table}: create it, as ${TEMPLATE} says`, { cause })
      if (missing === 'create') await dynamo.createTable(patient, { table })
    })
  } finally {
    patient.destroy()
  }
  const { credentials } = patient.config
  return { dynamo, client: new DynamoDBClient({ ...dynamo.CLIENT_SETTINGS, ...place, credentials }), table }
}

const START_MS = 10_000
const TEMPLATE = 'the README of @grantkit/store-dynamodb'

async function dynamoStore(config: Config, { migrating, onWarning }: OpenStoreOptions): Promise<OpenStore> {
  const { dynamo, client, table } = await connectToDynamo(config, migrating ? 'create' : 'refuse')
  const warnings = dynamo
    .settingsWarnings({ client, table })
    .catch((error: Error) => [
      `the settings of the table cannot be read (${error.name}): allow dynamodb:DescribeTable, or look at them yourself`,
    ])
  for (const warning of await warnings) onWarning(warning)
  return { store: dynamo.createDynamoStore(client, { table }), close: async () => client.destroy() }
}

/** For a check of the configuration. Rejects when a store of these kinds cannot be reached now. It creates nothing. */
export async function reachStore(url: string, mode: Config['mode']): Promise<void> {
  if (url.startsWith('redis')) {
    const { connectToRedis } = await loadRedis()
    const connection = await connectToRedis(url, { onError: () => {} })
    connection.destroy()
  } else if (url.startsWith('dynamodb:')) {
    const { client } = await connectToDynamo({ store: url, mode }, 'accept')
    client.destroy()
  } else if (/^(mysql|mariadb):/.test(url)) {
    const { pool } = await connectToMysql(url)
    await pool.end()
  }
}
