import type { HttpResponse, Route } from '@grantkit/core'

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
interface Listening {
  /** Accepts no more connections, answers running requests, then resolves. */
  close(): Promise<void>
}

/** Mounts the service on a framework. @throws Error when the address is in use */
export type Listen = (routes: readonly Route[], address: Address) => Promise<Listening>

/** The answer for an unknown path. */
export const NOT_FOUND: HttpResponse = {
  status: 404,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify({ error: 'not_found', error_description: 'There is nothing at this path' }),
}
