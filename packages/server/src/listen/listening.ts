import type { Service } from '../service.ts'

/** The address of a server. */
interface Address {
  readonly host: string
  readonly port: number
  /** Whether responses have `Strict-Transport-Security`: see `sendsHsts`. */
  readonly hsts: boolean
  /** Seconds within which a request with its body must arrive. Default: 30. */
  readonly requestTimeout?: number
}

/** A running service. */
export interface Listening {
  /** Closes each connection after its next response, so that no caller keeps a connection to a stopping server. */
  drain(): void
  /** Stops accepting connections, answers pending requests, then resolves. */
  close(): Promise<void>
}

/**
 * Mounts the OAuth routes by the adapter of a framework, and the application behind them. @throws Error when the address
 * is in use
 */
export type Listen = (service: Pick<Service, 'routes' | 'app'>, address: Address) => Promise<Listening>
