/** Cloudflare Workers: a connection belongs to the request that opened it, and no command of a later request is answered on it. */
import { IN_WORKER } from '@grantkit/core/store-kit'

/** @throws Error in a Worker, with what to do there */
export function refuseInWorker(): void {
  if (IN_WORKER)
    throw new Error(
      'A Cloudflare Worker cannot keep a connection to Redis from one request to the next: use createDurableStore of ' +
        '@grantkit/store-cloudflare there, or run the server on Node, Bun or Deno',
    )
}

/** @throws Error in a Worker, if this is a client of `@redis/client`; commands over HTTP have no connection to keep */
export function refuseConnectionInWorker(redis: object): void {
  if ('isOpen' in redis) refuseInWorker()
}
