import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { listenOn } from '../../test/listening.ts'
import { FRAMEWORKS } from './frameworks.ts'

describe.each(Object.entries(FRAMEWORKS))('on %s', (_, listen) => {
  it.each(['/route', '/app'])(
    'pending requests at %s are answered before the end, and new ones are not',
    async (path) => {
      const { promise: started, resolve: start } = Promise.withResolvers<void>()
      const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
      const slowly = async () => {
        start()
        await finished
      }
      const handle = async () => slowly().then(() => ({ status: 200, headers: {}, body: 'done' }))
      const service = {
        routes: [{ path: '/route', methods: ['GET'], handle }],
        app: new Hono().get('/app', async (c) => slowly().then(() => c.text('done'))),
      }
      const { port, close } = await listenOn(listen, service)
      const answer = fetch(`http://127.0.0.1:${port}${path}`)
      await started
      const closed = close()
      await expect(fetch(`http://127.0.0.1:${port}${path}`)).rejects.toThrow()
      finish()
      expect(await (await answer).text()).toBe('done')
      await closed
    },
  )

  it.each(['/route', '/app'])(
    'an answer of %s while it drains ends its connection, and no request',
    async (path) => {
      const handle = async () => ({ status: 200, headers: {}, body: 'done' })
      const service = {
        routes: [{ path: '/route', methods: ['GET'], handle }],
        app: new Hono().get('/app', (c) => c.text('done')),
      }
      const { port, drain } = await listenOn(listen, service)
      const connection = async () =>
        (await fetch(`http://127.0.0.1:${port}${path}`)).headers.get('connection')
      expect(await connection()).toBe('keep-alive')
      drain()
      expect([await connection(), await connection()]).toEqual(['close', 'close'])
    },
  )
})
