import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectToFirst } from './connect.ts'

describe('a connection', () => {
  const address = '127.0.0.1'
  let server: Server
  let port: number
  let closedPort: number
  let received = ''
  beforeAll(async () => {
    server = createServer((socket) => socket.on('data', (data) => (received += data)).on('error', () => {}))
    port = await listen(server)
    const closed = createServer()
    closedPort = await listen(closed)
    closed.close()
  })
  afterAll(() => void server.close())

  it('that leads inward is closed before a byte is sent, whatever was judged before', async () => {
    const closed = once(server, 'connection').then(([socket]) => once(socket, 'close'))
    const fault = await connectToFirst([{ address, port }], signal()).catch((error) => error)
    expect(fault).toMatchObject({ code: 'address', message: expect.stringContaining(address) })
    await closed
    expect(received).toBe('')
  })

  it('is made to the next address if nobody accepts it at the first', async () => {
    const places = [closedPort, port].map((each) => ({ address, port: each, mayBeLocal: true }))
    const socket = await connectToFirst(places, signal())
    expect(socket.remotePort).toBe(port)
    socket.destroy()
  })

  it('that nobody accepts has a cause for the operator', async () => {
    const fault = await connectToFirst([{ address, port: closedPort, mayBeLocal: true }], signal()).catch(
      (error) => error,
    )
    expect(fault).toMatchObject({ code: 'connect', cause: { code: 'ECONNREFUSED' } })
  })
})

function signal(): AbortSignal {
  return new AbortController().signal
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
