import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  cookie,
  headerRows,
  NO_STORE,
  OF_CORE,
  OWN_FORMS,
  PROTOCOL,
  page,
  type Row,
  SCHOOL,
  scripted,
} from './header-rows.ts'
import { pathsOf } from './paths.ts'
import { type Received, rawRequest, type Sent } from './raw-request.ts'
import { type RunningService, runService } from './service.ts'

const ELSEWHERE = 'https://elsewhere.example'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CALLBACK = 'http://127.0.0.1:49200/callback'

const SECURITY =
  /^(content-security-policy|referrer-policy|x-(frame|content-type)-options|strict-transport-security|cache-control|pragma|vary|set-cookie|access-control-.*|server|x-powered-by)$/

/** The headers that the table names; a cookie without its value, and a policy without the hash of the style. */
function securityHeaders({ headers }: Received): object {
  const cookies = headers['set-cookie']?.map((line) => line.replace(/(-\d+)?=[^;]*/, '=…'))
  const policy = String(headers['content-security-policy']).replace(/(?<='sha256-)[^']+/, '…')
  const all = { ...headers, 'content-security-policy': policy, ...(cookies ? { 'set-cookie': cookies } : {}) }
  return Object.fromEntries(Object.entries(all).filter(([name]) => SECURITY.test(name)))
}

describe.each([
  ['http', {}, {}],
  [
    'https, which a proxy ends',
    { BASE_URL: 'https://school.example' },
    { 'strict-transport-security': 'max-age=31536000; includeSubDomains' },
  ],
])('on %s', (_, environment: Record<string, string>, always) => {
  const https = 'BASE_URL' in environment
  const rows = headerRows(https)
  let service: RunningService
  beforeAll(async () => {
    service = await runService(environment)
  })
  afterAll(() => service.close())

  const ask = (sent: Sent) =>
    rawRequest(service, { ...sent, headers: { origin: ELSEWHERE, ...sent.headers } })
  const at = (path: string) => path.replace(/:\w+$/, 'none')

  async function expectHeaders(sent: Sent, status: number, headers: object): Promise<Received> {
    const answer = await ask(sent)
    const of = `${sent.method ?? 'GET'} ${sent.path}`
    expect([of, answer.status, securityHeaders(answer)]).toEqual([of, status, { ...always, ...headers }])
    return answer
  }

  it('every route of the service has a row', () => {
    expect(pathsOf(service).sort()).toEqual(Object.keys(rows).sort())
  })

  it.each(Object.entries(rows))('%s answers with its headers', async (path, row) => {
    const { ask: sent, status = 200, headers, cors } = row
    await expectHeaders({ ...sent, path: at(path) }, status, { ...headers, ...cors })
  })

  it.each(Object.entries(rows))('%s answers a preflight with the allowed origins', async (path, row: Row) => {
    const preflight = { 'access-control-request-method': 'POST' }
    const { status, headers } = await ask({ method: 'OPTIONS', path: at(path), headers: preflight })
    expect(status).toBe(row.preflight ?? 405)
    const open = status === 204
    expect(headers['access-control-allow-origin']).toBe(open ? '*' : undefined)
    expect('access-control-allow-methods' in headers).toBe(open)
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })

  it('the pages and redirects from the sign-in to a token, and responses to the token', async () => {
    const open = { ...OF_CORE, ...PROTOCOL }
    const jar: Record<string, string> = {}
    const asPerson = async (sent: Sent, status: number, headers: object) => {
      const cookie = Object.entries(jar).map(([name, value]) => `${name}=${value}`)
      const own = { origin: new URL(service.baseUrl).origin, cookie: cookie.join('; ') }
      const answer = await expectHeaders({ ...sent, headers: own }, status, headers)
      for (const line of answer.headers['set-cookie'] ?? [])
        jar[line.slice(0, line.indexOf('='))] = /=([^;]*)/.exec(line)?.[1] ?? ''
      return answer
    }

    const registration = { method: 'POST', path: '/api/oauth/register', json: { redirect_uris: [CALLBACK] } }
    const { client_id } = JSON.parse((await expectHeaders(registration, 201, open)).body)
    const query = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: CALLBACK,
      scope: 'openid students:read',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    })
    const authorize = { path: `/oauth/authorize?${query}` }
    const unlessPage = "default-src 'self'; frame-ancestors 'none'"
    await asPerson(authorize, 303, {
      ...page(),
      'content-security-policy': unlessPage,
      pragma: 'no-cache',
    })

    const formCookie = cookie('sign-in', 1800, https)
    const signInPage = await asPerson({ path: '/login' }, 200, {
      ...page(scripted(https)),
      'set-cookie': [formCookie],
    })
    const fields = hiddenFields(signInPage)
    const signIn = { method: 'POST', path: '/login', form: { ...fields, email: 'demo@example.com' } }
    await asPerson(signIn, 401, { ...page(scripted(https)), 'set-cookie': [formCookie] })
    const again = hiddenFields(
      await asPerson({ path: '/login' }, 200, { ...page(scripted(https)), 'set-cookie': [formCookie] }),
    )
    const right = { ...signIn, form: { ...again, email: 'demo@example.com', password: 'demo' } }
    const signedIn = [cookie('session', https ? 43_200 : 3600, https), cookie('sign-in', 0, https)]
    await asPerson(right, 303, { ...NO_STORE, 'set-cookie': signedIn })
    await asPerson({ path: '/account' }, 200, page(scripted(https) + OWN_FORMS))

    const loopback = "form-action 'self' http://127.0.0.1:49200; "
    const consentPage = await asPerson(authorize, 200, { ...page(loopback), pragma: 'no-cache' })
    const consent = { method: 'POST', path: `/oauth/consent?${query}` }
    const decision = { ...hiddenFields(consentPage), decision: 'allow', scope: 'students:read' }
    const { headers } = await asPerson({ ...consent, form: decision }, 303, OF_CORE)
    const code = new URL(String(headers.location)).searchParams.get('code') ?? ''

    const form = {
      grant_type: 'authorization_code',
      client_id,
      code,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
    }
    const answer = await expectHeaders({ method: 'POST', path: '/api/oauth/token', form }, 200, open)
    const { access_token: token } = JSON.parse(answer.body)
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    await expectHeaders({ ...bearer, path: '/api/oauth/userinfo' }, 200, open)
    await expectHeaders({ ...bearer, path: '/api/students' }, 200, {
      ...NO_STORE,
      ...SCHOOL,
      vary: 'Authorization',
    })
    const revocation = { method: 'POST', path: '/api/oauth/revoke', form: { client_id, token } }
    await expectHeaders(revocation, 200, open)
    await expectHeaders({ ...bearer, path: '/api/students' }, 401, { ...open, ...SCHOOL })
    await asPerson({ method: 'POST', path: '/logout', form: {} }, 303, {
      ...NO_STORE,
      'set-cookie': [cookie('session', 0, https)],
    })
  })

  it.each(['http://localhost:6274', 'own'])('an app at %s may read what MCP answers', async (from) => {
    const origin = from === 'own' ? new URL(service.baseUrl).origin : from
    const mcp = { method: 'POST', path: '/mcp', json: {}, headers: { origin } }
    await expectHeaders(mcp, 400, {
      ...NO_STORE,
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'WWW-Authenticate, Grantkit-Reference',
    })
  })

  it.each<[string, Sent, number, object]>([
    ['a path that is no route', { path: '/nowhere' }, 404, NO_STORE],
    ['a method that a page has no answer to', { method: 'DELETE', path: '/login' }, 405, NO_STORE],
    [
      'a body that is too large',
      { method: 'POST', path: '/api/oauth/token', form: { a: 'x'.repeat(70_000) } },
      413,
      OF_CORE,
    ],
  ])('%s is refused with the headers of every answer', async (_, sent, status, headers) => {
    await expectHeaders(sent, status, headers)
  })
})

function hiddenFields({ body }: Received): Record<string, string> {
  const fields = body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return Object.fromEntries([...fields].map(([, name, value]) => [name, value]))
}
