import type { Route } from '@grantkit/core'
import { freePort } from '@grantkit/test-servers/free-port'
import { expect, it } from 'vitest'
import { listenOnFastify } from './fastify.ts'

it('answers what is under way before it stops, and takes nothing new', async () => {
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
  const slow: Route = {
    path: '/slow',
    methods: ['GET'],
    async handle() {
      start()
      await finished
      return { status: 200, headers: {}, body: 'done' }
    },
  }
  const port = await freePort()
  const listening = await listenOnFastify([slow], { host: '127.0.0.1', port, https: false })
  const answer = fetch(`http://127.0.0.1:${port}/slow`)
  await started
  const closed = listening.close()
  await expect(fetch(`http://127.0.0.1:${port}/slow`)).rejects.toThrow()
  finish()
  expect(await (await answer).text()).toBe('done')
  await closed
})
