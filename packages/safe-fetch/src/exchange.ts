import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import type { DocumentFetchFault, DocumentFetchResponse } from '@grantkit/core/client-documents'
import { textOf } from './body.ts'
import { FetchFailure } from './fetch-failure.ts'
import { isPublicAddress } from './public-address.ts'

const MAX_HEADER_BYTES = 8 * 1024
/** Interim responses (103 Early Hints) before the response. Each has headers of its own, and a host can send any number. */
const MAX_INTERIM_RESPONSES = 4
/** Then the next address gets a connection attempt too. */
const ATTEMPT_MS = 1000

/** One GET, or one POST. */
export interface Exchange {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Of the response. */
  readonly maxBytes: number
  /** What is posted. Absent for a GET. The body of the response to a POST is not read. */
  readonly posted?: string | undefined
  /** Closes the connection when it is aborted, at any time. */
  readonly signal: AbortSignal
  /** The certificate authority to trust instead of the public ones, as PEM. */
  readonly ca: string | undefined
}

/** Where the packets go. */
export interface Route {
  readonly addresses: readonly string[]
  /** Default: the port of the URL. */
  readonly port?: number
  /** Only for tests on one machine. */
  readonly mayBeLocal?: boolean
}

/** One request on a connection of its own. The body of a response other than 200 is not read, and is empty. */
export async function exchange(request: Exchange, route: Route): Promise<DocumentFetchResponse> {
  let phase: DocumentFetchFault = 'connect'
  const outgoing = requestTo(request, route)
  // An error is thrown to the caller; one that comes later must not end the process.
  outgoing.on('error', () => {})
  outgoing.once('socket', (socket) => {
    // Before the handler of TLS, so that no byte is sent to an address that is not public.
    socket.prependOnceListener('connect', () => {
      phase = 'tls'
      if (!route.mayBeLocal && !isPublicAddress(socket.remoteAddress ?? ''))
        outgoing.destroy(privateAddress(socket))
    })
    socket.once('secureConnect', () => {
      phase = 'connect'
    })
  })
  try {
    const [response] = await once(outgoing.end(request.posted), 'response')
    const status = response.statusCode ?? 0
    const isRead = status === 200 && request.posted === undefined
    const body = isRead ? await bodyOf(response, request.maxBytes) : ''
    return { status, headers: headersOf(response), body }
  } catch (thrown) {
    throw failureOf(thrown, phase)
  }
}

function requestTo({ url, headers, posted, signal, ca }: Exchange, route: Route): ClientRequest {
  // Not imported: Workers of older compatibility dates lack it, and never come here.
  const outgoing = process.getBuiltinModule('node:https').request(url, {
    // With a connection of its own there is no agent: no pool, no proxy of the environment.
    createConnection: () => connectionTo(url, route, ca),
    method: posted === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...lengthOf(posted), host: url.host },
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
    signal,
  })
  let interim = 0
  outgoing.on('information', () => {
    interim += 1
    if (interim > MAX_INTERIM_RESPONSES)
      outgoing.destroy(new FetchFailure('size', 'Too many interim responses'))
  })
  return outgoing
}

/** Known before the body is sent: a receiver may refuse chunks. */
function lengthOf(posted: string | undefined): Record<string, string> {
  return posted === undefined ? {} : { 'content-length': String(Buffer.byteLength(posted)) }
}

/** TLS to one of the addresses of the route, with the certificate verified for the name, whatever the environment says. */
function connectionTo({ hostname, port }: URL, route: Route, ca: string | undefined): TLSSocket {
  const found = route.addresses.map((address) => ({ address, family: isIP(address) }))
  return connect({
    host: hostname,
    port: route.port ?? Number(port || 443),
    servername: hostname,
    // Node expects the addresses later: an attempt that fails at once would find a socket without a handle.
    lookup: (_name, _options, callback) => process.nextTick(callback, null, found),
    // Options of `net.connect`, which the types of `node:tls` lack.
    ...{ autoSelectFamily: true, autoSelectFamilyAttemptTimeout: ATTEMPT_MS },
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ca,
  })
}

function privateAddress({ remoteAddress }: Socket): FetchFailure {
  return new FetchFailure('address', `The connection leads to ${remoteAddress}, which is not public`)
}

function bodyOf(response: IncomingMessage, maxBytes: number): Promise<string> {
  const { 'content-encoding': encoding, 'content-length': length } = response.headers
  return textOf({ encoding, length, chunks: response }, maxBytes)
}

function headersOf({ headersDistinct }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]),
  )
}

function failureOf(thrown: unknown, phase: DocumentFetchFault): FetchFailure {
  if (thrown instanceof FetchFailure) return thrown
  const { code, message } = thrown as NodeJS.ErrnoException
  if (code === 'HPE_HEADER_OVERFLOW')
    return new FetchFailure('size', `The headers are larger than ${MAX_HEADER_BYTES} bytes`, thrown)
  return new FetchFailure(phase, `The connection failed: ${message}`, thrown)
}
