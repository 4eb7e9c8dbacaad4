import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Anonymous, Authorized, AuthorizedClient } from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'
import { describeAdapter } from '@grantkit/testkit'
import express, { type Express, type Request, type RequestHandler } from 'express'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { ISSUER, listen, openNotes, post } from '../test/application.ts'
import { authorizationServer, expressRequest, type Guard, protect } from './index.ts'

const mountBehind =
  (...before: RequestHandler[]) =>
  async (routes: readonly Route[]) => {
    const app = express().use(...before, authorizationServer({ routes }))
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const close = async () => void server.close().closeAllConnections()
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
  }

describeAdapter('express', mountBehind())
describeAdapter(
  'express behind a parser that keeps the bytes',
  mountBehind(express.raw({ type: () => true, inflate: false })),
)

describe('expressRequest', () => {
  it('is the request of Express, with what middleware has put there', async () => {
    const route: Route = {
      path: '/who',
      methods: ['GET'],
      handle: async (request) => {
        expectTypeOf(expressRequest(request)).toEqualTypeOf<Request>()
        return { status: 200, headers: {}, body: String(Object(expressRequest(request)).user) }
      },
    }
    const signIn: RequestHandler = (req, _res, next) => {
      Object.assign(req, { user: 'alice' })
      next()
    }
    const base = await listen(express().use(signIn, authorizationServer({ routes: [route] })))
    expect(await (await fetch(`${base}/who`)).text()).toBe('alice')
  })

  it('says what is wrong with a request that Express has not seen', () => {
    const request = { method: 'GET', path: '/', query: '', headers: {}, body: '' }
    expect(() => expressRequest(request)).toThrow(/authorizationServer\(\).*`native`/)
  })
})

describe('protect', () => {
  async function openApi(mount: (guard: Guard) => Express) {
    const { api, events } = await openNotes()
    return { base: await listen(mount(protect(api, 'notes:read'))), events }
  }
  const bad = { headers: { authorization: 'Bearer bad' } }

  it('refuses a request without a token, and names the scope that it needs', async () => {
    const { base } = await openApi((guard) => express().get('/notes', guard, (_req, res) => void res.end()))
    const { status, headers } = await fetch(`${base}/notes`)
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('"notes:read"')])
  })

  it('lets a request without a token through as anonymous if the API allows it', async () => {
    const { open } = await openNotes()
    const app = express().get('/notes', protect(open, 'notes:read'), (_req, res) => {
      expectTypeOf(res.locals.auth).toEqualTypeOf<Authorized | Anonymous>()
      res.json(res.locals.auth)
    })
    expect(await (await fetch(`${await listen(app)}/notes`)).json()).toEqual({ kind: 'anonymous' })
  })

  it('accepts client-credentials tokens only on a route that allows them', async () => {
    const { api } = await openNotes()
    const guard = protect(api.allowing({ clientCredentials: true }), 'notes:read')
    const app = express().get('/notes', guard, (_req, res) => {
      expectTypeOf(res.locals.auth).toEqualTypeOf<Authorized | AuthorizedClient>()
      res.json(res.locals.auth)
    })
    expect((await fetch(`${await listen(app)}/notes`)).status).toBe(401)
  })

  it('types the caller on the guarded route only', async () => {
    const { api } = await openNotes()
    express()
      .get(
        '/notes',
        protect(api),
        (_req, res) => void expectTypeOf(res.locals.auth).toEqualTypeOf<Authorized>(),
      )
      .get('/open', (req, res) => {
        // @ts-expect-error no guard stands before this route
        expectTypeOf(req.auth).toBeAny()
        expectTypeOf(res.locals.auth).toBeAny()
      })
  })

  it('refuses a bad token before the handler runs', async () => {
    let handled = false
    const handler: RequestHandler = () => {
      handled = true
    }
    const { base } = await openApi((guard) => express().get('/notes', guard, handler))
    const response = await fetch(`${base}/notes`, bad)
    expect([response.status, await response.json()]).toMatchObject([401, { error: 'invalid_token' }])
    expect(handled).toBe(false)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('x-powered-by')).toBeNull()
    expect(response.headers.get('www-authenticate')).toContain(
      `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`,
    )
  })

  it('guards a router, and reports the whole path', async () => {
    const notes = express.Router().get('/', (_req, res) => void res.send('notes'))
    const { base, events } = await openApi((guard) => express().use('/api/notes', guard, notes))
    expect((await fetch(`${base}/api/notes/?a=1`, bad)).status).toBe(401)
    expect(events).toMatchObject([{ type: 'refused', path: '/api/notes/' }])
  })

  it('requires every given scope, and passes the request unchanged', async () => {
    const { api } = await openNotes()
    const requested: unknown[] = []
    const listening: typeof api = {
      ...api,
      access: (request, ...scopes) => {
        requested.push([request.method, request.path, request.query, ...scopes])
        return api.access(request, ...scopes)
      },
    }
    const guard = protect(listening, 'notes:read', 'notes:read')
    const base = await listen(express().put('/n%C3%B6tes', guard, (_req, res) => void res.end()))
    await fetch(`${base}/n%C3%B6tes?a=%2F&b`, { method: 'PUT' })
    expect(requested).toEqual([['PUT', '/n%C3%B6tes', 'a=%2F&b', 'notes:read', 'notes:read']])
  })

  it('leaves the parsed body and the typed parameters to the handler', async () => {
    const { open } = await openNotes()
    const app = express().post('/notes/:id', express.json(), protect(open), (req, res) => {
      // @ts-expect-error a misspelt parameter
      const misspelt: unknown = req.params.ID
      const id: string = req.params.id
      res.json([id, misspelt, req.body])
    })
    const base = await listen(app)
    const response = await post(`${base}/notes/7`, { 'content-type': 'application/json' }, '{"a":1}')
    expect(await response.json()).toEqual(['7', null, { a: 1 }])
  })

  it('sends what the guard says of the next proof with the answer of the handler', async () => {
    const { api } = await openNotes()
    const authorized: Authorized = {
      kind: 'authorized',
      token: {} as Authorized['token'],
      headers: { 'dpop-nonce': 'newer' },
    }
    const guard = protect({ ...api, access: async () => authorized })
    const base = await listen(express().get('/notes', guard, (_req, res) => void res.send('notes')))
    const response = await fetch(`${base}/notes`)
    expect([await response.text(), response.headers.get('dpop-nonce')]).toEqual(['notes', 'newer'])
  })

  it('does not compile with a scope that does not exist', async () => {
    const { api } = await openNotes()
    // @ts-expect-error a misspelt scope
    expect(protect(api, 'notes:raed')).toBeTypeOf('function')
  })
})
