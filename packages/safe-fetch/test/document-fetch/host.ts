import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls'

/** Answers a request, both as raw text. Nothing is corrected, so it can answer what no HTTP server would. */
export type Serve = (connection: TLSSocket, request: string, host: Host) => void

/** A TLS server of one name on this machine. */
export interface Host {
  readonly port: number
  /** The requests that it got, as raw text. */
  readonly requests: readonly string[]
  /** The connections that it accepted and that are open. */
  readonly open: ReadonlySet<Socket>
  /** Breaks every connection, without a word of TLS. */
  reset(): void
  close(): void
}

export async function startHost(options: TlsOptions, serve: Serve): Promise<Host> {
  const requests: string[] = []
  const open = new Set<Socket>()
  const server = createServer(options, (connection) => {
    connection.on('error', () => {})
    connection.once('data', (request) => {
      requests.push(request.toString('latin1'))
      serve(connection, request.toString('latin1'), host)
    })
  })
  server.on('connection', (socket) => {
    open.add(socket)
    socket.on('error', () => {}).once('close', () => open.delete(socket))
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const reset = () => {
    for (const socket of open) socket.resetAndDestroy()
  }
  const close = () => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  const host = { port: (server.address() as AddressInfo).port, requests, open, reset, close }
  return host
}
