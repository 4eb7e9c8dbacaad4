import type { Service } from '../service.ts'

/** The address of a server. */
interface Address {
  readonly host: string
  readonly port: number
  /** Whether callers use https, with TLS ended in front of the service. */
  readonly https: boolean
  /** Seconds in which a request must arrive, its body included. Default: 30. */
  readonly requestTimeout?: number
}

/** A running service. */
export interface Listening {
  /** Ends each connection with its next answer, so that callers keep none that ends with the server. */
  drain(): void
  /** Accepts no more connections, answers running requests, then resolves. */
  close(): Promise<void>
}

/**
 * Mounts the OAuth routes by the adapter of a framework, and the application behind them. @throws Error when the address
 * is in use
 */
export type Listen = (service: Pick<Service, 'routes' | 'app'>, address: Address) => Promise<Listening>
