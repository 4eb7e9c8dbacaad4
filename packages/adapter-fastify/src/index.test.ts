import {
  type Anonymous,
  type Authorized,
  type AuthorizedClient,
  createAuthorizationServer,
  createResourceServer,
  type Interaction,
} from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'
import { createMemoryStore } from '@grantkit/store-memory'
import { aClient, describeAdapter } from '@grantkit/testkit'
import { type FastifyError, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { authorizationServer, fastifyRequest, protect } from './index.ts'

describeAdapter('fastify', async (routes) => {
  const app = fastify()
  await app.register(authorizationServer({ routes }))
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => app.close() }
})

const ISSUER = 'https://notes.example'
const SCOPES = { 'notes:read': { description: 'Read notes' } }

async function openNotes() {
  const store = createMemoryStore()
  await store.clients.insert('client', aClient({ clientId: 'client' }), 9_999_999_999)
  const server = createAuthorizationServer({
    issuer: ISSUER,
    store,
    scopes: SCOPES,
    secret: 'a secret of the tests, long enough to pass',
    interaction: {} as Interaction,
  })
  const guarded = { resource: ISSUER, store, scopes: SCOPES }
  const open = createResourceServer({ ...guarded, anonymous: 'allow' })
  return { server, api: createResourceServer(guarded), open }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('authorizationServer', () => {
  it('reads its forms in an application that parses bodies itself', async () => {
    const { server } = await openNotes()
    const app = fastify()
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async () => ({
      parsed: 'by the application',
    }))
    app.post('/own', async (request) => request.body)
    await app.register(authorizationServer(server))
    const token = await app.inject({
      method: 'POST',
      url: '/api/oauth/token',
      headers: FORM,
      payload: 'grant_type=refresh_token&client_id=client&refresh_token=x',
    })
    expect([token.statusCode, token.json().error]).toEqual([400, 'invalid_grant'])
    const own = await app.inject({ method: 'POST', url: '/own', headers: FORM, payload: 'a=b' })
    expect(own.json(), 'whose own routes stay as they were').toEqual({ parsed: 'by the application' })
  })

  it('leaves what none of its routes has to the application', async () => {
    const found: Route = {
      path: '/t/a',
      methods: ['GET'],
      handle: async () => ({ status: 200, headers: {}, body: 'a' }),
    }
    const find: Route['find'] = async ({ path }) => (path === found.path ? found : undefined)
    const app = fastify()
    app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ application: 'not here' }))
    await app.register(authorizationServer({ routes: [{ ...found, path: '/t', below: true, find }] }))
    app.get('/t/:key', async () => 'own')
    const answers: string[] = []
    for (const path of ['/t/a/b', '/t/own']) answers.push((await app.inject(path)).body)
    expect(answers).toEqual(['{"application":"not here"}', 'own'])
  })

  it('shares no errors with the application', async () => {
    const { server } = await openNotes()
    const app = fastify()
    app.setErrorHandler((_error, _request, reply) => reply.code(418).send('the application'))
    app.get('/fails', async () => {
      throw new Error('own')
    })
    await app.register(authorizationServer(server))
    expect((await app.inject('/fails')).statusCode).toBe(418)
    const large = await app.inject({
      method: 'POST',
      url: '/api/oauth/token',
      headers: FORM,
      payload: 'x'.repeat(70_000),
    })
    expect([large.statusCode, large.json().error]).toEqual([413, 'invalid_request'])
  })

  describe.each([401, 403, 413, 429, 503])("an error %i of the application's own hook", (statusCode) => {
    it.each(['onRequest', 'preHandler', 'onSend'] as const)(
      'in %s is answered by the application',
      async (hook) => {
        const { server } = await openNotes()
        const app = fastify()
        const refuse = async (_request: FastifyRequest, reply: FastifyReply) => {
          if (reply.hasHeader('retry-after')) return
          reply.header('retry-after', '30')
          throw Object.assign(new Error('own'), { statusCode })
        }
        app.addHook(hook as 'preHandler', refuse)
        app.setErrorHandler<FastifyError>((error, _request, reply) =>
          reply.code(error.statusCode ?? 500).send({ application: error.message }),
        )
        await app.register(authorizationServer(server))
        const { headers, ...answer } = await app.inject({
          method: 'POST',
          url: '/api/oauth/token',
          headers: FORM,
          payload: 'a=b',
        })
        expect([answer.statusCode, headers['retry-after'], answer.json()]).toEqual([
          statusCode,
          '30',
          { application: 'own' },
        ])
      },
    )
  })

  it('answers a body whose type has no parser by itself', async () => {
    const { server } = await openNotes()
    const app = fastify()
    app.setErrorHandler((_error, _request, reply) => reply.code(418).send('the application'))
    await app.register(authorizationServer(server))
    const answer = await app.inject({
      method: 'POST',
      url: '/api/oauth/token',
      headers: { 'content-type': 'form' },
      payload: 'a=b',
    })
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_request'])
  })
})

describe('fastifyRequest', () => {
  it('is the request of Fastify, with what hooks of the application have put there', async () => {
    const route: Route = {
      path: '/who',
      methods: ['GET'],
      handle: async (request) => {
        expectTypeOf(fastifyRequest(request)).toEqualTypeOf<FastifyRequest>()
        return { status: 200, headers: {}, body: String(Object(fastifyRequest(request)).user) }
      },
    }
    const app = fastify()
    app.addHook('preHandler', async (request) => void Object.assign(request, { user: 'alice' }))
    await app.register(authorizationServer({ routes: [route] }))
    expect((await app.inject('/who')).body).toBe('alice')
  })

  it('says what is wrong with a request that Fastify has not seen', () => {
    const request = { method: 'GET', path: '/', query: '', headers: {}, body: '' }
    expect(() => fastifyRequest(request)).toThrow(/authorizationServer\(\).*`native`/)
  })
})

describe('the paths', () => {
  it('may be percent-encoded, as in an issuer with one', async () => {
    const app = fastify()
    const handle = async () => ({ status: 200, headers: {}, body: 'coffee' })
    await app.register(
      authorizationServer({ routes: [{ path: '/caf%C3%A9/token', methods: ['GET'], handle }] }),
    )
    expect((await app.inject('/caf%C3%A9/token')).body).toBe('coffee')
  })

  it('count from the root of the host: below a prefix the start fails', async () => {
    const { server } = await openNotes()
    const app = fastify()
    await expect(app.register(authorizationServer(server), { prefix: '/auth' })).rejects.toThrow(
      /below \/auth.*issuer/,
    )
  })
})

describe('the address of the caller', () => {
  it.each([
    [false, '127.0.0.1'],
    ['127.0.0.1', '203.0.113.7'],
  ])(
    'is the one of the socket unless the application trusts its proxy: trustProxy %s',
    async (trustProxy, address) => {
      const app = fastify({ trustProxy })
      const seen: (string | undefined)[] = []
      const route: Route = {
        path: '/',
        methods: ['GET'],
        handle: async ({ remoteAddress }) => {
          seen.push(remoteAddress)
          return { status: 200, headers: {}, body: '' }
        },
      }
      await app.register(authorizationServer({ routes: [route] }))
      await app.inject({ url: '/', headers: { 'x-forwarded-for': '203.0.113.7' } })
      expect(seen).toEqual([address])
    },
  )
})

describe('protect', () => {
  async function openApi() {
    const { api } = await openNotes()
    const app = fastify()
    app.get('/notes', { preHandler: protect(api, 'notes:read') }, async () => 'notes')
    return app
  }

  it('refuses a request without a token, and names the scope that it needs', async () => {
    const { statusCode, headers } = await (await openApi()).inject('/notes')
    expect([statusCode, headers['www-authenticate']]).toEqual([401, expect.stringContaining('"notes:read"')])
  })

  it('lets a request without a token through as anonymous if the API allows it', async () => {
    const { open } = await openNotes()
    const guard = protect(open, 'notes:read')
    const app = fastify()
    app.get('/notes', { preHandler: guard }, async (request) => {
      const auth = guard.auth(request)
      expectTypeOf(auth).toEqualTypeOf<Authorized | Anonymous>()
      return auth
    })
    expect((await app.inject('/notes')).json()).toEqual({ kind: 'anonymous' })
  })

  it('accepts client-credentials tokens only on a route that allows them', async () => {
    const { api } = await openNotes()
    const guard = protect(api.allowing({ clientCredentials: true }), 'notes:read')
    const app = fastify()
    app.get('/notes', { preHandler: guard }, async (request) => {
      expectTypeOf(guard.auth(request)).toEqualTypeOf<Authorized | AuthorizedClient>()
      return guard.auth(request)
    })
    expect((await app.inject('/notes')).statusCode).toBe(401)
  })

  it('throws on a route without a guard, instead of answering anonymous', async () => {
    const guard = protect((await openNotes()).open)
    const app = fastify()
    app.get('/notes', async (request) => guard.auth(request))
    expect((await app.inject('/notes')).json()).toMatchObject({
      message: expect.stringMatching(/preHandler/),
    })
  })

  it('refuses a bad token before the handler runs', async () => {
    const response = await (await openApi()).inject({
      url: '/notes',
      headers: { authorization: 'Bearer bad' },
    })
    expect(response.statusCode).toBe(401)
    expect(response.headers['www-authenticate']).toContain(
      `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`,
    )
  })

  it('sends what the guard says of the next proof with the answer of the handler', async () => {
    const { api } = await openNotes()
    const authorized: Authorized = {
      kind: 'authorized',
      token: {} as Authorized['token'],
      headers: { 'dpop-nonce': 'newer' },
    }
    const guard = protect({ ...api, access: async () => authorized })
    const app = fastify()
    app.get('/notes', { preHandler: guard }, async () => 'notes')
    const { body, headers } = await app.inject('/notes')
    expect([body, headers['dpop-nonce']]).toEqual(['notes', 'newer'])
  })

  it('does not compile with a scope that does not exist', async () => {
    const { api } = await openNotes()
    // @ts-expect-error a misspelt scope
    expect(protect(api, 'notes:raed')).toBeTypeOf('function')
  })
})
