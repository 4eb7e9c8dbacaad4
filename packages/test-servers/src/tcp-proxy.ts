import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A loopback network between a client and a server, with faults on demand. */
export interface TcpProxy {
  readonly port: number
  readonly url: string
  /** Drops the answers of the server, also those that are under way; `false` lets answers through again. */
  loseReplies: boolean
  /** Drops everything in both directions, without closing a connection. */
  cut: boolean
  /** The delay of every answer in milliseconds. */
  latency: () => number
  /** The next answer is kept back until this promise ends, and so is what follows it on its connection. */
  nextAnswer: Promise<void> | undefined
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
    /** TCP never leaves a gap: a connection that has lost bytes is reset as soon as the network delivers again. */
    let torn = false
    client.on('data', (bytes) => {
      if (torn && !network.cut && !network.loseReplies) client.destroy()
      else if (network.cut) torn = true
      else upstream.write(bytes)
    })
    let delivery = Promise.resolve()
    upstream.on('data', (bytes) => {
      const late = network.latency()
      const held = network.nextAnswer
      network.nextAnswer = undefined
      // A late answer delays the next ones: a connection keeps its order.
      const arrival = Date.now() + late
      delivery = Promise.all([delivery, held])
        .then(() => (late > 0 ? sleep(Math.max(arrival - Date.now(), 0)) : undefined))
        .then(() => {
          if (network.cut || network.loseReplies) torn = true
          if (!torn) client.write(bytes)
        })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const network: TcpProxy = {
    port,
    url: `redis://127.0.0.1:${port}`,
    loseReplies: false,
    cut: false,
    latency: () => 0,
    nextAnswer: undefined,
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
