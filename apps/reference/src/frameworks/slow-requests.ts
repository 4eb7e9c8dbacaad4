import type { ServerOptions } from 'node:http'

/**
 * The times of Node that cut off a sender who does not finish (CWE-400). Without them a connection is held for minutes,
 * or on Fastify for ever.
 *
 * @param requestTimeout seconds in which a request must arrive, its body included
 */
export function arrivalTimes(requestTimeout = 30) {
  const milliseconds = requestTimeout * 1000
  return {
    headersTimeout: milliseconds,
    requestTimeout: milliseconds,
    connectionsCheckingInterval: Math.ceil(milliseconds / 6),
  } satisfies ServerOptions
}
