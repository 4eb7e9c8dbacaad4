import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { createMysqlStore, migrate as migrateMysql } from '@grantkit/store-mysql'
import { connectToPostgres, createPostgresStore, migrate as migratePostgres } from '@grantkit/store-postgres'
import { connectToRedis, createRedisStore } from '@grantkit/store-redis'
import { createSqliteStore, migrate as migrateSqlite } from '@grantkit/store-sqlite'
import { delayed } from '@grantkit/test-servers/delayed'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { startPostgres } from '@grantkit/test-servers/postgres-server'
import { startRedis } from '@grantkit/test-servers/redis-server'
import { createPool } from 'mysql2/promise'

/** Each with its own real server, and a connection for each of two replicas. */
export interface Stores {
  readonly stores: readonly Store[]
  close(): Promise<void>
}

/** A busy machine is not the subject. */
const PATIENT = { commandTimeout: 10_000 }
const REPLICAS = [1, 2]

export const STORES: Readonly<Record<string, () => Promise<Stores>>> = {
  async memory() {
    const store = delayed(createMemoryStore())
    return { stores: [store, store], close: async () => {} }
  },

  async SQLite() {
    const folder = await folderInMemory('torture')
    const path = join(folder, 'grantkit.db')
    migrateSqlite({ path })
    const files = REPLICAS.map(() => createSqliteStore({ path }))
    const remove = () => rm(folder, { recursive: true })
    return { stores: files.map((file) => delayed(file)), close: closing(...files.map(closeOf), remove) }
  },

  async Postgres() {
    const server = await startPostgres()
    const pools = await Promise.all(REPLICAS.map(() => connectToPostgres(server.url)))
    if (pools[0] !== undefined) await migratePostgres(pools[0])
    const stores = await Promise.all(pools.map((pool) => createPostgresStore(pool, PATIENT)))
    return {
      stores,
      close: closing(...stores.map(closeOf), ...pools.map((pool) => () => pool.end()), server.close),
    }
  },

  async Redis() {
    const server = await startRedis()
    const connections = await Promise.all(REPLICAS.map(() => connectToRedis(server.url)))
    const stores = connections.map((redis) => createRedisStore(redis, PATIENT))
    const leave = connections.map((redis) => async () => redis.destroy())
    return { stores, close: closing(...leave, server.close) }
  },

  async MySQL() {
    const server = await startMariaDb()
    const pools = REPLICAS.map(() => createPool({ uri: server.url }))
    if (pools[0] !== undefined) await migrateMysql(pools[0])
    const stores = await Promise.all(pools.map((pool) => createMysqlStore(pool, PATIENT)))
    return {
      stores,
      close: closing(...stores.map(closeOf), ...pools.map((pool) => () => pool.end()), server.close),
    }
  },
}

const closeOf = (store: { close(): unknown }) => async () => store.close()

/** One after the other. */
function closing(...steps: readonly (() => Promise<unknown>)[]): () => Promise<void> {
  return async () => {
    for (const step of steps) await step()
  }
}
