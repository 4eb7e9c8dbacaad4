import compression from 'compression'
import express, { Router } from 'express'
import helmet from 'helmet'
import { describe, expect, it } from 'vitest'
import { authorizationServer } from '../src/index.ts'
import { FORM, ISSUER, listen, openNotes, post, recording, reporting } from './application.ts'

const METADATA = '/.well-known/oauth-authorization-server'
const NO_CLIENT = '/oauth/authorize?client_id=unknown'

describe('authorizationServer in an application', () => {
  it('leaves its other routes as they are, before and behind', async () => {
    const { server } = await openNotes()
    const app = express()
      .get('/before', (_req, res) => void res.send('before'))
      .use(authorizationServer(server))
      .use(express.json())
      .post('/behind', (req, res) => void res.json(req.body))
    const base = await listen(app)
    const before = await fetch(`${base}/before`)
    expect(await before.text()).toBe('before')
    expect(before.headers.get('x-powered-by')).toBe('Express')
    const behind = await post(`${base}/behind`, { 'content-type': 'application/json' }, '{"a":1}')
    expect(await behind.json()).toEqual({ a: 1 })
    expect((await fetch(`${base}${METADATA}`)).headers.get('x-powered-by')).toBeNull()
  })

  it('what none of its routes has is of the application, with its body', async () => {
    const found = recording('/t/a')
    const find = async ({ path }: { path: string }) => (path === found.path ? found : undefined)
    const app = express()
      .use(authorizationServer({ routes: [{ ...found, path: '/t', below: true, find }] }))
      .use(express.text())
      .post('/t/own', (req, res) => void res.send(req.body))
      .use((_req, res) => void res.status(404).send('not here'))
    const base = await listen(app)
    const answers: string[] = []
    for (const path of ['/t/a', '/t/own', '/t/b'])
      answers.push(await (await post(base + path, { 'content-type': 'text/plain' }, 'mine')).text())
    expect([found.bodies, answers]).toEqual([['mine'], ['', 'mine', 'not here']])
  })

  it('shares no errors with the application', async () => {
    const { server } = await openNotes()
    const { reported, handler } = reporting()
    const failing = { ...recording('/rejects'), handle: () => Promise.reject(new Error('ours')) }
    const app = express()
      .use(authorizationServer({ routes: [...server.routes, failing] }))
      .get('/fails', () => Promise.reject(new Error('own')))
      .use((_req, res) => void res.status(404).send('not here'))
      .use(handler)
    const base = await listen(app)
    expect(await (await fetch(`${base}/fails`)).text()).toBe('the application')
    expect(await (await fetch(`${base}/api/oauth/token/`)).text(), 'nor the 404').toBe('not here')
    const rejected = await fetch(`${base}/rejects`)
    expect([rejected.status, await rejected.json()]).toMatchObject([500, { error: 'server_error' }])
    const large = await post(`${base}/api/oauth/token`, FORM, 'x'.repeat(70_000))
    expect([large.status, await large.json()]).toMatchObject([413, { error: 'invalid_request' }])
    expect(reported).toEqual(['own'])
  })

  it('serves an issuer with a path, with its well-known documents at the root', async () => {
    const { server } = await openNotes({ issuer: `${ISSUER}/base` })
    const own = Router().get('/own', (_req, res) => void res.send('own'))
    const base = await listen(express().use(authorizationServer(server)).use('/base', own))
    const response = await fetch(`${base}${METADATA}/base`)
    const { token_endpoint } = (await response.json()) as { token_endpoint: string }
    const token = await post(base + new URL(token_endpoint).pathname, FORM, '')
    expect([token.status, await token.json()]).toMatchObject([400, { error: 'invalid_request' }])
    expect(await (await fetch(`${base}/base/own`)).text()).toBe('own')
  })

  it.each([
    ['a path', (router: Router) => express().use('/base', router)],
    ['an application', (router: Router) => express().use('/base', express().use(router))],
    ['a router', (router: Router) => express().use(Router().use('/base', router))],
  ])('refuses at the first request to be mounted below %s', async (_, mount) => {
    const { server } = await openNotes()
    const { reported, handler } = reporting()
    const base = await listen(mount(authorizationServer(server)).use(handler))
    expect((await fetch(`${base}/base/api/oauth/token`)).status).toBe(500)
    expect(reported).toEqual([
      expect.stringMatching(/below \/base, .* mount it by app\.use\(authorizationServer/),
    ])
  })

  it.each([
    [false, '127.0.0.1'],
    ['loopback', '203.0.113.7'],
  ])(
    'knows its caller as the application does, which trusts its proxies or not: %s',
    async (trusted, address) => {
      const seen: (string | undefined)[] = []
      const route = recording()
      const handle: typeof route.handle = (request) => {
        seen.push(request.remoteAddress)
        return route.handle(request)
      }
      const mounted = authorizationServer({ routes: [{ ...route, handle }] })
      const base = await listen(express().set('trust proxy', trusted).use(mounted))
      await post(`${base}/echo`, { ...FORM, 'x-forwarded-for': '203.0.113.7' }, 'a=1')
      expect(seen).toEqual([expect.stringContaining(address)])
    },
  )

  it.each([false, true])('names its issuer behind any proxy, trusted or not: %s', async (trusted) => {
    const { server } = await openNotes()
    const base = await listen(express().set('trust proxy', trusted).use(authorizationServer(server)))
    const forwarded = {
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-prefix': '/x',
    }
    const text = await (await fetch(`${base}${METADATA}`, { headers: forwarded })).text()
    expect(JSON.parse(text)).toMatchObject({ issuer: ISSUER, token_endpoint: `${ISSUER}/api/oauth/token` })
    expect(text).not.toContain('evil')
  })

  it('keeps its own headers, and the others of helmet', async () => {
    const { server } = await openNotes()
    const base = await listen(express().use(helmet(), authorizationServer(server)))
    const { headers } = await fetch(base + NO_CLIENT)
    expect(headers.get('content-security-policy')).toBe("default-src 'self'; frame-ancestors 'none'")
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('content-type'), 'without an added charset').toBe('text/html')
    expect(headers.get('strict-transport-security')).not.toBeNull()
  })

  it('has the same content through compression', async () => {
    const { server } = await openNotes()
    const plain = await listen(express().use(authorizationServer(server)))
    const small = await listen(express().use(compression({ threshold: 512 }), authorizationServer(server)))
    const compressed = await fetch(small + METADATA)
    expect(compressed.headers.get('content-encoding')).not.toBeNull()
    expect(await compressed.text()).toBe(await (await fetch(plain + METADATA)).text())
    const short = await post(`${small}/api/oauth/token`, FORM, '')
    expect(short.headers.get('content-encoding'), 'what is too short to gain').toBeNull()
    expect(await short.json()).toMatchObject({ error: 'invalid_request' })
    const head = await fetch(small + METADATA, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const etag = compressed.headers.get('etag') ?? ''
    const again = await fetch(small + METADATA, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  it('sets its cookies in addition to the cookies of the application', async () => {
    const cookies = { 'Set-Cookie': ['b=2', 'c=3'] }
    const { server } = await openNotes({ errorPage: { status: 400, headers: cookies, body: '' } as never })
    const app = express().use((_req, res, next) => next(void res.cookie('a', '1')))
    const base = await listen(app.use(authorizationServer(server)))
    expect((await fetch(base + NO_CLIENT)).headers.getSetCookie()).toEqual(['a=1; Path=/', 'b=2', 'c=3'])
  })

  it('routes its paths literally, whatever the routing options of the application', async () => {
    const routes = [recording('/a.b(c)'), recording('/things'), recording('/caf%C3%A9')]
    const base = await listen(express().use(authorizationServer({ routes })))
    const statuses = async (...paths: string[]) =>
      Promise.all(paths.map(async (path) => (await fetch(base + path, { method: 'PROPFIND' })).status))
    expect(await statuses('/a.b(c)', '/things', '/caf%C3%A9')).toEqual([200, 200, 200])
    expect(await statuses('/A.B(C)', '/axb(c)', '/Things', '/things/', '//things', '/things/%zz')).toEqual(
      Array(6).fill(404),
    )
  })
})
