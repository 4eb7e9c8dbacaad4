import { Pool, type PoolConfig } from 'pg'

/** Options of a store: a busy machine is not the subject of the tests, and neither is a sweep that comes by itself. */
export const PATIENT = { commandTimeout: 20_000, sweeping: false }

export const DISTRIBUTED = { ...PATIENT, dialect: 'distributed' } as const

/** A pool without the time limits of `connectToPostgres`. */
export function poolOf(url: string, options: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString: url, idleTimeoutMillis: 0, ...options }).on('error', () => {})
  // A statement under way fails by itself.
  return pool.on('connect', (client) => client.on('error', () => {}))
}

/** Epoch seconds. */
export function soon(): number {
  return Math.floor(Date.now() / 1000) + 600
}
