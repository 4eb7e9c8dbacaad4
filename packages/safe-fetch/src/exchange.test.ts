import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { certificateAuthority } from '@grantkit/test-servers/certificate-authority'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exchange, type Route } from './exchange.ts'

const authority = certificateAuthority()
const LISTENING = '127.0.0.2'
/** Other tests listen at 127.0.0.1, so a port there may be taken. */
const REFUSING = '127.0.0.3'

describe('a connection', () => {
  it('that leads to a private address is closed before a byte is sent, whatever was checked before', async () => {
    const server = createServer()
    const port = await portOf(server)
    const received = once(server, 'connection').then(async ([socket]) =>
      Buffer.concat(await socket.toArray()),
    )
    const fault = await exchangeBy({ addresses: [LISTENING], port }).catch((error) => error)
    expect(fault).toMatchObject({ code: 'address', message: expect.stringContaining(LISTENING) })
    expect(String(await received)).toBe('')
  })

  it('is made to the next address if the first one refuses it', async () => {
    const port = await portOf(
      createHttpsServer(authority.issue('app.dev'), (_, response) => response.end('{}')),
    )
    const response = await exchangeBy({ addresses: [REFUSING, LISTENING], port, mayBeLocal: true })
    expect(response).toMatchObject({ status: 200, body: '{}' })
  })

  it.each([
    [4, { status: 200, body: '{}' }],
    [5, { code: 'size', message: expect.stringMatching(/\w/) }],
  ])('with %d interim responses before the answer leads to %j', async (interim, expected) => {
    const port = await portOf(
      createHttpsServer(authority.issue('app.dev'), (_, response) => {
        for (let n = 0; n < interim; n++) response.writeEarlyHints({ link: '</style.css>; rel=preload' })
        setImmediate(() => response.end('{}'))
      }),
    )
    const answer = exchangeBy({ addresses: [LISTENING], port, mayBeLocal: true }).catch((error) => error)
    expect(await answer).toMatchObject(expected)
  })

  it('that is refused has a cause for the operator', async () => {
    const port = await portOf(createServer())
    const fault = await exchangeBy({ addresses: [REFUSING], port, mayBeLocal: true }).catch((error) => error)
    expect(fault).toMatchObject({ code: 'connect', cause: { code: 'ECONNREFUSED' } })
  })
})

function exchangeBy(route: Route) {
  const { signal } = new AbortController()
  const request = { url: new URL('https://app.dev/c'), headers: {}, maxBytes: 5120, signal, ca: authority.ca }
  return exchange(request, route)
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, LISTENING)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
