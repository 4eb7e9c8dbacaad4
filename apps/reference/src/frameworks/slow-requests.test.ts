import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { prefetch } from '@grantkit/server/routes'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenOn } from '../../test/listening.ts'
import { FRAMEWORKS } from './frameworks.ts'

const ROUTE = {
  path: '/form',
  methods: ['POST'],
  handle: async () => ({ status: 200, headers: {}, body: 'done' }),
}
const SERVICE = {
  routes: [ROUTE],
  app: new Hono().post('/app', prefetch, (c) => c.text('done')),
}
const HALF_A_BODY = 'POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\nhalf'

describe.each(Object.entries(FRAMEWORKS))('on %s', (_, listen) => {
  it.each([
    ['headers', 'POST /form HTTP/1.1\r\nHost: a\r\nX-Slow: '],
    ['a body', HALF_A_BODY],
    ['a body to the application', HALF_A_BODY.replace('/form', '/app')],
    ['a body to no route', HALF_A_BODY.replace('/form', '/nowhere')],
  ])('a sender that never finishes %s is cut off', async (_, half) => {
    const { port } = await listenOn(listen, SERVICE, { requestTimeout: 0.2 })
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    socket.write(half)
    const trickle = setInterval(() => socket.write('x'), 20)
    onTestFinished(() => clearInterval(trickle))
    // A byte that arrives after the response resets the connection, and the response may be lost.
    expect(await text(socket).catch(() => '')).toMatch(/^(HTTP\/1\.1 4|$)/)
  })

  it('a caller that connects and sends nothing is cut off', async () => {
    const { port } = await listenOn(listen, SERVICE, { requestTimeout: 0.2 })
    expect(await text(connect(port, '127.0.0.1'))).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('an idle connection is kept longer than proxies keep it, which is a minute', async () => {
    const { port } = await listenOn(listen, SERVICE)
    const { headers } = await fetch(`http://127.0.0.1:${port}/form`, { method: 'POST' })
    expect(headers.get('keep-alive')).toBe('timeout=72')
  })
})
