import type { HttpResponse, Route } from '@grantkit/core'

/** Where a server listens. */
interface Address {
  readonly host: string
  readonly port: number
  /** Whether callers come by https, through whatever ends TLS before the service. */
  readonly https: boolean
}

/** The service on a framework: how it stops. */
interface Listening {
  /** Stops accepting, answers what is under way, then resolves. */
  close(): Promise<void>
}

/** Mounts the service on a framework. @throws Error when the address is taken */
export type Listen = (routes: readonly Route[], address: Address) => Promise<Listening>

/** The answer for every path that is no route's. */
export const NOT_FOUND: HttpResponse = {
  status: 404,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify({ error: 'not_found', error_description: 'There is nothing at this path' }),
}
