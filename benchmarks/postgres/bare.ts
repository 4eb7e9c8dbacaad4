import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { aGrant } from '../../packages/testkit/src/sample-records.ts'

/** The statements of the store, sent by the driver alone. */

export const END = Math.floor(Date.now() / 1000) + 86_400
export const VERSION = 'v'.repeat(22)
const TABLE = 'grantkit_grant'

const grant = aGrant({
  scopes: ['openid', 'profile', 'courses:read', 'courses:write', 'students:read'],
})
export const RECORD = JSON.stringify({ schema: 1, value: grant })

/** The id of the nth grant of `fill`. */
export function idOf(n: number): string {
  return createHash('sha256').update(`${n}`).digest('hex').slice(0, 22)
}

/** Adds grants with random ids up to a number. */
export async function fill(pool: Pool, from: number, to: number): Promise<void> {
  await pool.query(
    `INSERT INTO ${TABLE} (id, subject, version, value, expires_at)
    SELECT left(encode(sha256(n::text::bytea), 'hex'), 22), left(encode(sha256(n::text::bytea), 'hex'), 43), $1, $2, $3
    FROM generate_series($4::int, $5::int) AS n`,
    [VERSION, RECORD, END, from, to - 1],
  )
  await pool.query(`VACUUM ANALYZE ${TABLE}`)
}

export async function findBare(pool: Pool, id: string): Promise<{ value: string; version: string }> {
  const text = `SELECT value, version FROM ${TABLE} WHERE id = $1 AND expires_at > $2`
  const { rows } = await pool.query({ name: 'find', text, values: [id, now()] })
  return rows[0]
}

/** @param version written again, so that every replacement succeeds, also under concurrency */
export async function replaceBare(pool: Pool, id: string, value: string, version: string): Promise<void> {
  const text = `UPDATE ${TABLE} SET value = $2, version = $3, expires_at = $4
    WHERE id = $1 AND version IN ($3, $5) AND expires_at > $6`
  await pool.query({ name: 'replace', text, values: [id, value, version, END, version, now()] })
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
