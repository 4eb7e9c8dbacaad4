import { Duplex } from 'node:stream'
import { PGlite } from '@electric-sql/pglite'
import { Pool } from 'pg'

/** Postgres in this process, in memory: its SQL is real. It has one session, so the pool has one connection, and none competes with another. */
export async function postgresInProcess(): Promise<{ readonly pool: Pool; close(): Promise<void> }> {
  const server = await PGlite.create()
  const pool = new Pool({
    max: 1,
    idleTimeoutMillis: 0,
    user: 'postgres',
    database: 'postgres',
    stream: () => new Connection(server),
  })
  const close = async () => {
    await pool.end()
    await server.close()
  }
  return { pool, close }
}

/** What `pg` takes for a socket. */
class Connection extends Duplex {
  readonly #server: PGlite

  constructor(server: PGlite) {
    super()
    this.#server = server
  }

  connect() {
    // The session outlives a connection, and would remember what the last one prepared.
    this.#server.exec('DISCARD ALL').then(
      () => this.emit('connect'),
      (error: Error) => this.destroy(error),
    )
  }

  override _write(message: Buffer, _: string, done: (error?: Error) => void) {
    this.#server.execProtocolRaw(message).then((answer) => {
      this.push(answer)
      done()
    }, done)
  }

  override _final(done: () => void) {
    this.push(null)
    done()
  }

  override _read() {}
  setNoDelay() {}
  setKeepAlive() {}
  ref() {}
  unref() {}
}
