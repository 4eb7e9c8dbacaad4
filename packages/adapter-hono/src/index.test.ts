import type { Anonymous, Authorized, AuthorizedClient, HttpRequest } from '@grantkit/core'
import { type Route, toFetchHandler } from '@grantkit/core/adapter'
import { describeAdapter } from '@grantkit/testkit'
import type { HttpBindings } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { type Context, Hono } from 'hono'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { listen } from '../test/listen.ts'
import { ISSUER, openNotes, TOKEN_REQUEST } from '../test/notes.ts'
import { authorizationServer, honoContext, protect } from './index.ts'

describeAdapter('hono on Node', (routes) => {
  const remoteAddress = (c: Context) => getConnInfo(c).remote.address
  return listen(new Hono().route('/', authorizationServer({ routes }, { remoteAddress })).fetch)
})

describeAdapter('toFetchHandler on Node', (routes) => {
  const remoteAddress = (_request: Request, { incoming }: HttpBindings) => incoming.socket.remoteAddress
  return listen(toFetchHandler({ routes }, { remoteAddress }))
})

describe('authorizationServer', () => {
  it('mounts every route, the well-known documents at the root of the host too', async () => {
    const { server } = await openNotes(`${ISSUER}/caf%C3%A9`)
    const app = new Hono().route('/', authorizationServer(server))
    for (const path of [
      '/.well-known/oauth-authorization-server/caf%C3%A9',
      '/.well-known/oauth-protected-resource/caf%C3%A9',
      '/caf%C3%A9/.well-known/openid-configuration',
    ]) {
      expect((await app.request(path)).status, path).toBe(200)
    }
    const token = await app.request('/caf%C3%A9/api/oauth/token', TOKEN_REQUEST)
    expect(await token.json()).toMatchObject({ error: 'invalid_grant' })
  })

  it('is refused below a prefix, at the first request', async () => {
    const { server } = await openNotes()
    const reported: string[] = []
    const app = new Hono().route('/auth', authorizationServer(server)).onError((error, c) => {
      reported.push(error.message)
      return c.text('the application', 500)
    })
    expect((await app.request('/auth/api/oauth/token', TOKEN_REQUEST)).status).toBe(500)
    expect(reported).toEqual([expect.stringMatching(/below \/auth,.*issuer/)])
  })
})

describe('honoContext', () => {
  it('is the context of Hono, with what middleware has put there', async () => {
    type Env = { Variables: { user: string } }
    const route: Route = {
      path: '/who',
      methods: ['GET'],
      handle: async (request) => {
        const c = honoContext<Env>(request)
        expectTypeOf(c.var.user).toEqualTypeOf<string>()
        return { status: 200, headers: {}, body: c.var.user }
      },
    }
    const app = new Hono<Env>().use(async (c, next) => {
      c.set('user', 'alice')
      await next()
    })
    app.route('/', authorizationServer({ routes: [route] }))
    expect(await (await app.request('/who')).text()).toBe('alice')
  })

  it('says what is wrong with a request that Hono has not seen', () => {
    const request = { method: 'GET', path: '/', query: '', headers: {}, body: '' }
    expect(() => honoContext(request)).toThrow(/authorizationServer\(\).*`native`/)
  })
})

describe('protect', () => {
  it('gives the guard the address that middleware has set', async () => {
    const { api } = await openNotes()
    const seen: unknown[] = []
    const watched: typeof api = Object.assign(Object.create(api), {
      access: (request: HttpRequest) => {
        seen.push(request.remoteAddress)
        return api.access(request)
      },
    })
    type Env = { Variables: { remoteAddress: string } }
    const app = new Hono<Env>().get('/plain', protect(watched)).use(async (c, next) => {
      c.set('remoteAddress', '203.0.113.9')
      await next()
    })
    app.get('/notes', protect(watched))
    await app.request('/plain')
    await app.request('/notes')
    expect(seen).toEqual([undefined, '203.0.113.9'])
  })

  async function openApi() {
    const { api } = await openNotes()
    return new Hono().get('/notes', protect(api, 'notes:read'), (c) => {
      expectTypeOf(c.get('auth')).toEqualTypeOf<Authorized>()
      return c.json(c.var.auth)
    })
  }

  it('refuses a request without a token, and names the scope that it needs', async () => {
    const { status, headers } = await (await openApi()).request('/notes')
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('"notes:read"')])
  })

  it('lets a request without a token through as anonymous if the API allows it', async () => {
    const { open } = await openNotes()
    const app = new Hono().get('/notes', protect(open, 'notes:read'), (c) => {
      expectTypeOf(c.var.auth).toEqualTypeOf<Authorized | Anonymous>()
      return c.json(c.var.auth)
    })
    expect(await (await app.request('/notes')).json()).toEqual({ kind: 'anonymous' })
  })

  it('accepts client-credentials tokens only on a route that allows them', async () => {
    const { api } = await openNotes()
    const app = new Hono().get(
      '/notes',
      protect(api.allowing({ clientCredentials: true }), 'notes:read'),
      (c) => {
        expectTypeOf(c.var.auth).toEqualTypeOf<Authorized | AuthorizedClient>()
        return c.json(c.var.auth)
      },
    )
    expect((await app.request('/notes')).status).toBe(401)
  })

  it('refuses a bad token before the handler runs', async () => {
    const response = await (await openApi()).request('/notes', { headers: { authorization: 'Bearer bad' } })
    expect([response.status, await response.json()]).toMatchObject([401, { error: 'invalid_token' }])
    expect(response.headers.get('www-authenticate')).toContain(
      `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`,
    )
  })

  it('leaves the body of a guarded request to the handler', async () => {
    const { open } = await openNotes()
    const app = new Hono().post('/notes', protect(open), async (c) => c.text(await c.req.raw.text()))
    expect(await (await app.request('/notes', { method: 'POST', body: 'a note' })).text()).toBe('a note')
  })

  it('sends what the guard says of the next proof with the answer of the handler', async () => {
    const { api } = await openNotes()
    const authorized: Authorized = {
      kind: 'authorized',
      token: {} as Authorized['token'],
      headers: { 'dpop-nonce': 'newer' },
    }
    const guard = protect({ ...api, access: async () => authorized })
    const app = new Hono()
      .get('/notes', guard, (c) => c.text('notes'))
      .get('/raw', guard, () => new Response('notes'))
    for (const path of ['/notes', '/raw']) {
      const response = await app.request(path)
      expect([await response.text(), response.headers.get('dpop-nonce')]).toEqual(['notes', 'newer'])
    }
  })

  it('does not compile with a scope that does not exist', async () => {
    const { api } = await openNotes()
    // @ts-expect-error a misspelt scope
    expect(protect(api, 'notes:raed')).toBeTypeOf('function')
  })
})
