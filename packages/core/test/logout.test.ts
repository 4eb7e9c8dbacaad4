import { generateKeyPairSync } from 'node:crypto'
import { type LogoutView, logout } from '@grantkit/core/logout'
import { SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { bodyOf, register, tokensFor } from './client.ts'
import { ISSUER, openService, REDIRECT_URI, type Service } from './service.ts'

const PATH = '/oauth/logout'
const BACK = 'http://127.0.0.1:7001/signed-out'

/** The service, where clients sign out; `user=alice@100` is Alice, who signed in at 100. */
function openWithLogout(headers: Record<string, string> = {}) {
  const ended: string[] = []
  const shown: LogoutView[] = []
  const feature = logout({
    async endSession({ headers }) {
      ended.push(String(headers.cookie))
      return 'user=; Max-Age=0'
    },
    logoutPage(view) {
      shown.push(view)
      return { status: 200, headers: {}, body: 'asks' }
    },
    signedOutPage: () => ({ status: 200, headers, body: 'signed out' }),
  })
  const service = openService({ features: [feature] })
  const cookie = `user=alice@${service.clock.now}`
  const send = (query: Record<string, string>, as = cookie, method = 'GET') =>
    service.send(method, PATH, method === 'GET' ? { query, headers: { cookie: as } } : { form: query })
  const confirm = (form: Record<string, string>, as = cookie, more = {}) => {
    const query = shown.at(-1)?.action.split('?')[1] ?? ''
    return service.send('POST', `${PATH}/confirm`, { query, form, headers: { cookie: as, ...more } })
  }
  return { service, cookie, ended, shown, send, confirm }
}

async function signedIn(overrides: Record<string, string> = {}, pageHeaders = {}) {
  const opened = openWithLogout(pageHeaders)
  const client = await register(opened.service, { post_logout_redirect_uris: [BACK] })
  const hint = (await tokensFor(opened.service, client, overrides)).id_token
  return { ...opened, client, hint }
}

/** An ID token with other members, signed by another key if there is one. */
function forged(service: Service, claims: Record<string, unknown>, key = service.keys[0]) {
  const whole = { iss: ISSUER, sub: 'alice', auth_time: service.clock.now, ...claims }
  return new SignJWT(whole)
    .setProtectedHeader({ alg: String(key?.alg), kid: String(service.keys[0]?.kid) })
    .sign(key as never)
}

describe('signing out', () => {
  it('LO-08: a sign-out with a hint of this sign-in ends the session at once, and goes back with the state', async () => {
    const { send, hint, ended, cookie } = await signedIn()
    const answer = await send({ id_token_hint: hint, post_logout_redirect_uri: BACK, state: 'a b' })
    expect([answer.status, answer.headers.location]).toEqual([303, `${BACK}?state=a+b`])
    expect([answer.headers['set-cookie'], ended]).toEqual(['user=; Max-Age=0', [cookie]])
  })

  it('redirects to the unchanged registered URI without a state', async () => {
    const { send, hint } = await signedIn()
    const { headers } = await send({ id_token_hint: hint, post_logout_redirect_uri: BACK })
    expect(headers.location).toBe(BACK)
  })

  it('without a redirect URI shows that the user is signed out', async () => {
    const { send, hint, ended } = await signedIn({}, { 'set-cookie': 'theme=dark' })
    const answer = await send({ id_token_hint: hint })
    expect([answer.body, ended.length]).toEqual(['signed out', 1])
    expect(answer.headers['set-cookie'], 'in addition to the cookie of the page').toEqual([
      'user=; Max-Age=0',
      'theme=dark',
    ])
  })

  it('by a form becomes a GET, since browsers send no cookie with a form of another site', async () => {
    const { service, send, hint, ended, cookie } = await signedIn()
    const form = { id_token_hint: hint, post_logout_redirect_uri: BACK, state: 's' }
    const { status, headers } = await send(form, '', 'POST')
    const [path, query = ''] = String(headers.location).split('?')
    expect([status, path, ended]).toEqual([303, PATH, []])
    expect(query, 'the hint stays out of the URL').toMatch(/^posted=[\w-]+$/)
    const answer = await service.send('GET', PATH, { query, headers: { cookie } })
    expect([answer.headers.location, ended]).toEqual([`${BACK}?state=s`, [cookie]])
    const changed = await service.send('GET', PATH, { query: `${query}A`, headers: { cookie } })
    expect(changed.body, 'a changed one proves nothing').toBe('asks')
  })

  it('JW-05: an expired hint is accepted', async () => {
    const { service, send, hint, ended } = await signedIn()
    service.clock.now += 30 * 24 * 60 * 60
    await send({ id_token_hint: hint })
    expect(ended).toHaveLength(1)
  })

  it('revokes no grant', async () => {
    const { service, send, hint } = await signedIn()
    await send({ id_token_hint: hint })
    expect((await service.server.grants.list('alice')).grants).toHaveLength(1)
  })

  it('takes a client_id that is the one of the hint', async () => {
    const { send, hint, client } = await signedIn()
    const query = { id_token_hint: hint, client_id: client.clientId, post_logout_redirect_uri: BACK }
    expect((await send(query)).headers.location).toBe(BACK)
  })

  it('redirects, and sets no cookie, if the session has ended already', async () => {
    const { send, hint, ended } = await signedIn()
    const answer = await send({ id_token_hint: hint, post_logout_redirect_uri: BACK }, '')
    expect([answer.headers.location, answer.headers['set-cookie'], ended]).toEqual([BACK, undefined, []])
  })
})

describe('the user must confirm', () => {
  it.each([
    ['nothing', async () => ({})],
    ['a client_id', async ({ client }) => ({ client_id: client.clientId, post_logout_redirect_uri: BACK })],
    ['a hint of another user', async ({ service }) => ({ id_token_hint: await bobs(service) })],
  ] satisfies [string, (signed: Awaited<ReturnType<typeof signedIn>>) => Promise<object>][])(
    'LO-01: %s does not prove the sender, so no session ends before the user confirms',
    async (_, query) => {
      const signed = await signedIn()
      const answer = await signed.send((await query(signed)) as Record<string, string>)
      expect([answer.body, answer.headers['set-cookie'], signed.ended]).toEqual(['asks', undefined, []])
      const confirmed = await signed.confirm({ ticket: String(signed.shown[0]?.ticket) })
      expect([confirmed.headers['set-cookie'], signed.ended]).toEqual(['user=; Max-Age=0', [signed.cookie]])
    },
  )

  it('on a page that names the client and the redirect target', async () => {
    const { send, shown, client } = await signedIn()
    await send({ client_id: client.clientId, post_logout_redirect_uri: BACK })
    await send({})
    expect(shown).toMatchObject([
      { client: { clientName: 'Test client' }, formActionSources: ['http://127.0.0.1:7001'] },
      { client: undefined, formActionSources: [] },
    ])
    expect(shown[1]?.action).toBe(`${PATH}/confirm?`)
  })

  it('LO-02: a hint of an earlier sign-in of the same user is not sufficient', async () => {
    const { send, hint, ended } = await signedIn()
    expect((await send({ id_token_hint: hint }, 'user=alice@1800000999')).body).toBe('asks')
    expect(ended).toEqual([])
  })

  it('LO-03: only a form issued to this session ends it, for ten minutes', async () => {
    const { service, send, confirm, shown, ended, cookie } = await signedIn()
    await send({ state: 'x' })
    const ticket = String(shown[0]?.ticket)
    const otherQuery = { query: 'state=y', form: { ticket }, headers: { cookie } }
    const refused = [
      await confirm({ ticket: `${ticket}x` }),
      await confirm({ ticket }, 'user=bob@1800000000'),
      await confirm({ ticket }, ''),
      await service.send('POST', `${PATH}/confirm`, otherQuery),
    ]
    service.clock.now += 600
    refused.push(await confirm({ ticket }))
    for (const { status, body } of refused) expect([status, body]).toEqual([400, 'logout_ticket_invalid'])
    expect(ended).toEqual([])
  })

  it('LO-01: the form with a valid ticket is rejected from another site', async () => {
    const { send, confirm, shown, ended, cookie } = await signedIn()
    await send({})
    const ticket = String(shown[0]?.ticket)
    const answer = await confirm({ ticket }, cookie, { origin: 'https://evil.example' })
    expect([answer.status, answer.body, ended]).toEqual([403, 'form_of_another_site', []])
  })

  it('LO-04: a browser without a session sees so, is not redirected, and keeps its cookies', async () => {
    const { send, client } = await signedIn()
    const answer = await send({ client_id: client.clientId, post_logout_redirect_uri: BACK }, '')
    expect([answer.status, answer.body, answer.headers['set-cookie']]).toEqual([200, 'signed out', undefined])
  })

  it('allows the form to redirect to the client', async () => {
    const { send, client, confirm, shown } = await signedIn()
    await send({ client_id: client.clientId, post_logout_redirect_uri: BACK, state: 's' })
    expect(shown[0]?.formActionSources).toEqual(['http://127.0.0.1:7001'])
    const { headers } = await confirm({ ticket: String(shown[0]?.ticket) })
    expect(headers.location).toBe(`${BACK}?state=s`)
  })
})

describe('the post_logout_redirect_uri', () => {
  it.each([
    'https://evil.example/',
    `${BACK}/`,
    `${BACK}?more=1`,
    `${BACK}#x`,
    'http://127.0.0.1:7002/signed-out',
    REDIRECT_URI,
    '//evil.example',
    'javascript:alert(1)',
    `${BACK}\r\nSet-Cookie: a=b`,
  ])('LO-05: the browser is redirected only to a registered URI, compared exactly: %s', async (uri) => {
    const { send, hint, ended, client } = await signedIn()
    for (const about of [{ id_token_hint: hint }, { client_id: client.clientId }]) {
      const answer = await send({ ...about, post_logout_redirect_uri: uri } as Record<string, string>)
      expect([answer.status, answer.body]).toEqual([400, 'post_logout_redirect_uri_not_registered'])
      expect(answer.headers).not.toHaveProperty('location')
    }
    expect(ended).toEqual([])
  })

  it('LO-05: is refused if it or the hint is repeated, and no session ends', async () => {
    const { service, hint, ended, cookie } = await signedIn()
    const once = `id_token_hint=${hint}&${new URLSearchParams({ post_logout_redirect_uri: BACK })}`
    for (const repeated of ['post_logout_redirect_uri=https://evil.example', 'id_token_hint=x']) {
      const query = `${once}&${repeated}`
      const answer = await service.send('GET', PATH, { query, headers: { cookie } })
      expect([answer.status, answer.headers.location], repeated).toEqual([400, undefined])
    }
    expect(ended).toEqual([])
  })

  it('without a hint and a client_id belongs to no client, with an error', async () => {
    const { send } = await signedIn()
    const answer = await send({ post_logout_redirect_uri: BACK })
    expect([answer.status, answer.body]).toEqual([400, 'logout_client_missing'])
  })

  it('LO-06: of another client is not redirected to', async () => {
    const { service, send, hint } = await signedIn()
    const other = 'http://127.0.0.1:9/other'
    const { clientId: client_id } = await register(service, { post_logout_redirect_uris: [other] })
    const form = { id_token_hint: hint, post_logout_redirect_uri: other }
    expect((await send(form)).body).toBe('post_logout_redirect_uri_not_registered')
    expect((await send({ ...form, client_id })).body).toBe('logout_hint_of_other_client')
  })

  it('is registered for a self-registered client on loopback only, and the response shows it', async () => {
    const { service } = openWithLogout()
    const mixed = { post_logout_redirect_uris: [BACK, 'https://app.example/out'] }
    expect(await register(service, mixed)).toMatchObject({ post_logout_redirect_uris: [BACK] })
  })

  it('may be https or of an app for an integration, and nothing else', async () => {
    const { service } = openWithLogout()
    const add = (...postLogoutRedirectUris: string[]) =>
      service.server.clients.add({
        clientName: 'CRM',
        redirectUris: ['https://crm.example/cb'],
        postLogoutRedirectUris,
      })
    expect(await add('https://crm.example/out')).toMatchObject({
      postLogoutRedirectUris: ['https://crm.example/out'],
    })
    expect(await add('myapp://out')).toMatchObject({ postLogoutRedirectUris: ['myapp://out'] })
    for (const uri of ['http://crm.example/out', 'ms-word:/out', 'https://crm.example/#out'])
      await expect(add('https://crm.example/out', uri), uri).rejects.toThrow(
        'postLogoutRedirectUris: must be https, loopback or private-use URIs',
      )
  })
})

describe('a hint that cannot be verified', () => {
  const attacker = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  it.each([
    ['of another issuer', (service) => forged(service, { iss: 'https://other.example' })],
    ['signed by another key', (service) => forged(service, {}, { ...attacker, alg: 'RS256' } as never)],
    ['with another user in it', async (_service, hint) => spoilt(hint, { sub: 'bob' })],
    ['that is not signed', async (service) => unsigned(service)],
    [
      'that is not signed, in other letters',
      async (service) => unsigned(service).replace(/^[^.]+/, part({ alg: 'nOnE' })),
    ],
    ['whose signature is cut off', async (_service, hint) => hint.replace(/[^.]+$/, '')],
    [
      'signed by the key that it brings',
      (service) =>
        new SignJWT({ iss: ISSUER, sub: 'alice', auth_time: service.clock.now })
          .setProtectedHeader({
            alg: 'RS256',
            jwk: { kty: attacker.kty, n: attacker.n, e: attacker.e } as never,
          })
          .sign(attacker as never),
    ],
    [
      'signed by HS256, with the published keys as the secret',
      async (service) =>
        new SignJWT({ iss: ISSUER, sub: 'alice', auth_time: service.clock.now })
          .setProtectedHeader({ alg: 'HS256' })
          .sign(Buffer.from((await service.send('GET', '/api/oauth/jwks')).body)),
    ],
    ['without a user', (service) => forged(service, { sub: undefined })],
    ['that is no token', async () => 'nonsense'],
  ] satisfies [string, (service: Service, hint: string) => Promise<string>][])(
    'JW-01, JW-02, JW-05, LO-07: a hint that cannot be verified ends no session, redirects nowhere and is rejected: %s',
    async (_, hint) => {
      const { service, send, hint: genuine, ended, shown, client } = await signedIn()
      const id_token_hint = await hint(service, genuine)
      const about = { id_token_hint, client_id: client.clientId, post_logout_redirect_uri: BACK }
      const answer = await send(about)
      expect([answer.status, answer.body]).toEqual([400, 'logout_hint_unverified'])
      expect([answer.headers.location, ended, shown]).toEqual([undefined, [], []])
    },
  )
})

function bobs(service: Service): Promise<string> {
  return forged(service, { sub: 'bob', aud: 'any' })
}

const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')

function unsigned(service: Service): string {
  return new UnsecuredJWT({ sub: 'alice', auth_time: service.clock.now }).setIssuer(ISSUER).encode()
}

function spoilt(hint: string, claims: object): string {
  const [head, body = '', signature] = hint.split('.')
  const content = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), ...claims }
  return [head, part(content), signature].join('.')
}

describe('a server', () => {
  it('with logout names the endpoint in its metadata', () => {
    const { service } = openWithLogout()
    expect(service.server.metadata).toHaveProperty('end_session_endpoint', `${ISSUER}${PATH}`)
  })

  it('with logout needs keys, to verify hints', () => {
    const options = { keys: [], scopes: {} as never, features: [logout({} as never)] }
    expect(() => openService(options)).toThrow('logout needs the option keys of the server')
  })

  it('without it has neither the endpoint nor the member of client metadata', async () => {
    const service = openService()
    expect(service.server.metadata).not.toHaveProperty('end_session_endpoint')
    const input = { redirect_uris: [REDIRECT_URI], post_logout_redirect_uris: ['nonsense', 1] }
    const answer = await service.send('POST', '/api/oauth/register', { json: input })
    expect(answer.status).toBe(201)
    expect(bodyOf(answer)).not.toHaveProperty('post_logout_redirect_uris')
    const { value } = (await service.store.clients.find(String(bodyOf(answer).client_id))) ?? {}
    expect(value).not.toHaveProperty('featureMetadata')
  })
})
