import { once } from 'node:events'
import { connect } from 'node:net'
import type { HttpRequest } from '@grantkit/core'
import { freePort } from '@grantkit/test-servers/free-port'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { FRAMEWORKS } from './frameworks.ts'

describe.each(Object.entries(FRAMEWORKS))('on %s', (_, listen) => {
  it.each(['/route', '/app'])(
    'a handler of %s knows its caller, who may have reset the connection since',
    async (path) => {
      const callers: (string | undefined)[] = []
      const route = async ({ remoteAddress }: HttpRequest) => {
        callers.push(remoteAddress)
        return { status: 200, headers: {}, body: '' }
      }
      const app = new Hono().get('/app', (c) => {
        callers.push(getConnInfo(c).remote.address)
        return c.text('')
      })
      const port = await freePort()
      const service = { routes: [{ path: '/route', methods: ['GET'], handle: route }], app }
      const listening = await listen(service, { host: '127.0.0.1', port, https: false })
      const askAndReset = async () => {
        const socket = connect(port, '127.0.0.1').on('error', () => {})
        await once(socket, 'connect')
        socket.write('GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n')
        await once(socket, 'data')
        socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
        socket.resetAndDestroy()
      }
      const requests = async () => {
        await Promise.all(Array.from({ length: 20 }, askAndReset))
        return callers.length
      }
      // The reset often arrives before its requests, which are then lost.
      await expect.poll(requests, { timeout: 20_000 }).toBeGreaterThan(100)
      expect(new Set(callers)).toEqual(new Set(['127.0.0.1']))
      await listening.close()
    },
  )

  it('a port in use fails the start with the error code of the system', async () => {
    const port = await freePort()
    const address = { host: '127.0.0.1', port, https: false }
    const service = { routes: [], app: new Hono() }
    const listening = await listen(service, address)
    await expect(listen(service, address)).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await listening.close()
  })
})
