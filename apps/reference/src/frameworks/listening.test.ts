import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { HttpRequest } from '@grantkit/core'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenOn } from '../../test/listening.ts'
import { FRAMEWORKS } from './frameworks.ts'

/** Node publishes it when it has read the head of a request, before a listener sees the request. */
const REQUEST = 'http.server.request.start'

describe.each(Object.entries(FRAMEWORKS))('on %s', (_, listen) => {
  it.each(['/route', '/app'])(
    'a handler of %s knows its caller, whose connection has ended',
    async (path) => {
      const { promise: caller, resolve } = Promise.withResolvers<string | undefined>()
      const route = async ({ remoteAddress }: HttpRequest) => {
        resolve(remoteAddress)
        return { status: 200, headers: {}, body: '' }
      }
      const app = new Hono().get('/app', (c) => {
        resolve(getConnInfo(c).remote.address)
        return c.text('')
      })
      const service = { routes: [{ path: '/route', methods: ['GET'], handle: route }], app }
      const { port } = await listenOn(listen, service)
      const end = (message: unknown) => {
        const { socket } = message as { socket: Socket }
        if (socket.localPort === port) socket.destroy()
      }
      subscribe(REQUEST, end)
      onTestFinished(() => void unsubscribe(REQUEST, end))
      await expect(fetch(`http://127.0.0.1:${port}${path}`)).rejects.toThrow()
      expect(await caller).toBe('127.0.0.1')
    },
  )

  it('a port in use fails the start with the error code of the system', async () => {
    const service = { routes: [], app: new Hono() }
    const { port } = await listenOn(listen, service)
    await expect(listen(service, { host: '127.0.0.1', port, hsts: false })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })
})
