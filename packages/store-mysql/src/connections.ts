import type { Pool, PoolConnection } from 'mysql2/promise'

export interface Connections {
  /** The number of calls that wait for a connection, which the pool does not tell. */
  readonly waiting: () => number
  borrow(): Promise<PoolConnection>
}

export function connectionsOf(pool: Pool): Connections {
  let waiting = 0
  return {
    waiting: () => waiting,
    async borrow() {
      waiting++
      try {
        return await pool.getConnection()
      } finally {
        waiting--
      }
    },
  }
}

/** mysql2 would wait for the other side to close it, and a machine that lost its network never does. */
export function destroy(connection: PoolConnection): void {
  connection.destroy()
  const { stream } = connection.connection as { stream?: { destroy?: () => void } }
  stream?.destroy?.()
}
