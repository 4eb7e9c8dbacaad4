import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import type { Received, Sent } from '@grantkit/test-servers/raw-request'
import { describeHeaders, NO_STORE, OWN_FORMS, PROTOCOL, page } from '@grantkit/test-servers/security-headers'
import { inspectRoutes } from 'hono/dev'
import { expect, it, onTestFinished } from 'vitest'
import { cookie, headerRows, OF_CORE, scripted } from './header-rows.ts'
import { runServer } from './running-server.ts'

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CALLBACK = 'http://127.0.0.1:49200/callback'

/** With a logo, which is inside its pages. */
async function start(variables: Record<string, string>) {
  const folder = await folderInMemory('logo')
  const logo = join(folder, 'icon.svg')
  await writeFile(logo, '<svg xmlns="http://www.w3.org/2000/svg"/>')
  const server = await runServer(variables, { brand: { name: 'Notes', logo } })
  await rm(folder, { recursive: true })
  return server
}

describeHeaders(start, headerRows, ({ https, server, expectHeaders }) => {
  it('every route of the server has a row', () => {
    const { routes, app } = server()
    const paths = [...routes, ...inspectRoutes(app)].map(({ path }) => path)
    const own = new Set(paths.filter((path) => path !== '/*'))
    expect([...own].sort()).toEqual(Object.keys(headerRows(https)).sort())
  })

  it('the pages and redirects from the sign-in to a token, and responses to the token', async () => {
    const open = { ...OF_CORE, ...PROTOCOL }
    const jar: Record<string, string> = {}
    const asPerson = async (sent: Sent, status: number, headers: object) => {
      const cookie = Object.entries(jar).map(([name, value]) => `${name}=${value}`)
      const own = { origin: new URL(server().baseUrl).origin, cookie: cookie.join('; ') }
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
      scope: 'openid notes:read',
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
    const session = cookie('session', https ? 43_200 : 3600, https)
    const device = cookie('device', 15_552_000, https)
    await asPerson(right, 303, { ...NO_STORE, 'set-cookie': [session, device] })
    await asPerson({ path: '/account' }, 200, page(scripted(https) + OWN_FORMS))

    const loopback = "form-action 'self' http://127.0.0.1:49200; "
    const consentPage = await asPerson(authorize, 200, { ...page(loopback), pragma: 'no-cache' })
    const consent = { method: 'POST', path: `/oauth/consent?${query}` }
    const decision = { ...hiddenFields(consentPage), decision: 'allow', scope: 'notes:read' }
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
    const revocation = { method: 'POST', path: '/api/oauth/revoke', form: { client_id, token } }
    await expectHeaders(revocation, 200, open)
    await expectHeaders({ ...bearer, path: '/api/oauth/userinfo' }, 401, open)
    await asPerson({ method: 'POST', path: '/logout', form: {} }, 303, {
      ...NO_STORE,
      'set-cookie': [cookie('session', 0, https)],
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

it.each([
  ['https://auth.example', 'max-age=31536000; includeSubDomains'],
  ['https://example.com/auth', null],
])('the policy for TLS is of a host of the server alone: %s', async (BASE_URL, policy) => {
  const server = await runServer({ BASE_URL })
  onTestFinished(() => server.close())
  const { headers } = await fetch(`http://127.0.0.1:${server.port}/healthz`)
  expect(headers.get('strict-transport-security')).toBe(policy)
})

function hiddenFields({ body }: Received): Record<string, string> {
  const fields = body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return Object.fromEntries([...fields].map(([, name, value]) => [name, value]))
}
