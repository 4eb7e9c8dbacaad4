import type { Route } from '@grantkit/core/adapter'
import type { Mounted } from '@grantkit/testkit'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { compress } from 'hono/compress'
import { cors } from 'hono/cors'
import { csrf } from 'hono/csrf'
import { etag } from 'hono/etag'
import { Hono as QuickHono } from 'hono/quick'
import { secureHeaders } from 'hono/secure-headers'
import { Hono as TinyHono } from 'hono/tiny'
import { validator } from 'hono/validator'
import { afterEach, describe, expect, it } from 'vitest'
import { authorizationServer, protect } from '../src/index.ts'
import { listen } from './listen.ts'
import { below, echo, json, openNotes, TOKEN_REQUEST } from './notes.ts'

const TOKEN = '/api/oauth/token'
const METADATA = '/.well-known/oauth-authorization-server'
const MULTIPART = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'

let mounted: Mounted | undefined
afterEach(async () => {
  await mounted?.close()
  mounted = undefined
})

/** Sends over a real socket, because only there bodies are streams. */
async function send(app: Hono, path: string, init?: RequestInit): Promise<Response> {
  mounted ??= await listen(app.fetch)
  return fetch(mounted.url + path, init)
}

/** An application whose middleware runs before the routes. */
function behind(middleware: MiddlewareHandler, ...routes: Route[]): Hono {
  const app = new Hono()
  app.use(middleware)
  return app.route('/', authorizationServer({ routes }))
}

const reading =
  (read: (c: Context) => Promise<unknown>): MiddlewareHandler =>
  async (c, next) => {
    await read(c)
    await next()
  }

it('what none of its routes has is of the application, with its body', async () => {
  const app = new Hono().route('/', authorizationServer({ routes: [below] }))
  app.post('/t/own', async (c) => c.text(await c.req.text()))
  app.notFound((c) => c.text('not here', 404))
  const post = { method: 'POST', body: 'mine' }
  const answers = []
  for (const path of ['/t/a', '/t/own', '/t/b']) answers.push(await (await send(app, path, post)).text())
  expect(answers).toEqual([expect.stringContaining('"path":"/t/a"'), 'mine', 'not here'])
})

describe('behind middleware that has read the body through Hono', () => {
  it.each<[string, (c: Context) => Promise<unknown>]>([
    ['text', (c) => c.req.text()],
    ['arrayBuffer', (c) => c.req.arrayBuffer()],
    ['bytes', (c) => c.req.bytes()],
    ['blob', (c) => c.req.blob()],
    ['parseBody', (c) => c.req.parseBody()],
    ['formData', (c) => c.req.formData()],
    [
      'formData twice, then text',
      (c) =>
        c.req
          .formData()
          .then(() => c.req.formData())
          .then(() => c.req.text()),
    ],
    ['a clone', (c) => c.req.raw.clone().text()],
  ])('reads the same form again, after %s', async (_, read) => {
    const app = behind(reading(read), echo)
    const form = 'scope=a+b&scope=%E2%82%AC%26&empty='
    const response = await send(app, '/echo', { ...TOKEN_REQUEST, body: form })
    const { body } = (await response.json()) as { body: string }
    expect([...new URLSearchParams(body)]).toEqual([...new URLSearchParams(form)])
  })

  it.each<[string, MiddlewareHandler]>([
    ['json', reading((c) => c.req.json())],
    ['the validator', validator('json', (value) => value)],
    ['the body limit', bodyLimit({ maxSize: 1000 })],
  ])('reads the same JSON again, byte for byte, after %s', async (_, middleware) => {
    const body = ' { "b": 1.0, "b": "\\u20ac" }'
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    expect(await (await send(behind(middleware, echo), '/echo', init)).json()).toMatchObject({ body })
  })

  it('keeps to its limit when the application has read more', async () => {
    const response = await send(
      behind(
        reading((c) => c.req.text()),
        echo,
      ),
      '/echo',
      {
        method: 'POST',
        body: 'x'.repeat(64 * 1024 + 1),
      },
    )
    expect([response.status, await response.json()]).toMatchObject([413, { error: 'invalid_request' }])
  })

  it.each<[string, (c: Context) => Promise<unknown>]>([
    ['parseBody', (c) => c.req.parseBody()],
    ['formData', (c) => c.req.formData()],
  ])('has multipart as it was, or refuses it, after %s', async (name, read) => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const init = { method: 'POST', headers, body: MULTIPART }
    const response = await send(behind(reading(read), echo), '/echo', init)
    if (name === 'parseBody') expect(await response.json()).toMatchObject({ body: MULTIPART })
    else expect(response.status).toBe(500)
  })
})

describe('where the body was read elsewhere', () => {
  it.each<[string, (c: Context) => Promise<unknown>]>([
    ['all of it', (c) => c.req.raw.text()],
    ['a part of it', async (c) => c.req.raw.body?.getReader().read()],
    ['as a form', (c) => c.req.raw.formData()],
    ['from the request of Node', (c) => c.env.incoming.toArray()],
  ])('a request gets an error at once, and the application sees it: %s', async (_, read) => {
    const reported: unknown[] = []
    const app = new Hono()
    app.use(async (c, next) => {
      if (c.req.method === 'POST') await read(c)
      await next()
      reported.push(c.error?.message)
    })
    app.route('/', authorizationServer((await openNotes()).server))
    const response = await send(app, TOKEN, TOKEN_REQUEST)
    const error_description = 'The application read the body before the authorization server could'
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: 'server_error', error_description },
    ])
    expect(reported).toEqual([error_description])
    expect((await send(app, METADATA)).status, 'what has no body is served').toBe(200)
  })
})

describe('in an application of its own kind', () => {
  it.each([
    ['hono/tiny', () => new TinyHono()],
    ['hono/quick', () => new QuickHono()],
    ['hono that is not strict', () => new Hono({ strict: false })],
  ])('matches its routes with another router: %s', async (_, create) => {
    const routes = [echo, { ...echo, path: '/caf%C3%A9/parts' }]
    const app = create().route('/', authorizationServer({ routes }))
    for (const path of ['/echo?a=1', '/caf%C3%A9/parts'])
      expect(await (await send(app, path)).json()).toMatchObject({ path: path.split('?')[0] })
    for (const path of ['/echo/1', '/parts', '/caf%C3%A9'])
      expect((await send(app, path)).status, path).toBe(404)
  })

  it('is mounted next to a base path, not below it', async () => {
    const { server, open } = await openNotes('https://notes.example/auth')
    const app = new Hono()
      .basePath('/v1')
      .get('/notes', protect(open, 'notes:read'), (c) => c.json(c.var.auth))
    const root = new Hono().route('/', authorizationServer(server)).route('/', app)
    expect(await (await send(root, '/auth/api/oauth/token', TOKEN_REQUEST)).json()).toMatchObject({
      error: 'invalid_grant',
    })
    expect((await send(root, `${METADATA}/auth`)).status).toBe(200)
    expect(await (await send(root, '/v1/notes')).json()).toEqual({ kind: 'anonymous' })
  })

  it('uses its public URL behind a proxy that ends TLS, whatever the request says', async () => {
    const { server, api } = await openNotes()
    const app = new Hono()
      .route('/', authorizationServer(server))
      .get('/notes', protect(api), (c) => c.body(null))
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' }
    const metadata = (await (await send(app, METADATA, { headers })).json()) as Record<string, string>
    expect(metadata.token_endpoint).toBe('https://notes.example/api/oauth/token')
    const refused = await send(app, '/notes', { headers: { ...headers, authorization: 'Bearer bad' } })
    expect(refused.headers.get('www-authenticate')).toContain('https://notes.example/.well-known/')
  })

  it('leaves routes, errors and unknown paths to the application', async () => {
    const app = new Hono().route('/', authorizationServer((await openNotes()).server))
    app.post('/own', async (c) => c.text(await c.req.text()))
    app.get('/fails', () => {
      throw new Error('own')
    })
    app.onError((_, c) => c.text('the application', 418)).notFound((c) => c.text('nothing here', 410))
    expect(await (await send(app, '/own', TOKEN_REQUEST)).text()).toBe(TOKEN_REQUEST.body)
    expect((await send(app, '/fails')).status).toBe(418)
    expect((await send(app, '/nowhere')).status).toBe(410)
    expect((await send(app, `${TOKEN}/more`)).status).toBe(410)
  })

  it('hides its errors from the error handler of the application, which finds them in the context', async () => {
    const reported: unknown[] = []
    const app = new Hono()
    app.use(async (c, next) => {
      await next()
      reported.push(c.error)
    })
    const cause = new Error('internal detail')
    app.route('/', authorizationServer({ routes: [{ ...echo, handle: () => Promise.reject(cause) }] }))
    app.onError((_, c) => c.text('the application', 418))
    const response = await send(app, '/echo')
    expect([response.status, await response.json()]).toMatchObject([500, { error: 'server_error' }])
    expect(reported).toEqual([cause])
  })

  it('does not report errors of the client to the application', async () => {
    const reported: unknown[] = []
    const app = new Hono()
    app.use(async (c, next) => {
      await next()
      reported.push(c.error)
    })
    app.route('/', authorizationServer({ routes: [echo] }))
    expect((await send(app, '/echo', { method: 'POST', body: 'x'.repeat(70_000) })).status).toBe(413)
    expect(reported).toEqual([undefined])
  })
})

describe('with headers of middleware', () => {
  const early: MiddlewareHandler = async (c, next) => {
    c.header('cache-control', 'public')
    c.header('x-request-id', '7')
    c.header('set-cookie', 'early=1')
    await next()
  }
  const touching: MiddlewareHandler = async (c, next) => {
    c.res.headers.set('x-touched', '1')
    await next()
  }
  const answer = json({}, { 'cache-control': 'no-store', 'set-cookie': ['a=1', 'b=2'], vary: ['x', 'y'] })
  const answering: Route = { ...echo, handle: async () => answer }

  it.each([
    ['only prepared', [early]],
    ['on a response that is there', [touching, early]],
  ])('its own win, the others and all cookies stay: %s', async (_, middleware) => {
    const app = new Hono()
    for (const one of middleware) app.use(one)
    const { headers } = await send(app.route('/', authorizationServer({ routes: [answering] })), '/echo')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('x-request-id')).toBe('7')
    expect(headers.get('vary')).toBe('x, y')
    expect(headers.getSetCookie()).toEqual(['early=1', 'a=1', 'b=2'])
  })

  it('so do the headers of an error of the guard', async () => {
    const app = new Hono()
    app.use(touching, early)
    app.get('/notes', protect((await openNotes()).api), (c) => c.body(null))
    const refused = await send(app, '/notes', { headers: { authorization: 'Bearer bad' } })
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([401, 'no-store'])
    expect(refused.headers.get('x-request-id')).toBe('7')
  })
})

describe('with the middleware of Hono', () => {
  async function openBehind(middleware: MiddlewareHandler): Promise<Hono> {
    return behind(middleware, ...(await openNotes()).server.routes)
  }

  it('is compressed, and its ETag is still valid', async () => {
    const app = await openBehind(compress({ threshold: 1 }))
    const plain = await send(app, METADATA, { headers: { 'accept-encoding': 'identity' } })
    const packed = await send(app, METADATA, { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(await packed.json()).toEqual(await plain.json())
    const known = { 'accept-encoding': 'gzip', 'if-none-match': packed.headers.get('etag') ?? '' }
    expect((await send(app, METADATA, { headers: known })).status).toBe(304)
    expect(await (await send(app, TOKEN, TOKEN_REQUEST)).json()).toMatchObject({ error: 'invalid_grant' })
  })

  it('keeps the policy of its pages under secure headers', async () => {
    const { headers } = await send(await openBehind(secureHeaders()), '/oauth/authorize')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-frame-options'), 'a header that CSP makes void').toBe('SAMEORIGIN')
  })

  it('stays open to every origin on endpoints, and shut on pages, where the application opens another', async () => {
    const app = await openBehind(cors({ origin: 'https://app.example' }))
    const headers = { origin: 'https://spa.example' }
    const token = await send(app, TOKEN, {
      ...TOKEN_REQUEST,
      headers: { ...TOKEN_REQUEST.headers, ...headers },
    })
    expect(token.headers.get('access-control-allow-origin')).toBe('*')
    expect(token.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
    const page = await send(app, '/oauth/authorize', { headers })
    expect(page.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('is answered for by cors in preflights, unless it is mounted first', async () => {
    const { server } = await openNotes()
    const preflight = { method: 'OPTIONS', headers: { origin: 'https://spa.example' } }
    const app = new Hono().route('/', authorizationServer(server))
    app.use(cors({ origin: 'https://app.example' }))
    const first = await send(app, TOKEN, preflight)
    expect(first.headers.get('access-control-allow-origin')).toBe('*')
    await mounted?.close()
    mounted = undefined
    const behindCors = await send(await openBehind(cors({ origin: 'https://app.example' })), TOKEN, preflight)
    expect(behindCors.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('is blocked by csrf, which requires an Origin, unless it is mounted first', async () => {
    const { server } = await openNotes()
    const first = new Hono().route('/', authorizationServer(server))
    first.use(csrf())
    expect((await first.request(TOKEN, TOKEN_REQUEST)).status).toBe(400)
    expect((await (await openBehind(csrf())).request(TOKEN, TOKEN_REQUEST)).status).toBe(403)
  })

  it('keeps its own ETags under etag', async () => {
    const bare = await send(new Hono().route('/', authorizationServer((await openNotes()).server)), METADATA)
    await mounted?.close()
    mounted = undefined
    const app = await openBehind(etag())
    const tag = (await send(app, METADATA)).headers.get('etag') ?? ''
    expect(tag).toBe(bare.headers.get('etag'))
    const again = await send(app, METADATA, { headers: { 'if-none-match': tag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect(again.headers.get('access-control-allow-origin')).toBe('*')
    expect((await send(app, TOKEN, TOKEN_REQUEST)).headers.get('cache-control')).toBe('no-store')
  })
})
