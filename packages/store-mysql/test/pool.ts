import type { MariaDbServer } from '@grantkit/test-servers/mariadb-server'
import { createPool, type Pool, type PoolOptions } from 'mysql2/promise'

/** A pool as the README makes it, but for its time limit. */
export function poolOf(server: Pick<MariaDbServer, 'url'>, options: PoolOptions = {}): Pool {
  const pool = createPool({ uri: server.url, connectTimeout: 20_000, ...options })
  pool.pool.on('connection', (connection) => {
    connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', (error) => {
      if (error) connection.destroy()
    })
  })
  return pool
}

/** Epoch seconds. */
export function soon(): number {
  return Math.floor(Date.now() / 1000) + 600
}

/** Options of a store: a busy machine is not the subject of the tests, and neither is a sweep that comes by itself. */
export const PATIENT = { commandTimeout: 20_000, sweeping: false }
