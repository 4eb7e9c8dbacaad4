import { Connection } from '../connection.ts'
import type { Exchange } from './exchange.ts'

/** Keep-alive connections, and the exchanges that take turns on them. An exchange is on one connection at a time. */
export class Lanes {
  readonly #connections: Connection[]
  readonly #idle: Connection[]
  /** The one that has rested longest is next. */
  readonly #resting: Exchange[]
  #failed: (error: Error) => void
  /** Rejects when an answer is wrong or a connection breaks. */
  readonly failure: Promise<never>

  static async open(port: number, connections: number, exchanges: readonly Exchange[]): Promise<Lanes> {
    const { promise, reject } = Promise.withResolvers<never>()
    const opening = Array.from({ length: connections }, () => Connection.open(port, reject))
    return new Lanes(await Promise.race([promise, Promise.all(opening)]), exchanges, promise, reject)
  }

  private constructor(
    connections: Connection[],
    exchanges: readonly Exchange[],
    failure: Promise<never>,
    failed: (error: Error) => void,
  ) {
    this.#connections = connections
    this.#idle = [...connections]
    this.#resting = [...exchanges]
    this.failure = failure
    this.#failed = failed
    failure.catch(() => {})
  }

  /** @returns false if no connection, or no exchange, is free */
  begin(ended: () => void): boolean {
    if (this.#idle.length === 0 || this.#resting.length === 0) return false
    const connection = this.#idle.pop() as Connection
    const exchange = this.#resting.shift() as Exchange
    this.#send(connection, exchange, exchange.first(), () => {
      this.#idle.push(connection)
      this.#resting.push(exchange)
      ended()
    })
    return true
  }

  #send(connection: Connection, exchange: Exchange, request: Buffer, ended: () => void): void {
    connection.send(request, (status, body, head) => {
      try {
        const next = exchange.next({ status, head, body: String(body) })
        if (next === undefined) ended()
        else this.#send(connection, exchange, next, ended)
      } catch (error) {
        this.#failed(error as Error)
      }
    })
  }

  close(): void {
    this.#failed = () => {}
    for (const connection of this.#connections) connection.close()
  }
}
