import type { Server, ServerOptions, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Hono } from 'hono'
import type { Service } from '../service/service.ts'

/** The address of a server. */
export interface Address {
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

/**
 * Reads the address of each connection at once: Node caches it, and the system loses it when the peer resets the
 * connection.
 */
export function rememberCallers(server: Server): void {
  server.on('connection', (socket) => void socket.remoteAddress)
}

/** A client that does not read its response must not block the shutdown for ever. */
const MAX_DRAIN_MS = 10_000

/**
 * Stops a server without breaking requests. Pending requests are answered, and every response closes its connection: a
 * keep-alive connection would delay the shutdown until it times out, and a request that a load balancer sends on it at
 * that moment would be lost, since it may not be sent again.
 *
 * @param server a server that has had no request yet
 */
export function draining(server: Server): Listening {
  const underWay = new Set<ServerResponse>()
  let draining = false
  let closing = false
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (draining) response.setHeader('connection', 'close')
    underWay.add(response)
    response.once('close', () => {
      underWay.delete(response)
      if (closing) server.closeIdleConnections()
    })
  })
  const drain = () => {
    draining = true
    for (const response of underWay) if (!response.headersSent) response.setHeader('connection', 'close')
  }
  return {
    drain,
    close: () =>
      new Promise((resolve) => {
        drain()
        closing = true
        // Runs right after Node has accepted the waiting connections: those that still wait are reset.
        setImmediate(() => {
          server.close(() => resolve())
          server.closeIdleConnections()
        })
        setTimeout(() => server.closeAllConnections(), MAX_DRAIN_MS).unref()
      }),
  }
}

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

/** The status for Node's error about an unparsable request. */
const STATUS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }
const BODY = JSON.stringify({ error: 'invalid_request', error_description: 'This is not an HTTP request' })

/** Rejects an unparsable request in the usual error format, and closes the connection. For `clientError`. */
export function refuseUnreadable({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const lines = [
    `HTTP/1.1 ${STATUS[code] ?? '400 Bad Request'}`,
    ...Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${BODY.length}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${BODY}`, () => socket.destroy())
}

/** The same for a request whose Host and target form no URL. */
function unreadable(): Response {
  return new Response(BODY, { status: 400, headers: HEADERS })
}

/**
 * A Hono application as a listener of Node's server.
 *
 * @param hostname of a request without a Host, as health checks send it in HTTP/1.0
 */
export function nodeListener(app: Pick<Hono, 'fetch'>, hostname: string) {
  return getRequestListener(app.fetch, {
    hostname,
    errorHandler: (error) =>
      error instanceof RequestError ? unreadable() : new Response(null, { status: 500 }),
  })
}

/** For responses that are not pages: if a browser shows one anyway, it runs and loads nothing, and cannot be framed. */
const INERT = "default-src 'none'; frame-ancestors 'none'"

/**
 * Whether the server sends HSTS (RFC 6797): on https, if the host is its own. Below a path the host is another site's, which may
 * have parts without TLS, at other ports or names.
 */
export function sendsHsts(baseUrl: string): boolean {
  const { protocol, pathname } = new URL(baseUrl)
  return protocol === 'https:' && pathname === '/'
}

/**
 * Headers of every response, including the framework's own errors. A route may override them.
 *
 * @param hsts whether to send HSTS: see `sendsHsts`
 */
export function standingHeaders(hsts: boolean): Readonly<Record<string, string>> {
  return {
    'content-security-policy': INERT,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(hsts ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  }
}

/** Sets headers on a response before its handler runs. */
export function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

/** Sets headers on every response. @param server a server that has had no request yet */
export function setOnEach(server: Server, headers: Readonly<Record<string, string>>): void {
  server.prependListener('request', (_request, response: ServerResponse) => setHeaders(response, headers))
}
