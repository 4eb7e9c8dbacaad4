import { createHash } from 'node:crypto'
import type { HttpResponse } from '@grantkit/core'
import { type FormPostView, formPost } from '@grantkit/core/form-post'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { signedResponses } from '@grantkit/core/signed-responses'
import { pages } from '@grantkit/pages'
import { describe, expect, it } from 'vitest'
import {
  arrive,
  authorizationQuery,
  authorize,
  bodyOf,
  decide,
  redeem,
  redirectOf,
  register,
} from './client.ts'
import { openKnown } from './known-client-service.ts'
import { ISSUER, openService, PAGE, REDIRECT_URI, type Service } from './service.ts'

/** `response_mode=form_post`: the browser posts the answer (OAuth 2.0 Form Post Response Mode). */

const ui = pages({ brand: { name: 'Notes' }, links: { signInAt: ['https://login.example'] } })
const features = [formPost(ui.formPost), pushedAuthorizationRequests()]
type Options = Parameters<typeof openService>[0]
/** As `AddOpenIdConnect` of ASP.NET Core sends it with `ResponseType = "code"` and no other option for the request. */
const ASP_NET_CORE =
  'client_id={client_id}&redirect_uri=https%3A%2F%2Flocalhost%3A7071%2Fsignin-oidc&response_type=code&scope=openid%20profile' +
  '&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&response_mode=form_post' +
  '&nonce=639001234567890123.NmFjMDk2ZTUtOGE2Ni00YzUxLTk2ZWItYjA5M2VlMTA2NzQ1&state=CfDJ8Ax3k_9qLmZ2Vt0sWn7RbYpEo4HdGcUiKfTj1MvXyQ' +
  '&x-client-SKU=ID_NET10_0&x-client-ver=8.14.0.0'
type Changed = Record<string, string | undefined>

async function opened(options: Options = {}, redirectUri = REDIRECT_URI) {
  const service = openService({ features, ...options })
  const metadata = { clientName: 'Timetable', redirectUris: [redirectUri] }
  const client = await service.server.clients.add(metadata)
  const queryOf = (changed: Changed = {}) =>
    authorizationQuery(client.clientId, {
      ...{ redirect_uri: redirectUri, response_mode: 'form_post', ...changed },
    })
  const ask = (changed: Changed = {}, headers?: Record<string, string>) =>
    authorize(service, queryOf(changed), headers)
  return { service, client, queryOf, ask }
}

/** The form of the page, as a browser reads it. */
function formOf({ body }: HttpResponse) {
  const [, tag = '', inside = ''] = /<form([^>]*)>([\s\S]*?)<\/form>/.exec(body) ?? []
  const attributesOf = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name, value = '']) => [name, read(value)]),
    )
  const inputs = [...inside.matchAll(/<input([^>]*)>/g)].map(([, input = '']) => attributesOf(input))
  const fields = Object.fromEntries(inputs.map(({ name, value }) => [name, value]))
  return { ...attributesOf(tag), fields, rest: inside.replaceAll(/<input type="hidden"[^>]*>/g, '') }
}
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }
const read = (text: string) =>
  text.replaceAll(/&(?:(\w+)|#(?:x([0-9a-f]+)|(\d+)));/gi, (_, name, hex, code) =>
    name ? (ENTITIES[name] ?? '') : String.fromCharCode(code ? Number(code) : Number.parseInt(hex, 16)),
  )
const policyOf = ({ headers }: HttpResponse) => String(headers['content-security-policy']).split('; ')

describe('the answer by a form', () => {
  it('has the code, the state and the issuer, for the redirect URI as it was sent, and nothing else', async () => {
    const { service, client, ask } = await opened()
    expect(await ask()).toMatchObject({ body: 'consent' })
    expect(service.shown.consent?.formActionSources, 'no redirect follows').toEqual([])
    const answer = await decide(service)
    expect(answer.status).toBe(200)
    expect(answer.headers.location).toBeUndefined()
    const { fields, ...form } = formOf(answer)
    expect(form).toEqual({
      ...{ method: 'post', action: REDIRECT_URI, rest: '<button class="primary">Continue</button>' },
    })
    expect(fields).toEqual({ code: expect.any(String), state: 'a state', iss: ISSUER })
    expect(await redeem(service, client, fields.code)).toMatchObject({ status: 200 })
  })

  it('is a page that nobody caches or frames, whose one script sends the form to that origin alone', async () => {
    const { service, ask } = await opened()
    await ask()
    const answer = await decide(service)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'referrer-policy': 'strict-origin',
    })
    const [, script = ''] = /<script>(.*)<\/script>/.exec(answer.body) ?? []
    expect(script).toBe('document.forms[0].submit()')
    expect(policyOf(answer)).toEqual([
      "default-src 'none'",
      expect.stringMatching(/^style-src 'sha256-[\w+/=]+'$/),
      `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
      'form-action http://127.0.0.1:7001',
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
  })

  it('has the same policy on a page that brings none', async () => {
    const views: FormPostView[] = []
    const formPostPage = (view: FormPostView) => {
      views.push(view)
      return { status: 202, headers: { 'referrer-policy': 'no-referrer' }, body: 'mine' }
    }
    const { service, client, ask } = await opened({ features: [formPost({ formPostPage })] })
    await ask({ state: undefined })
    const answer = await decide(service)
    expect([answer.status, answer.headers['referrer-policy']]).toEqual([200, 'strict-origin'])
    expect(policyOf(answer)).toContain(`script-src ${views[0]?.scriptSource}`)
    expect(policyOf(answer)).toContain('form-action http://127.0.0.1:7001')
    expect(Object.keys(views[0]?.fields ?? {}), 'no state').toEqual(['code', 'iss'])
    expect(views).toMatchObject([
      { ...PAGE, request: { method: 'POST' }, client: { clientId: client.clientId }, action: REDIRECT_URI },
    ])
  })

  it('tells of a denial', async () => {
    const { service, ask } = await opened()
    await ask()
    expect(formOf(await decide(service, { decision: 'deny' })).fields).toEqual({
      ...{ error: 'access_denied', error_description: expect.any(String), state: 'a state', iss: ISSUER },
    })
  })
})

describe('an attack', () => {
  it('by markup in state stays text, which the client gets back', async () => {
    const { service, ask } = await opened()
    const state = `"></form><script>alert(1)</script><form action='https://evil.example'>&amp; ü`
    await ask({ state })
    const answer = await decide(service)
    expect(answer.body.match(/<script|<form/g)).toEqual(['<form', '<script'])
    expect(formOf(answer).fields.state).toBe(state)
  })

  it('by a second post of the page, as after the back button, redeems no code twice', async () => {
    const { service, client, ask } = await opened()
    await ask()
    const { code = '' } = formOf(await decide(service)).fields
    expect((await redeem(service, client, code)).status).toBe(200)
    expect(bodyOf(await redeem(service, client, code)).error).toBe('invalid_grant')
  })

  it('by a form of another site gets no code', async () => {
    const { service, ask } = await opened()
    await ask()
    const foreign = { cookie: 'user=alice', origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect(await decide(service, {}, foreign)).toMatchObject({ status: 403, body: 'form_of_another_site' })
  })
})

describe('errors and silence', () => {
  it.each<[string, Changed, string]>([
    ['an unknown scope', { scope: 'unknown' }, 'invalid_scope'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['a request object', { request: 'a.b.c' }, 'request_not_supported'],
    ['prompt=none that needs consent', { prompt: 'none' }, 'consent_required'],
  ])('go by a form with status 200: %s', async (_, changed, error) => {
    const { ask } = await opened()
    const answer = await ask(changed)
    expect([answer.status, answer.headers.location]).toEqual([200, undefined])
    expect(formOf(answer).fields).toMatchObject({ error, state: 'a state', iss: ISSUER })
  })

  it('prompt=none without a session is answered by a form', async () => {
    const { ask } = await opened()
    expect(formOf(await ask({ prompt: 'none' }, {})).fields.error).toBe('login_required')
  })

  it('prompt=none with a remembered consent brings the code by a form', async () => {
    const service = openService({ features })
    const { clientId } = await service.server.clients.add({
      ...{ clientName: 'Timetable', redirectUris: [REDIRECT_URI], rememberConsent: true },
    })
    const query = authorizationQuery(clientId, { scope: 'courses:read', response_mode: 'form_post' })
    await authorize(service, query)
    await decide(service)
    for (const more of ['', '&prompt=none'])
      expect(formOf(await authorize(service, query + more)).fields.code, more).toMatch(/^gkc_/)
  })

  it('an error before the redirect URI is trusted stays a page', async () => {
    const { service, ask } = await opened()
    const answer = await ask({ redirect_uri: 'https://evil.example/cb' })
    expect([answer.status, service.shown.error?.reason]).toEqual([400, 'redirect_uri_not_registered'])
  })

  it('a mode that is named twice is an error by query', async () => {
    const { service, queryOf } = await opened()
    const answer = await authorize(service, `${queryOf()}&response_mode=form_post`)
    expect(redirectOf(answer)).toMatchObject({ error: 'invalid_request', state: 'a state' })
  })
})

describe('the consent page', () => {
  it('sends its form to this site alone, also for a known client, since no redirect follows', async () => {
    const { service, ask } = await opened()
    await ask()
    expect(service.shown.consent?.formActionSources).toEqual([])
    const claude = 'https://claude.ai/api/mcp/auth_callback'
    const known = openKnown({}, { features })
    const { clientId } = await register(known, { redirect_uris: [claude] })
    await authorize(known, authorizationQuery(clientId, { redirect_uri: claude, response_mode: 'form_post' }))
    expect(known.shown.consent?.formActionSources).toEqual([])
    expect(formOf(await decide(known))).toMatchObject({ action: claude, fields: { state: 'a state' } })
  })

  it('offers no callback to copy, and ignores who asks for it', async () => {
    const callbackPage = () => ({ status: 200, headers: {}, body: 'copy it' })
    const { service, ask } = await opened({ callbackPage })
    await ask()
    expect(service.shown.consent).not.toHaveProperty('canShowCallback')
    expect(formOf(await decide(service, { callback: 'show' })).fields.code).toMatch(/^gkc_/)
  })
})

describe('the redirect URIs', () => {
  it.each([
    ['https://crm.example/signin-oidc', 'https://crm.example'],
    ['https://crm.example:8443/cb?tenant=a&b=c', 'https://crm.example:8443'],
    ['http://localhost:5000/signin-oidc', 'http://localhost:5000'],
    // CSP cannot spell an IPv6 address.
    ['http://[::1]:7001/cb', 'http:'],
  ])('may be %s', async (redirectUri, source) => {
    const { service, ask } = await opened({}, redirectUri)
    await ask()
    const answer = await decide(service)
    expect(formOf(answer).action).toBe(redirectUri)
    expect(policyOf(answer)).toContain(`form-action ${source}`)
  })

  it('may not be a private-use one, which gets the error by query', async () => {
    const { ask } = await opened({}, 'com.example.app:/cb')
    expect(redirectOf(await ask())).toMatchObject({ error: 'invalid_request', state: 'a state' })
  })
})

describe('a pushed request', () => {
  const push = (service: Service, form: string) => service.send('POST', '/api/oauth/par', { form })
  const secretOf = ({ clientSecret }: { clientSecret?: string | undefined }) =>
    `&client_secret=${clientSecret}`

  it('is answered by a form if it says so, whatever stands in the query', async () => {
    const { service, client, queryOf } = await opened()
    const answer = await push(service, queryOf() + secretOf(client))
    const { request_uri } = bodyOf<{ request_uri: string }>(answer)
    const query = String(new URLSearchParams({ client_id: client.clientId, request_uri }))
    await arrive(service, `${query}&response_mode=query`)
    expect(formOf(await decide(service)).fields.code).toMatch(/^gkc_/)
  })

  it('for a private-use redirect URI is refused at the push', async () => {
    const { service, client, queryOf } = await opened({}, 'com.example.app:/cb')
    const answer = await push(service, queryOf() + secretOf(client))
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_request'])
  })
})

describe('the server', () => {
  it('lists the mode, and uses query for a request that names none', async () => {
    const { service, ask } = await opened()
    expect(service.server.metadata.response_modes_supported).toEqual(['query', 'form_post'])
    await ask({ response_mode: undefined })
    expect(redirectOf(await decide(service)).code).toMatch(/^gkc_/)
  })

  it('without the feature names the option of ASP.NET Core that sends query', async () => {
    const { service, ask } = await opened({ features: [] })
    expect(service.server.metadata.response_modes_supported).toEqual(['query'])
    expect(redirectOf(await ask()).error_description).toContain(
      'ResponseMode to OpenIdConnectResponseMode.Query',
    )
  })

  it('names that option beside signed modes too, and where the mode does not fit the redirect URI', async () => {
    const signed = await opened({ features: [signedResponses()] })
    const own = await opened({}, 'com.example.app:/cb')
    for (const { ask } of [signed, own])
      expect(redirectOf(await ask()).error_description).toContain('OpenIdConnectResponseMode.Query')
  })

  it.each(['fragment', 'FORM_POST', 'form_post.jwt'])('lists its modes to who asks for %s', async (mode) => {
    const { ask } = await opened()
    expect(redirectOf(await ask({ response_mode: mode })).error_description).toBe(
      'response_mode must be one of query, form_post',
    )
  })

  it('answers the request of an ASP.NET Core application with its defaults', async () => {
    const redirectUri = 'https://localhost:7071/signin-oidc'
    const { service, client } = await opened({}, redirectUri)
    const query = ASP_NET_CORE.replace('{client_id}', client.clientId)
    expect(await authorize(service, query)).toMatchObject({ body: 'consent' })
    const { action, fields } = formOf(await decide(service))
    expect([action, Object.keys(fields)]).toEqual([redirectUri, ['code', 'state', 'iss']])
    expect(fields.state).toMatch(/^CfDJ8/)
  })
})
