import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { FetchFailure } from './fetch-failure.ts'
import { isPublicAddress } from './public-address.ts'

/** Where the packets go. */
export interface Endpoint {
  readonly address: string
  readonly port: number
  /** Only for tests on one machine. */
  readonly mayBeLocal?: boolean
}

/**
 * A TCP connection to the first endpoint that accepts one.
 *
 * @param signal closes the connection when it is aborted, at any time
 */
export async function connectToFirst(endpoints: readonly Endpoint[], signal: AbortSignal): Promise<Socket> {
  let cause: unknown
  for (const endpoint of endpoints) {
    try {
      return await connectTo(endpoint, signal)
    } catch (thrown) {
      signal.throwIfAborted()
      if (thrown instanceof FetchFailure) throw thrown
      cause = thrown
    }
  }
  throw new FetchFailure('connect', 'No address accepts a connection', cause)
}

async function connectTo(
  { address, port, mayBeLocal = false }: Endpoint,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connectTcp({ host: address, port, signal })
  // What fails is told to whoever waits; an error that comes later must not end the process.
  socket.on('error', () => {})
  await once(socket, 'connect', { signal })
  if (mayBeLocal || isPublicAddress(socket.remoteAddress ?? '')) return socket
  socket.destroy()
  throw new FetchFailure('address', `The connection leads to ${socket.remoteAddress}, which is not public`)
}

/** TLS on a connection to an address, with the certificate verified for the name, whatever the environment says. */
export async function secure(
  socket: Socket,
  name: string,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const connection = connectTls({
    socket,
    servername: name,
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  })
  connection.on('error', () => {})
  try {
    await once(connection, 'secureConnect', { signal })
    return connection
  } catch (thrown) {
    signal.throwIfAborted()
    throw new FetchFailure('tls', `No secure connection to ${name}`, thrown)
  }
}
