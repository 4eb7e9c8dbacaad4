import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect, type Socket } from 'node:net'
import { formEncoded } from '@grantkit/testkit/client'
import { describe, expect, it } from 'vitest'
import { App } from './app.ts'
import { onTheService } from './on-the-service.ts'
import { errorMembers, expectError, expectPage } from './safe-answers.ts'

/** HTTP itself: methods, media types, repeats, lengths, paths and origins, as bytes on the wire. */

const FORM = 'application/x-www-form-urlencoded'
const FORM_ENDPOINTS = ['/api/oauth/token', '/api/oauth/revoke', '/api/oauth/introspect']
const POST_ONLY = [...FORM_ENDPOINTS, '/api/oauth/register']
const DOCUMENTS = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
  '/api/oauth/jwks',
]

const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}=1`).join('&')

onTheService('HTTP', (bench) => {
  const post = (target: string, type: string | undefined, body: string) =>
    bench.send(target, { method: 'POST', headers: type === undefined ? [] : [['Content-Type', type]], body })

  describe('a method', () => {
    it('HT-01, REQ-30, REQ-73: an unsupported method is a 405 in JSON that lists the supported ones', async () => {
      for (const path of POST_ONLY)
        for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'QUERY']) {
          const answer = await bench.send(path, { method })
          expect([answer.status, answer.header('allow')], `${method} ${path}`).toEqual([405, 'POST, OPTIONS'])
          if (method !== 'HEAD') expectError(answer, 'invalid_request', `${method} ${path}`, [405])
        }
      for (const path of DOCUMENTS)
        for (const method of ['POST', 'PUT', 'DELETE', 'QUERY']) {
          const { status, headers } = await bench.send(path, { method })
          expect([status, headers.allow], `${method} ${path}`).toEqual([405, 'GET, HEAD, OPTIONS'])
        }
    })

    it('HT-01, REQ-73: TRACE, CONNECT and unknown methods are rejected, and echo nothing', async () => {
      for (const path of ['/api/oauth/token', '/oauth/authorize', '/login', '/mcp', '/api/courses'])
        for (const method of ['TRACE', 'TRACK', 'FOO', 'get', 'POSTX']) {
          const answer = await bench.send(path, { method, headers: [['X-Canary', 'canary-4711']] })
          expect([400, 404, 405, 501], `${method} ${path}`).toContain(answer.status)
          expect(answer.body).not.toContain('canary-4711')
        }
    })
  })

  it('HT-02, REQ-30: a form without its media type, or in another charset than UTF-8, is not read', async () => {
    const app = await App.register(bench)
    const code = await app.code()
    const form = formEncoded(app.redemption(code))
    for (const type of ['text/plain', undefined, '', `${FORM}; charset=utf-16`, `${FORM}, ${FORM}`])
      expectError(await post('/api/oauth/token', type, form), 'invalid_request', type, [400, 415])
    const json = JSON.stringify(app.redemption(code))
    expectError(await post('/api/oauth/token', 'application/json', json), 'invalid_request', 'json', [415])
    const multipart =
      '--x\r\nContent-Disposition: form-data; name="grant_type"\r\n\r\nauthorization_code\r\n--x--\r\n'
    const parts = await post('/api/oauth/token', 'multipart/form-data; boundary=x', multipart)
    expectError(parts, 'invalid_request', 'multipart', [415])
    const good = await post('/api/oauth/token', `${FORM.toUpperCase()} ; charset=UTF-8`, form)
    expect(good.status).toBe(200)
  })

  it('HT-03, REQ-32: every parameter of a token request that is sent twice is rejected, and consumes nothing', async () => {
    const app = await App.register(bench)
    const code = await app.code()
    const form = app.redemption(code)
    for (const name of Object.keys(form).filter((name) => form[name] !== undefined))
      for (const value of [form[name], 'x'])
        expectError(
          await post('/api/oauth/token', FORM, `${formEncoded({ [name]: value })}&${formEncoded(form)}`),
          'invalid_request',
          name,
        )
    for (const name of ['code[]', 'code[0]', 'code%00', 'CODE', 'code.x'])
      expectError(await app.redeem('', { code: undefined, [name]: code }), 'invalid_request', name)
    expect((await app.redeem(code)).status).toBe(200)
  })

  it('REQ-31: the query of a token request is not read', async () => {
    const app = await App.register(bench)
    const code = await app.code()
    const query = formEncoded(app.redemption(code))
    expectError(await post(`/api/oauth/token?${query}`, FORM, ''), 'invalid_request')
    expectError(
      await bench.post(`/api/oauth/token?${query}`, { grant_type: 'authorization_code' }),
      'invalid_client',
      '',
      [401],
    )
    expect((await bench.post('/api/oauth/token?grant_type=x&code=y', app.redemption(code))).status).toBe(200)
  })

  describe('a body', () => {
    it('HT-06, REQ-64: a body of more than 64 KiB is refused, announced or not', async () => {
      const body = '&'.repeat(70_000)
      for (const path of [...POST_ONLY, '/oauth/consent', '/login', '/mcp', '/oauth/authorize']) {
        const type = path.endsWith('register') || path === '/mcp' ? 'application/json' : FORM
        expect((await post(path, type, body)).status, path).toBe(413)
        const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`
        const chunk = `${body.length.toString(16)}\r\n${body}\r\n`
        expect((await bench.exchange(head + chunk)).status, `${path}, endless`).toBe(413)
      }
    })

    it('HT-06: a form or query of more than a hundred parameters is rejected, and consumes nothing', async () => {
      const app = await App.register(bench)
      const code = await app.code()
      const form = formEncoded(app.redemption(code))
      const rest = 100 - form.split('&').length
      for (const padding of ['p=1&'.repeat(rest + 1), '&'.repeat(rest + 1), names(8000)])
        expectError(await post('/api/oauth/token', FORM, padding + form), 'invalid_request', padding)
      for (const path of FORM_ENDPOINTS)
        expectError(await post(path, FORM, names(101)), 'invalid_request', path)
      for (const answer of [
        await bench.send(`/oauth/authorize?${names(101)}&${app.query()}`),
        await post('/oauth/authorize', FORM, `${names(101)}&${app.query()}`),
        await post('/oauth/consent', FORM, names(101)),
      ])
        expectPage(answer)
      for (const page of ['/login', '/account', '/logout'])
        expect((await post(page, FORM, names(8000))).status, page).toBeLessThan(500)
      expect(bench.keepTokens(await post('/api/oauth/token', FORM, 'p=1&'.repeat(rest) + form)).status).toBe(
        200,
      )
    })

    it('HT-12: a client that disconnects during a request affects no other', async () => {
      for (const sent of [
        'POST /api/oauth/token HTTP/1.1\r\nHost: a\r\n',
        'POST /api/oauth/register HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{"a"',
      ]) {
        const accepted = acceptedAt(bench.service.port)
        const socket = connect(bench.service.port, '127.0.0.1').on('error', () => {})
        socket.write(sent)
        const { server, closed } = await accepted
        await expect.poll(() => server.bytesRead).toBe(sent.length)
        socket.resetAndDestroy()
        await closed
      }
      expect((await bench.send('/healthz')).status).toBe(200)
    })
  })

  it('HT-09: another spelling of a path is another path, or the same guarded one', async () => {
    const app = await App.register(bench)
    const query = app.query({ redirect_uri: 'https://evil.example/' })
    const of = (paths: string) => paths.split(' ')
    for (const path of [
      ...of('//oauth/authorize /oauth/authorize/ /OAuth/authorize /oauth/%61uthorize /oauth/authorize;x'),
      ...of('/x/..;/oauth/authorize /x/../oauth/authorize /./oauth/authorize /oauth//authorize'),
      ...of('/oauth%2fauthorize /oauth/authorize%00 \\oauth\\authorize /oauth/authorize#x'),
    ]) {
      const answer = await bench.send(`${path}?${query}`)
      if ([400, 404].includes(answer.status) && answer.header('content-type') === 'application/json') continue
      expectPage(answer, path)
    }
    const students =
      '/api/students/ //api/students /API/students /api/%73tudents /api/students;x /api/./students'
    for (const path of of(students)) {
      const answer = await bench.send(path)
      expect([200, 400, 404], path).toContain(answer.status)
      if (answer.status === 200) expect(answer.json().items, path).toEqual([])
    }
    for (const path of of('/../../etc/passwd /assets/../../package.json /assets/%2e%2e/package.json /%zz /%'))
      expect([400, 404], path).toContain((await bench.send(path)).status)
  })

  it('HT-10, REQ-72, REQ-06: scripts of every origin may use the protocol without cookies, and cannot read pages', async () => {
    const app = await App.register(bench)
    for (const origin of ['https://evil.example', 'null', '"><script>'])
      for (const path of [...POST_ONLY, ...DOCUMENTS, '/api/oauth/userinfo', '/api/courses']) {
        const headers = [
          ['Origin', origin],
          ['Access-Control-Request-Method', 'POST'],
        ] as const
        const preflight = await bench.send(path, { method: 'OPTIONS', headers })
        for (const answer of [preflight, await bench.send(path, { headers })]) {
          expect(answer.header('access-control-allow-origin'), `${origin} ${path}`).toBe('*')
          expect(answer.header('access-control-allow-credentials')).toBeUndefined()
        }
        expect(preflight.status, path).toBe(204)
      }
    const origin = ['Origin', 'https://evil.example'] as const
    for (const path of [`/oauth/authorize?${app.query()}`, '/oauth/consent', '/login', '/logout', '/'])
      for (const method of ['GET', 'OPTIONS', 'POST']) {
        const answer = await bench.send(path, { method, headers: [origin] })
        expect(
          answer.lines.filter(([name]) => name.startsWith('access-control')),
          `${method} ${path}`,
        ).toEqual([])
        if (method === 'OPTIONS') expect(answer.status).toBe(405)
      }
  })

  it('REQ-74: no value of a request can end a header and begin another', async () => {
    const breaks = [
      '\r\nSet-Cookie: evil=1',
      '%0d%0aSet-Cookie:%20evil=1',
      '\nSet-Cookie: evil=1',
      '\u560d\u560aSet-Cookie: evil=1',
    ]
    const app = await App.register(bench)
    for (const value of breaks)
      for (const answer of [
        await app.authorize({ state: value, scope: value }),
        await app.authorize({ redirect_uri: `${app.redirectUri}${value}` }),
        await app.askSignedOut({ login_hint: value, ui_locales: value }),
        await bench.post('/login', { return_to: `/${value}`, email: value, password: 'x' }),
        await bench.post('/logout', { return_to: `/x${value}` }),
        await app.redeem('gkc_x', { client_id: value }),
        await bench.postJson('/api/oauth/register', { redirect_uris: [`http://127.0.0.1/${value}`] }),
      ])
        expect(
          answer.lines.some(([, header]) => header.startsWith('evil=')),
          value,
        ).toBe(false)
    const origin = await bench.send('/mcp', {
      method: 'POST',
      headers: [['Origin', `${bench.base}\nX-Evil: 1`]],
      body: '{}',
    })
    expect([400, 403]).toContain(origin.status)
    expect(origin.header('x-evil')).toBeUndefined()
  })

  it('HT-12: a token in a path is not in the log', async () => {
    const app = await App.register(bench)
    const { access_token, refresh_token } = await app.tokens()
    const headers = [['Authorization', 'Bearer x']] as const
    for (const token of [access_token, refresh_token]) {
      await bench.send(`/api/courses/${token}`, { headers })
      await bench.send(`/api/courses/x%2F${token}`, { headers })
    }
    expect(bench.service.events.filter(({ type }) => type === 'refused')).toHaveLength(4)
    expect(bench.unexpectedFailures()).toEqual([])
  })

  it('REQ-75, HT-12: every error is JSON or a page, reveals no internals, and names no framework', async () => {
    const answers = [
      await bench.send('/nowhere'),
      await bench.send('/api/nowhere/at/all'),
      await bench.send('/%zz'),
      await post('/nowhere', 'application/json', '{'),
      await post('/nowhere', 'application/json', ''),
      await post('/nowhere', 'x/y', 'x'.repeat(100_000)),
      await bench.send('/api/courses/%zz'),
      await bench.send('no-path'),
      await bench.exchange('GET / HTTP/9.9\r\n\r\n'),
      await bench.exchange('\0\0\0\0\r\n\r\n'),
      await bench.exchange('GET /login HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n'),
      await bench.exchange(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`),
      await post('/api/oauth/token', FORM, 'x'),
      await post('/api/oauth/register', 'application/json', '{'),
      await post('/api/oauth/register', 'application/json', 'x'.repeat(100_000)),
      await bench.send('/api/courses?limit=x'),
      await bench.send('/api/courses/none'),
    ]
    for (const answer of answers) {
      expect(answer.header('content-type')).toBe('application/json')
      expect(errorMembers(answer)).toEqual(['error', 'error_description'])
      expect([answer.header('x-powered-by'), answer.header('server')]).toEqual([undefined, undefined])
    }
  })
})

/** The next connection that a server of this process accepts. */
function acceptedAt(port: number): Promise<{ readonly server: Socket; readonly closed: Promise<void> }> {
  return new Promise((resolve) => {
    const notice = (message: unknown) => {
      const { socket: server } = message as { socket: Socket }
      if (server.localPort !== port) return
      unsubscribe('net.server.socket', notice)
      resolve({ server, closed: new Promise((end) => void server.once('close', () => end())) })
    }
    subscribe('net.server.socket', notice)
  })
}
