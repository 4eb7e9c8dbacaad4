import type { ServerOptions } from 'node:http'

/**
 * The timeouts of Node for slow requests (CWE-400). Without them a connection stays open for minutes, or on Fastify for
 * ever.
 *
 * @param requestTimeout seconds within which a request with its body must arrive
 */
export function arrivalTimes(requestTimeout = 30) {
  const milliseconds = requestTimeout * 1000
  return {
    headersTimeout: milliseconds,
    requestTimeout: milliseconds,
    connectionsCheckingInterval: Math.ceil(milliseconds / 6),
  } satisfies ServerOptions
}
