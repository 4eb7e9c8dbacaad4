import type { Server, ServerOptions } from 'node:http'

/**
 * The timeouts of Node for slow requests (CWE-400) and idle connections. Without them a connection stays open for
 * minutes, or on Fastify for ever.
 *
 * @param requestTimeout seconds within which a request with its body must arrive
 */
export function arrivalTimes(requestTimeout = 30) {
  const milliseconds = requestTimeout * 1000
  return {
    // It counts from the connection, so it also bounds one on which nothing is sent.
    headersTimeout: Math.min(milliseconds, 10_000),
    requestTimeout: milliseconds,
    connectionsCheckingInterval: Math.ceil(Math.min(milliseconds / 6, 2000)),
    // Proxies keep a connection for a minute, and cannot repeat a POST that meets its end.
    keepAliveTimeout: 72_000,
  } satisfies ServerOptions
}

/** A quarter of the descriptors is left for files and the connections to stores. On Windows there is no limit. */
export function spareDescriptors(server: Server): void {
  // The report would look up the names of all peers.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as { userLimits?: Record<string, { soft: unknown }> }
  const descriptors = Number(userLimits?.open_files?.soft)
  if (descriptors > 0) server.maxConnections = Math.ceil(descriptors * 0.75)
}
