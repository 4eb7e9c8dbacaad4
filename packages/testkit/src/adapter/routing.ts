import { describe, expect, it } from 'vitest'
import { send } from './raw-http.ts'
import { PATTERN_LIKE_PATHS } from './recorder.ts'
import type { Target } from './target.ts'

/** A path reaches its route, unchanged. */
export function routingPromises(target: Target): void {
  describe('a route', () => {
    it.each([
      '/.well-known/oauth-authorization-server',
      '/things',
      '/things/parts',
      '/caf%C3%A9',
      ...PATTERN_LIKE_PATHS,
    ])('is reached by its path %s, which stays as it stands', async (path) => {
      const { status } = await send(target.url, { target: `${path}?a=%2F` })
      expect(status).toBe(200)
      expect(target.recorder.only()).toMatchObject({ path, query: 'a=%2F' })
    })

    it.each([
      '/',
      '/parts',
      '/things/1',
      '/things/parts/1',
      '/echo/more',
      '/nowhere',
      '/echo%2Fmore',
      '/x/token',
      '/tenantx/token',
      '/star/parts/token',
      '/aXbcc/token',
    ])('is not reached by the path %s', async (path) => {
      expect((await send(target.url, { target: path })).status).toBe(404)
      expect(target.recorder.requests).toHaveLength(0)
    })

    it.each(['/family/a', '/family/a/b', '/family/', '/family/a%2Fb', '/family/Literal'])(
      'of all below a path is reached by %s, which stays as it stands',
      async (path) => {
        expect((await send(target.url, { target: path })).status).toBe(200)
        expect(target.recorder.only()).toMatchObject({ path })
      },
    )

    it('of all below a path is not that path, and leaves a literal one to its own route', async () => {
      expect((await send(target.url, { target: '/family' })).status).toBe(404)
      expect((await send(target.url, { target: '/family/literal' })).status).toBe(200)
      expect(target.recorder.routesUsed).toEqual(['/family/literal'])
    })

    it('that is found at each request gets its body, and what it does not have is a 404', async () => {
      const body = { method: 'POST', headers: [['content-type', 'application/json']], body: '{}' } as const
      expect((await send(target.url, { target: '/found/here', ...body })).status).toBe(200)
      expect(target.recorder.only()).toMatchObject({ path: '/found/here', body: '{}' })
      expect((await send(target.url, { target: '/found/nothing', ...body })).status).toBe(404)
      expect(target.recorder.routesUsed).toEqual(['/found/here'])
    })

    it.each(['/%zz', '/things/%zz'])('survives the path %s, which cannot be decoded', async (path) => {
      expect((await send(target.url, { target: path })).status).toBeLessThan(500)
    })
  })
}
