import { OAuthError, type RateLimiter } from '@grantkit/core'
import { admitClientIds, admitHosts } from '@grantkit/core/client-documents'
import { ERRORS } from '@grantkit/core/errors'
import { aClient } from '@grantkit/testkit'
import { describe, expect, it } from 'vitest'
import {
  ALICE,
  authorizationQuery,
  authorize,
  bodyOf,
  decide,
  redeem,
  redirectOf,
  refresh,
  requestToken,
  type TokenAnswer,
} from './client.ts'
import { DOCUMENT, type DocumentHost, fault, ID, openWithDocuments } from './document-host.ts'
import { openService, PAGE, REDIRECT_URI, type Service } from './service.ts'

/** Clients whose documents are fetched: when, for which requests, and the meaning of the responses of their host. */

const BOB = { cookie: 'user=bob' }
const query = (id = ID, overrides = {}) => authorizationQuery(id, overrides)
const authorizeAs =
  (headers: object, id = ID) =>
  (service: Service) =>
    authorize(service, query(id), headers as never)
const asAlice = authorizeAs(ALICE)
const unauthenticated = authorizeAs({})

async function signedIn(service: Service, id = ID): Promise<TokenAnswer> {
  expect((await authorize(service, query(id))).body).toBe('consent')
  return redeemed(service, redirectOf(await decide(service)).code, id)
}

async function redeemed(service: Service, code = '', id = ID): Promise<TokenAnswer> {
  const answer = await redeem(service, { clientId: id }, code)
  expect(answer.status).toBe(200)
  return bodyOf<TokenAnswer>(answer)
}

async function reasonOf(service: Service, answer: Promise<{ status: number }>) {
  const { status } = await answer
  return [status, service.shown.error?.reason]
}

async function records(service: Service): Promise<string[]> {
  const ids: string[] = []
  for await (const { clientId } of service.store.clients.scan()) ids.push(clientId)
  for await (const { id } of service.store.grants.scan()) ids.push(id)
  return ids
}

const eventsOf = (service: Service, type: string) =>
  (service.events as { type: string }[]).filter((event) => event.type === type)

/** The document is stale, and nothing else has changed. */
function later(service: Service, host: DocumentHost, answer: DocumentHost['answer'] = host.answer) {
  service.clock.now += 3600
  host.requests.length = 0
  host.answer = answer
}

describe('a client whose document is fetched', () => {
  it('works like any other: code, refresh, revocation', async () => {
    const { service, host } = openWithDocuments()
    const { refresh_token } = await signedIn(service)
    const next = bodyOf<TokenAnswer>(await refresh(service, { clientId: ID }, refresh_token))
    expect((await service.callApi(next.access_token, 'courses:read')).kind).toBe('authorized')
    expect((await service.server.grants.list('alice')).grants).toMatchObject([
      { client: { clientName: 'Editor' } },
    ])
    const form = { client_id: ID, token: next.refresh_token }
    expect((await service.send('POST', '/api/oauth/revoke', { form })).status).toBe(200)
    expect((await service.callApi(next.access_token, 'courses:read')).kind).toBe('refused')
    expect(host.requests).toHaveLength(1)
  })

  it('is fetched from its exact id, with the limits of a document', async () => {
    const { service, host } = openWithDocuments()
    await asAlice(service)
    const [{ signal, ...request } = {} as never] = host.requests
    expect(request).toEqual({ url: ID, accept: 'application/json', maxBytes: 5120, headers: {} })
    expect(signal).toBeInstanceOf(AbortSignal)
  })

  it('is stored by an approval and not before', async () => {
    const { service } = openWithDocuments()
    await asAlice(service)
    expect(await records(service)).toEqual([])
    await decide(service, { decision: 'deny' })
    expect(await records(service)).not.toContain(ID)
    await signedIn(service)
    expect(await records(service)).toContain(ID)
  })

  it('CM-12: a client is shared by installations whose grants are independent', async () => {
    const { service } = openWithDocuments()
    const [one, other] = [await signedIn(service), await signedIn(service)]
    await refresh(service, { clientId: ID }, one.refresh_token)
    service.clock.now += 3600
    expect((await refresh(service, { clientId: ID }, one.refresh_token)).status, 'reuse').toBe(400)
    expect((await refresh(service, { clientId: ID }, other.refresh_token)).status).toBe(200)
  })

  it('CM-12: failures of one installation do not limit another', async () => {
    const counted: string[] = []
    const rateLimiter: RateLimiter = {
      take: async (limit, key) => (limit === 'client_failure' && counted.push(key) > 1 ? 60 : 0),
    }
    const { service } = openWithDocuments({ rateLimiter })
    const { refresh_token } = await signedIn(service)
    const form = { grant_type: 'refresh_token', client_id: ID, refresh_token: 'x' }
    const failed = () => service.send('POST', '/api/oauth/token', { form, remoteAddress: '203.0.113.7' })
    expect([(await failed()).status, (await failed()).status]).toEqual([400, 429])
    expect(counted[0]).toBe(`${ID} 203.0.113.7`)
    expect((await refresh(service, { clientId: ID }, refresh_token)).status).toBe(200)
  })

  it('is approved by many users at once', async () => {
    const { service } = openWithDocuments()
    const views = []
    for (let number = 0; number < 20; number++) {
      await authorizeAs({ cookie: `user=user${number}` })(service)
      views.push({ ...service.shown.consent })
    }
    const answers = views.map(({ action = '', ticket = '' }, number) => {
      const [path = '', query = ''] = action.split('?')
      const form = { ticket, decision: 'allow', scope: 'openid' }
      return service.send('POST', path, { query, form, headers: { cookie: `user=user${number}` } })
    })
    for (const answer of await Promise.all(answers)) expect(redirectOf(answer).code).toBeDefined()
  })

  it('is shown with its verified host, and with a warning about loopback', async () => {
    const { service } = openWithDocuments({ admit: admitHosts(['editor.dev'], 'https-callbacks-too') })
    await asAlice(service)
    expect(service.shown.consent?.identity).toEqual({ host: 'editor.dev', loopback: true })
    await authorize(service, query(ID, { redirect_uri: 'https://editor.dev/callback' }))
    expect(service.shown.consent?.identity).toMatchObject({ loopback: false })
  })

  it('needs consent each time', async () => {
    const { service } = openWithDocuments()
    await signedIn(service)
    const silent = await authorize(service, query(ID, { prompt: 'none' }))
    expect(redirectOf(silent).error).toBe('consent_required')
  })

  it.each(['client_secret', 'client_assertion'])('is rejected with a %s, since it has none', async (name) => {
    const { service } = openWithDocuments()
    const { refresh_token } = await signedIn(service)
    const form = { grant_type: 'refresh_token', client_id: ID, refresh_token, [name]: 'x' }
    expect(bodyOf(await requestToken(service, form)).error).toBe('invalid_client')
  })
})

describe('nothing is fetched', () => {
  it('CM-08: ten thousand unauthenticated requests cause no request and no record', async () => {
    const { service, host } = openWithDocuments()
    for (let number = 0; number < 10_000; number++) {
      const { status } = await authorizeAs({}, `https://editor.dev/${number}.json`)(service)
      if (status !== 303) expect(status).toBe(303)
    }
    expect(host.requests).toEqual([])
    expect(await records(service)).toEqual([])
  })

  it('before the sign-in, whose page shows only the host', async () => {
    const { service, host } = openWithDocuments()
    const demands = { prompt: 'login', max_age: '60' }
    await authorize(service, query(ID, { login_hint: 'alice', ui_locales: 'de', ...demands }), {})
    expect(service.shown.signInHint).toEqual({
      ...{ ...PAGE, clientHost: 'editor.dev', loginHint: 'alice', uiLocales: 'de' },
      ...{ prompt: 'login', maxAge: 60 },
    })
    expect(host.requests).toEqual([])
    await service.send('GET', '/oauth/authorize', {
      query: service.shown.signIn?.split('?')[1] ?? '',
      headers: ALICE,
    })
    expect(service.shown.consent?.client.clientName).toBe('Editor')
  })

  it('and one sign-in is enough for a request that requires one', async () => {
    const { service } = openWithDocuments()
    await authorize(service, query(ID, { prompt: 'login' }), {})
    const back = service.shown.signIn?.split('?')[1] ?? ''
    expect((await service.send('GET', '/oauth/authorize', { query: back, headers: ALICE })).body).toBe(
      'consent',
    )
  })

  it('for prompt=none without a user: a page, since no redirect URI is trusted', async () => {
    const { service, host } = openWithDocuments()
    await authorize(service, query(ID, { prompt: 'none' }), {})
    expect(service.shown.error).toMatchObject({ error: 'login_required', status: 400 })
    expect(host.requests).toEqual([])
  })

  it.each([
    ['token', { grant_type: 'authorization_code', code: 'x', code_verifier: 'x'.repeat(43) }],
    ['token', { grant_type: 'refresh_token', refresh_token: 'x' }],
    ['revoke', { token: 'x' }],
    ['introspect', { token: 'x' }],
  ])(
    'CM-08: at no endpoint but the authorization endpoint is a document fetched: %s',
    async (endpoint, form) => {
      const { service, host } = openWithDocuments()
      const answer = await service.send('POST', `/api/oauth/${endpoint}`, {
        form: { client_id: ID, ...form } as never,
      })
      expect([answer.status, bodyOf(answer).error]).toEqual([401, 'invalid_client'])
      expect(host.requests).toEqual([])
    },
  )

  it('CM-08: no document is fetched for an id in the Authorization header', async () => {
    const { service, host } = openWithDocuments()
    const authorization = `Basic ${Buffer.from(`${encodeURIComponent(ID)}:x`).toString('base64')}`
    for (const endpoint of ['token', 'revoke', 'introspect']) {
      const form = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x' }
      const sent = { form, headers: { authorization } }
      const answer = await service.send('POST', `/api/oauth/${endpoint}`, sent)
      expect(bodyOf(answer).error, endpoint).toBe('invalid_client')
    }
    expect(host.requests).toEqual([])
  })

  it('CM-08: a consent form that is expired or of another user causes no request', async () => {
    const { service, host } = openWithDocuments()
    await asAlice(service)
    later(service, host)
    for (const headers of [ALICE, BOB, {}])
      expect((await decide(service, {}, headers)).headers.location).toMatch(/^\/oauth\/authorize\?/)
    expect(host.requests).toEqual([])
  })

  it.each([
    'https://editor.dev',
    'https://editor.dev/',
    'https://editor.dev/c?x=1',
    'https://editor.dev/c#',
    'https://EDITOR.dev/c',
    'https://editor.dev:443/c',
    'https://user@editor.dev/c',
    'https://editor.dev\\@evil.dev/c',
    'https://[::ffff:7f00:1]/c',
    'https://[64:ff9b::a9fe:a9fe]/c',
    'https://[2002:7f00:1::]/c',
    'https://0x7f.1/c',
    'https://2130706433/c',
    'https://①②⑦.⓪.⓪.①/c',
    'https://editor.dev./c',
    'https:/editor.dev/c',
    'https://edi\ttor.dev/c',
    'https://metadata.google.internal/c',
    'https://server.example/oauth/authorize',
  ])(
    'CM-01: an id that is no address on the public internet is unknown, and nothing is fetched: %s',
    async (id) => {
      const { service, host } = openWithDocuments()
      for (const headers of [ALICE, {}])
        expect(await reasonOf(service, authorizeAs(headers, id)(service))).toEqual([400, 'client_unknown'])
      expect(host.requests).toEqual([])
    },
  )

  it.each([
    ['a host', admitHosts(['other.dev'])],
    ['an id', admitClientIds([`${ID}x`])],
    ['the beginning of a host', admitHosts(['editor.de', 'dev'])],
  ])('for what the operator does not admit by %s', async (_, admit) => {
    const { service, host } = openWithDocuments({ admit })
    for (const headers of [ALICE, {}])
      expect(await reasonOf(service, authorizeAs(headers)(service))).toEqual([400, 'client_unknown'])
    expect(host.requests).toEqual([])
  })

  it('for a document that is pinned', async () => {
    const { service, host } = openWithDocuments({ pinned: [DOCUMENT] })
    await unauthenticated(service)
    expect(service.shown.signInHint?.client?.clientName).toBe('Editor')
    await signedIn(service)
    expect(host.requests).toEqual([])
  })

  it('for an integration that has a URL as its id', async () => {
    const { service, host } = openWithDocuments()
    const integration = aClient({ clientId: ID, origin: 'integration', redirectUris: [REDIRECT_URI] })
    await service.store.clients.insert(ID, integration, service.clock.now + 3600)
    expect((await asAlice(service)).body).toBe('consent')
    expect(redirectOf(await decide(service)).code).toBeDefined()
    expect(host.requests).toEqual([])
  })

  it('for one client twice at a time', async () => {
    const { service, host } = openWithDocuments()
    const answers = await Promise.all([asAlice(service), asAlice(service), authorizeAs(BOB)(service)])
    expect(answers.map(({ body }) => body)).toEqual(['consent', 'consent', 'consent'])
    expect(host.requests).toHaveLength(1)
  })
})

describe('the answer of the host', () => {
  it.each<[string, DocumentHost['answer']]>([
    ['404', { status: 404 }],
    ['410', { status: 410 }],
    ['no JSON object', { document: '[]' }],
    ['a byte order mark', { document: `\ufeff${JSON.stringify(DOCUMENT)}` }],
    ['thousands of levels', { document: '['.repeat(5000) }],
    ['the id of another', { document: { ...DOCUMENT, client_id: 'https://editor.dev/Client.json' } }],
    [
      'two ids',
      { document: `{"client_id":"${ID}",${JSON.stringify({ ...DOCUMENT, client_id: 'x' }).slice(1)}` },
    ],
    ['a secret', { document: { ...DOCUMENT, client_secret: 'x' } }],
    ['a script', { document: { ...DOCUMENT, redirect_uris: ['javascript:alert(1)'] } }],
  ])('CM-04: a document that describes no client, or another one, is rejected: %s', async (_, answer) => {
    const { service, host } = openWithDocuments()
    host.answer = answer
    expect(await reasonOf(service, asAlice(service))).toEqual([400, 'document_invalid'])
    expect(service.shown.error).toMatchObject({ error: 'invalid_client', parameters: { host: 'editor.dev' } })
  })

  const OUT_OF_REACH: [string, DocumentHost['answer']][] = [
    ...['dns', 'address', 'tls', 'timeout', 'size', 'encoding', 'connect'].map((code): [string, Error] => [
      code,
      fault(code),
    ]),
    ...[301, 302, 307, 304, 401, 403, 429, 500, 503].map((status): [string, DocumentHost['answer']] => [
      `status ${status}`,
      { status },
    ]),
    ['type', { headers: { 'content-type': 'text/html' }, document: '<html>' }],
    ['encoding', { headers: { 'content-encoding': 'gzip' } }],
    ['size', { document: { ...DOCUMENT, x: 'x'.repeat(5120) } }],
    ['unexpected', new TypeError('a bug of the fetch')],
  ]

  it.each(OUT_OF_REACH)(
    'CM-03: every reason why a document cannot be fetched has one text for the browser: %s',
    async (code, answer) => {
      const { service, host } = openWithDocuments()
      host.answer = answer
      const page = await asAlice(service)
      expect([page.status, page.headers['retry-after']]).toEqual([503, '5'])
      expect(service.shown.error).toEqual({
        ...PAGE,
        parameters: { host: 'editor.dev' },
        error: 'temporarily_unavailable',
        description: 'The client_id URL cannot be fetched at the moment. Try again later',
        reason: 'document_unreachable',
        status: 503,
      })
      expect(eventsOf(service, 'client_document_failed')).toMatchObject([{ clientId: ID, fault: code }])
    },
  )

  it.each([
    ['text/plain; charset=utf-8', 'text/plain'],
    ['application/octet-stream', 'application/octet-stream'],
    [undefined, 'none'],
    ['text/\u2028"x"', 'none'],
  ])(
    'a document with the Content-Type %s is no outage: its developer is told the type',
    async (type, named) => {
      const { service, host } = openWithDocuments()
      host.answer = { headers: { 'content-type': type as string } }
      expect(await reasonOf(service, asAlice(service))).toEqual([400, 'document_invalid'])
      expect(service.shown.error?.description).toBe(
        `The client_id URL has the Content-Type ${named}. Serve the document as application/json`,
      )
      expect(eventsOf(service, 'client_document_failed')).toMatchObject([{ fault: `type ${named}` }])
      host.answer = {}
      const other = openWithDocuments()
      await signedIn(other.service)
      later(other.service, other.host, { headers: { 'content-type': type as string } })
      await signedIn(other.service)
    },
  )

  it.each(OUT_OF_REACH)('%s keeps an approved client working for seven days', async (_, answer) => {
    const { service, host } = openWithDocuments()
    const { refresh_token } = await signedIn(service)
    later(service, host, answer)
    await signedIn(service)
    service.clock.now += 7 * 24 * 3600
    expect(await reasonOf(service, asAlice(service))).toEqual([503, 'document_unreachable'])
    expect((await refresh(service, { clientId: ID }, refresh_token)).status, 'a grant').toBe(200)
  })

  it('CM-10: 404 ends new authorizations of an approved client at once, whatever the host returns next', async () => {
    const { service, host } = openWithDocuments()
    const { refresh_token } = await signedIn(service)
    later(service, host, { status: 404 })
    expect(await reasonOf(service, asAlice(service))).toEqual([400, 'document_invalid'])
    expect(await reasonOf(service, asAlice(service)), 'while it waits').toEqual([503, 'document_unreachable'])
    later(service, host, fault('timeout'))
    expect(await reasonOf(service, asAlice(service))).toEqual([503, 'document_unreachable'])
    expect((await refresh(service, { clientId: ID }, refresh_token)).status, 'a grant').toBe(200)
    later(service, host, {})
    await signedIn(service)
  })

  it('is not requested again during the back-off', async () => {
    const { service, host } = openWithDocuments()
    host.answer = fault('timeout')
    for (let count = 0; count < 5; count++) await asAlice(service)
    expect(host.requests).toHaveLength(1)
    service.clock.now += 5
    host.answer = {}
    expect((await asAlice(service)).body).toBe('consent')
  })

  it('without a usable authentication method is an error redirected to the client', async () => {
    const { service, host } = openWithDocuments()
    host.answer = { document: { ...DOCUMENT, token_endpoint_auth_method: 'private_key_jwt' } }
    expect(redirectOf(await asAlice(service))).toMatchObject({
      error: 'unauthorized_client',
      state: 'a state',
      iss: 'https://server.example',
    })
    await authorize(service, query(ID, { redirect_uri: 'http://127.0.0.1/other' }))
    expect(service.shown.error?.reason).toBe('redirect_uri_not_registered')
  })

  it('is refused with the words of the feature that does not accept its client', async () => {
    const noEditor = () => ({
      checkClient() {
        throw new OAuthError(ERRORS.client_metadata_invalid, 'client_name: Editor is reserved')
      },
    })
    const { service } = openWithDocuments({ features: [noEditor] })
    expect(await reasonOf(service, asAlice(service))).toEqual([400, 'document_refused'])
    expect(service.shown.error?.description).toBe('client_name: Editor is reserved')
  })

  it('with a scope limits its client', async () => {
    const { service, host } = openWithDocuments()
    host.answer = { document: { ...DOCUMENT, scope: 'courses:read' } }
    expect(redirectOf(await asAlice(service)).error).toBe('invalid_scope')
  })

  it('changes no rights by __proto__', async () => {
    const { service, host } = openWithDocuments()
    host.answer = {
      document: JSON.stringify(DOCUMENT).replace('{', '{"__proto__":{"rememberConsent":true},'),
    }
    await asAlice(service)
    expect(service.shown.consent?.client.rememberConsent).toBeUndefined()
  })
})

describe('a listed redirect URI', () => {
  const onTheWeb = { redirect_uri: 'https://editor.dev/callback' }

  it('is rejected if the policy rejects it', async () => {
    const { service } = openWithDocuments()
    await authorize(service, query(ID, onTheWeb))
    expect(service.shown.error).toMatchObject({ error: 'invalid_redirect_uri', status: 400 })
  })

  it('on https is accepted if the operator trusts the host', async () => {
    for (const documents of [{}, { pinned: [DOCUMENT] }]) {
      const admit = admitClientIds([ID], 'https-callbacks-too')
      const { service } = openWithDocuments({ admit, ...documents })
      expect((await authorize(service, query(ID, onTheWeb))).body).toBe('consent')
      expect(redirectOf(await decide(service)).code).toBeDefined()
      const unlisted = { redirect_uri: 'https://editor.dev/callback/x' }
      await authorize(service, query(ID, unlisted))
      expect(service.shown.error?.reason).toBe('redirect_uri_not_registered')
    }
  })
})

describe('the copy of a document', () => {
  it('is used until it is stale, then it is revalidated', async () => {
    const { service, host } = openWithDocuments()
    host.answer = { headers: { etag: '"1"', 'last-modified': 'Sun, 22 Nov 2026 07:00:00 GMT' } }
    await asAlice(service)
    service.clock.now += 3599
    await asAlice(service)
    expect(host.requests).toHaveLength(1)
    later(service, host, { status: 304, headers: { 'cache-control': 'max-age=7200' } })
    expect((await asAlice(service)).body).toBe('consent')
    expect(host.requests[0]?.headers).toEqual({ 'if-none-match': '"1"' })
    service.clock.now += 7199
    await asAlice(service)
    expect(host.requests).toHaveLength(1)
    later(service, host)
    await asAlice(service)
    expect(host.requests[0]?.headers, 'after a 304 without a tag').toEqual({ 'if-none-match': '"1"' })
  })

  const DATE = 'Sun, 22 Nov 2026 07:00:00 GMT'
  it.each<[Record<string, string>, object]>([
    [{ etag: 'x'.repeat(200), 'last-modified': DATE }, { 'if-none-match': 'x'.repeat(200) }],
    [{ etag: 'x'.repeat(201), 'last-modified': DATE }, { 'if-modified-since': DATE }],
    [{ 'last-modified': 'x'.repeat(200) }, { 'if-modified-since': 'x'.repeat(200) }],
    [{ 'last-modified': 'x'.repeat(201) }, {}],
    [{}, {}],
  ])('with the headers %o is revalidated with %o', async (headers, sent) => {
    const { service, host } = openWithDocuments()
    host.answer = { headers }
    await asAlice(service)
    later(service, host)
    await asAlice(service)
    expect(host.requests).toMatchObject([{ headers: sent }])
    expect(Object.keys(host.requests[0]?.headers ?? {})).toEqual(Object.keys(sent))
  })

  it('that has not changed since the page was shown is approved', async () => {
    const { service, host } = openWithDocuments()
    host.answer = { headers: { etag: '"1"' } }
    await asAlice(service)
    const page = { ...service.shown.consent }
    host.answer = { status: 304 }
    await changeMeanwhile(service)
    Object.assign(service.shown, { consent: page })
    expect(redirectOf(await decide(service)).code).toBeDefined()
    expect(host.requests).toHaveLength(2)
  })

  it('that was removed since the page was shown is not approved', async () => {
    const { service, host } = openWithDocuments()
    await asAlice(service)
    host.answer = { status: 404 }
    await changeMeanwhile(service)
    expect(await reasonOf(service, decide(service))).toEqual([503, 'document_unreachable'])
    expect(await records(service)).toEqual([])
  })

  it('is revalidated at once after no-store, and still used for the submission of the page', async () => {
    const { service, host } = openWithDocuments()
    host.answer = { headers: { 'cache-control': 'no-store', etag: '"1"' } }
    await asAlice(service)
    await asAlice(service)
    expect(host.requests).toHaveLength(2)
    host.answer = fault('timeout')
    service.clock.now += 599
    expect(redirectOf(await decide(service)).code).toBeDefined()
    service.clock.now += 1
    await asAlice(service)
    expect(host.requests.at(-1)?.headers, 'nothing is kept any longer').toEqual({})
  })

  it('CM-09: a document that changed since the page was shown is shown again before anything is approved', async () => {
    const { service, host } = openWithDocuments()
    await asAlice(service)
    const before = { ...service.shown.consent }
    host.answer = { document: { ...DOCUMENT, client_name: 'Evil editor' } }
    await changeMeanwhile(service)
    Object.assign(service.shown, { consent: before })
    expect((await decide(service)).body).toBe('consent')
    const client = { clientName: 'Evil editor' }
    expect(service.shown.consent).toMatchObject({ client, formExpired: false })
    expect(await records(service)).toEqual([])
    expect(redirectOf(await decide(service)).code).toBeDefined()
  })

  it('that changed takes effect with the next approval, with an event', async () => {
    const { service, host } = openWithDocuments()
    const { refresh_token } = await signedIn(service)
    const changed = { ...DOCUMENT, client_name: 'New editor', scope: 'openid profile courses:read' }
    later(service, host, { document: changed })
    await asAlice(service)
    expect(eventsOf(service, 'client_document_changed')).toEqual([])
    await signedIn(service)
    expect(eventsOf(service, 'client_document_changed')).toEqual([
      { type: 'client_document_changed', clientId: ID, members: ['clientName', 'scopes'] },
    ])
    expect((await refresh(service, { clientId: ID }, refresh_token)).status, 'an older grant').toBe(200)
  })
})

describe('with onChange: reconsent', () => {
  const MOVED = { ...DOCUMENT, redirect_uris: ['http://127.0.0.1/callback', 'https://new.dev/callback'] }
  const refreshed = async (service: Service, token: string) => {
    const { status } = await refresh(service, { clientId: ID }, token)
    return [status, (eventsOf(service, 'grant_ended')[0] as { reason?: string } | undefined)?.reason]
  }

  it.each([
    ['name', { ...DOCUMENT, client_name: 'New editor' }],
    ['redirect URIs', MOVED],
  ])('a grant ends at its next refresh after the client changed its %s', async (_, document) => {
    const { service, host } = openWithDocuments({ onChange: 'reconsent' })
    const before = await signedIn(service)
    later(service, host, { document })
    const after = await signedIn(service)
    expect(await refreshed(service, before.refresh_token)).toEqual([400, 'client_changed'])
    const again = bodyOf<TokenAnswer>(await refresh(service, { clientId: ID }, after.refresh_token))
    later(service, host, { document: { ...document, scope: 'openid profile courses:read' } })
    await signedIn(service)
    expect((await refresh(service, { clientId: ID }, again.refresh_token)).status, 'later change').toBe(200)
  })

  it('a guessed refresh token revokes nothing', async () => {
    const { service, host } = openWithDocuments({ onChange: 'reconsent' })
    const { refresh_token } = await signedIn(service)
    later(service, host, { document: MOVED })
    await signedIn(service)
    expect(await refreshed(service, `${refresh_token.slice(0, -4)}AAAA`)).toEqual([400, undefined])
  })

  it('a grant stays valid after a change of any other member', async () => {
    const { service, host } = openWithDocuments({ onChange: 'reconsent' })
    const { refresh_token } = await signedIn(service)
    later(service, host, { document: { ...DOCUMENT, logo_uri: 'https://editor.dev/new.png' } })
    await signedIn(service)
    expect(eventsOf(service, 'client_document_changed')).toHaveLength(1)
    expect((await refreshed(service, refresh_token))[0]).toBe(200)
  })
})

/** Another user makes the server fetch the document again. */
async function changeMeanwhile(service: Service): Promise<void> {
  const { now } = service.clock
  service.clock.now += 3600
  await authorizeAs(BOB)(service)
  service.clock.now = now
}

describe('a client that the operator removed', () => {
  it('CM-11: a client that the operator removed stays removed, even if its document still exists', async () => {
    const { service, host } = openWithDocuments()
    const { refresh_token, access_token } = await signedIn(service)
    expect(await service.server.clients.remove(ID)).toEqual({ existed: true, grantsEnded: 1 })
    host.requests.length = 0
    expect(await reasonOf(service, asAlice(service))).toEqual([400, 'client_unknown'])
    expect((await refresh(service, { clientId: ID }, refresh_token)).status).toBe(401)
    expect((await service.callApi(access_token)).kind).toBe('refused')
    expect(host.requests).toEqual([])
    expect(await service.server.clients.remove(ID)).toEqual({ existed: false, grantsEnded: 0 })
  })

  it('gets no code from a page that was open', async () => {
    const { service } = openWithDocuments()
    await asAlice(service)
    await service.server.clients.remove(ID)
    expect(await reasonOf(service, decide(service))).toEqual([400, 'client_unknown'])
    expect((await service.server.grants.list('alice')).grants).toEqual([])
  })
})

describe('documents with fetching turned off', () => {
  it('get no code from a page that was open', async () => {
    const operator = { admits: true }
    const { service } = openWithDocuments({ admit: () => (operator.admits ? 'yes' : 'no') })
    await asAlice(service)
    operator.admits = false
    expect(await reasonOf(service, decide(service))).toEqual([400, 'client_unknown'])
  })

  it.each([
    ['by the feature', (store: Service['store']) => openService({ store })],
    ['by the policy', (store: Service['store']) => openWithDocuments({ store, admit: () => 'no' }).service],
  ])('leave the grants of their clients, %s', async (_, reopened) => {
    const { service } = openWithDocuments()
    const { refresh_token } = await signedIn(service)
    const without = reopened(service.store)
    expect(await reasonOf(without, asAlice(without))).toEqual([400, 'client_unknown'])
    expect((await refresh(without, { clientId: ID }, refresh_token)).status).toBe(200)
  })
})

describe('a user who tries unknown documents', () => {
  function limited() {
    const counted: string[] = []
    const windows: object[] = []
    const rateLimiter: RateLimiter = {
      async take(limit, key, window) {
        if (limit !== 'unknown_document') return 0
        windows.push(window)
        return counted.push(key) > 3 ? 60 : 0
      },
    }
    return { counted, windows, ...openWithDocuments({ rateLimiter }) }
  }

  it('CM-15: a user who tries unknown documents is stopped before a request to the host', async () => {
    const { service, host, windows } = limited()
    for (const number of [1, 2, 3]) await authorizeAs(ALICE, `https://evil${number}.dev/c`)(service)
    expect(windows[0], 'by default').toEqual({ points: 10, seconds: 3600 })
    const refused = await authorizeAs(ALICE, 'https://evil.dev/4')(service)
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60'])
    expect(host.requests).toHaveLength(3)
  })

  it('is not counted for known or cached documents', async () => {
    const { service, host, counted } = limited()
    await signedIn(service)
    await asAlice(service)
    later(service, host)
    await asAlice(service)
    host.answer = fault('dns')
    for (let count = 0; count < 9; count++) await authorizeAs(ALICE, 'https://gone.dev/c')(service)
    expect(counted).toHaveLength(2)
    expect(counted[0]).not.toContain('alice')
  })

  it('can use half of the limit of a domain, and leaves the rest to other users', async () => {
    const { service, host } = openWithDocuments()
    for (const number of [1, 2, 3]) await authorizeAs(BOB, `https://editor.dev/${number}`)(service)
    const refused = await authorizeAs(BOB, 'https://editor.dev/4')(service)
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '60'])
    expect((await authorizeAs(ALICE, 'https://editor.dev/4')(service)).body).toBe('consent')
    expect(host.requests).toHaveLength(4)
  })

  it('does not block new documents by an approved one that must be fetched each time', async () => {
    const { service, host } = openWithDocuments()
    host.answer = { headers: { 'cache-control': 'no-store' } }
    await signedIn(service)
    for (let count = 0; count < 10; count++) await signedIn(service)
    expect((await authorizeAs(ALICE, 'https://editor.dev/new')(service)).body).toBe('consent')
  })

  it('CM-15: a user who tries unknown documents does not affect the clients of other users', async () => {
    const { service } = openWithDocuments()
    await signedIn(service)
    const answers = []
    for (let number = 0; number < 100; number++)
      answers.push(await authorizeAs(BOB, `https://evil.dev/${number}`)(service))
    expect(answers.filter(({ body }) => body === 'consent')).toHaveLength(3)
    expect(answers.at(-1)?.status).toBe(503)
    service.clock.now += 3600
    await signedIn(service)
  })
})
