import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A network between a client and a server, on loopback, that can be made bad. */
export interface TcpProxy {
  readonly url: string
  /** What the server answers is lost, though it has done what it was asked; `false` again lets answers through. */
  loseReplies: boolean
  /** Nothing goes through in either direction, and nobody is told. */
  cut: boolean
  /** Milliseconds that every answer is late. */
  latency: () => number
  /** Ends every connection at once. */
  reset(): void
  close(): Promise<void>
}

export async function startProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          client.destroy()
          upstream.destroy()
        })
    }
    client.on('data', (bytes) => {
      if (!network.cut) upstream.write(bytes)
    })
    let delivery = Promise.resolve()
    upstream.on('data', (bytes) => {
      if (network.cut || network.loseReplies) return
      const late = network.latency()
      // What comes late holds up what comes after it: a connection keeps its order.
      const arrival = Date.now() + late
      delivery = delivery
        .then(() => (late > 0 ? sleep(Math.max(arrival - Date.now(), 0)) : undefined))
        .then(() => void client.write(bytes))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const network: TcpProxy = {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseReplies: false,
    cut: false,
    latency: () => 0,
    reset() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      network.reset()
      server.close()
    },
  }
  return network
}
