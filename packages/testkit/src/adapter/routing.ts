import { describe, expect, it } from 'vitest'
import { send } from './raw-http.ts'
import type { Target } from './target.ts'

/** A path reaches its route, unchanged. */
export function routingPromises(target: Target): void {
  describe('a route', () => {
    it.each([
      '/.well-known/oauth-authorization-server',
      '/things/42',
      '/things/a-b_c.d~e',
      '/things/%7Ea%20b',
      '/things/a%2Fb',
      '/things/%E2%82%AC',
      '/things/:id',
      '/things/1/parts/2',
    ])('is reached by the path %s, which stays as it stands', async (path) => {
      const { status } = await send(target.url, { target: `${path}?a=%2F` })
      expect(status).toBe(200)
      expect(target.recorder.only()).toMatchObject({ path, query: 'a=%2F' })
    })

    it('with a parameter answers every method', async () => {
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS']) {
        target.recorder.reset()
        await send(target.url, { method, target: '/things/42' })
        expect(target.recorder.only()).toMatchObject({ method, path: '/things/42' })
      }
    })

    it.each(['/', '/things', '/things/1/2', '/things/1/parts', '/echo/more', '/nowhere', '/echo%2Fmore'])(
      'is not reached by the path %s',
      async (path) => {
        expect((await send(target.url, { target: path })).status).toBe(404)
        expect(target.recorder.requests).toHaveLength(0)
      },
    )

    it('survives a path that cannot be decoded', async () => {
      expect((await send(target.url, { target: '/things/%zz' })).status).toBeLessThan(500)
    })
  })
}
