import { createHash } from 'node:crypto'
import { type NewStorage, newStorage } from '@grantkit/test-servers/new-storage'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { type Browser, formEncoded, type Overrides } from '@grantkit/testkit/client'
import { createRemoteJWKSet, decodeJwt, jwtVerify, UnsecuredJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { STANDARD_SCOPES } from '../src/config/schema.ts'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { user } from './signed-in-browser.ts'

/**
 * The requests of the 35 modules of the OpenID Foundation's plan for Basic OPs with static clients, as its suite sends them:
 * no challenge, credentials by HTTP Basic, clients that the operator added by the command, with consent that is remembered.
 * docs/openid-suite.md says what this is not.
 */

const REDIRECT_URI = 'https://suite.example/callback'

interface Party {
  readonly client_id: string
  readonly client_secret: string
}

interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
}

const scopes = STANDARD_SCOPES

/** The second time as the plan for Form Post OPs: the same modules, with that mode in each request. */
describe.each([undefined, 'form_post'])('with response_mode %s', (response_mode) => {
  let storage: NewStorage
  let server: RunningServer
  let [one, two]: Party[] = []
  let browser: Browser
  beforeAll(async () => {
    storage = await newStorage()
    const CLIENT_AUTHENTICATION = 'none,client_secret_post,client_secret_basic'
    server = await runServer({ ...storage.environment, CLIENT_AUTHENTICATION, FORM_POST: 'on' }, { scopes })
    one = await added('One', '--id-token-claims')
    two = await added('Two')
    browser = user(server.baseUrl)
  })
  afterAll(async () => {
    await server.close()
    await storage.close()
  })
  afterEach(() => void vi.useRealTimers())

  async function added(name: string, ...more: string[]): Promise<Party> {
    const older = ['--pkce', 'optional', '--nonce', 'optional', '--auth', 'client_secret_basic']
    const args = [
      '--name',
      name,
      '--redirect-uri',
      REDIRECT_URI,
      '--remember-consent',
      '--json',
      ...older,
      ...more,
    ]
    return JSON.parse((await ranCommand(server, ['clients', 'add', ...args])).output)
  }

  const request = (changed: Overrides = {}) =>
    formEncoded({
      response_type: 'code',
      client_id: one?.client_id,
      redirect_uri: REDIRECT_URI,
      scope: 'openid profile email',
      state: 'st',
      nonce: 'n',
      response_mode,
      ...changed,
    })
  const addressOf = (changed?: Overrides) => `${server.baseUrl}/oauth/authorize?${request(changed)}`

  /** What the suite gets back, from the browser of a user who signs in and allows everything. */
  async function callback(changed?: Overrides, by = browser): Promise<Record<string, string>> {
    const answer = Object.fromEntries((await by(addressOf(changed))).searchParams)
    expect(answer).toMatchObject({ state: 'st', iss: server.baseUrl })
    return answer
  }

  async function token(form: Record<string, string>, { client_id, client_secret } = one as Party) {
    const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
    const body = new URLSearchParams(form)
    const answer = await fetch(`${server.baseUrl}/api/oauth/token`, {
      method: 'POST',
      headers: { authorization },
      body,
    })
    return { status: answer.status, body: (await answer.json()) as TokenAnswer & { error?: string } }
  }

  const exchange = (code = '') => ({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI })
  const redeemed = (code?: string) => token(exchange(code))
  const refreshed = (refresh_token: string, party?: Party) =>
    token({ grant_type: 'refresh_token', refresh_token }, party)

  async function tokens(changed?: Overrides, by?: Browser): Promise<TokenAnswer> {
    const { status, body } = await redeemed((await callback(changed, by)).code)
    expect(status).toBe(200)
    return body
  }

  const userinfo = (access_token: string, method = 'GET') =>
    fetch(`${server.baseUrl}/api/oauth/userinfo`, {
      method,
      headers: { authorization: `Bearer ${access_token}` },
    })

  /** What a browser without a session gets. */
  const answered = (changed: Overrides) => fetch(addressOf(changed), { redirect: 'manual' })

  const pass = (seconds: number) =>
    void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })

  /** The sign-in page, or none. */
  async function shownTo(cookie: string, changed: Overrides): Promise<string> {
    const answer = await fetch(addressOf(changed), { headers: { cookie }, redirect: 'manual' })
    return answer.headers.get('location') ?? 'the consent page'
  }

  describe('a code without challenge', () => {
    it('is exchanged by Basic, for an ID token with the nonce of the request', async () => {
      const keys = createRemoteJWKSet(new URL(`${server.baseUrl}/api/oauth/jwks`))
      const options = { issuer: server.baseUrl, audience: one?.client_id ?? '', algorithms: ['RS256'] }
      const { id_token, access_token } = await tokens()
      const { payload } = await jwtVerify(id_token, keys, options)
      expect(payload).toMatchObject({ sub: 'demo-account', nonce: 'n', auth_time: expect.any(Number) })
      expect(await (await userinfo(access_token)).json()).toMatchObject({ email: 'demo@example.com' })
    })

    it('needs no nonce either', async () => {
      expect(decodeJwt((await tokens({ nonce: undefined })).id_token)).not.toHaveProperty('nonce')
    })

    it('is exchanged by a secret in the form too', async () => {
      const { client_id, client_secret } = await added('Form', '--auth', 'client_secret_post')
      const { code } = await callback({ client_id })
      const body = new URLSearchParams({ ...exchange(code), client_id, client_secret })
      const answer = await fetch(`${server.baseUrl}/api/oauth/token`, { method: 'POST', body })
      expect([answer.status, await answer.json()]).toMatchObject([200, { id_token: expect.any(String) }])
    })

    it('that comes again ends its tokens, at once and after 30 seconds', async () => {
      for (const seconds of [0, 30]) {
        const { code } = await callback()
        const { body } = await redeemed(code)
        expect((await userinfo(body.access_token)).status).toBe(200)
        pass(seconds)
        expect(await redeemed(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
        expect((await userinfo(body.access_token)).status, `after ${seconds}`).toBe(401)
      }
    })
  })

  describe('an authorization request', () => {
    it('may have a challenge, whose verifier then counts', async () => {
      const code_verifier = 'v'.repeat(43)
      const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
      const { code } = await callback({ code_challenge, code_challenge_method: 'S256' })
      expect((await token({ ...exchange(code), code_verifier })).status).toBe(200)
    })

    it('without response_type is an error of the client', async () => {
      expect((await callback({ response_type: undefined })).error).toBe('invalid_request')
    })

    it('with a redirect URI that is not registered ends on a page, even if a request object has another one', async () => {
      const claims = { response_type: 'code', redirect_uri: REDIRECT_URI, state: 'st' }
      const object = new UnsecuredJWT(claims).setIssuer(one?.client_id ?? '').encode()
      for (const more of [{}, { request: object }]) {
        const answer = await answered({ redirect_uri: `${REDIRECT_URI}/other`, ...more })
        expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
        expect(await answer.text()).toContain('an address that is not registered for it')
      }
    })

    it('may be a POST', async () => {
      const cookie = await sessionCookie(server.baseUrl)
      await tokens()
      const body = new URLSearchParams(request())
      const init = { method: 'POST', headers: { cookie }, body, redirect: 'manual' } as const
      const answer = await fetch(`${server.baseUrl}/oauth/authorize`, init)
      const sent = answer.headers.get('location') ?? (await answer.text())
      for (const part of ['https://suite.example/callback', 'gkc_']) expect(sent).toContain(part)
    })

    it('with prompt=none gets a code with a session, and login_required without', async () => {
      const before = decodeJwt((await tokens()).id_token)
      const silent = decodeJwt((await tokens({ prompt: 'none' })).id_token)
      expect([silent.sub, silent.auth_time]).toEqual([before.sub, before.auth_time])
      expect((await callback({ prompt: 'none' }, user(server.baseUrl))).error).toBe('login_required')
    })

    it('with prompt=login or an exceeded max_age requires a new sign-in', async () => {
      const before = Number(decodeJwt((await tokens()).id_token).auth_time)
      pass(10)
      for (const demand of [{ prompt: 'login' }, { max_age: '1' }]) {
        const { auth_time } = decodeJwt((await tokens(demand)).id_token)
        expect(auth_time, JSON.stringify(demand)).toBeGreaterThanOrEqual(before + 10)
        pass(10)
      }
    })

    it('with a max_age that has not passed needs no new sign-in', async () => {
      const cookie = await sessionCookie(server.baseUrl)
      expect(await shownTo(cookie, { max_age: '1' })).not.toMatch(/login/)
      pass(100)
      expect(await shownTo(cookie, { max_age: '10000' })).not.toMatch(/login/)
      expect(await shownTo(cookie, { max_age: '1' })).toMatch(/^\/login/)
    })

    it('with an id_token_hint is for the user of the hint', async () => {
      const { id_token: id_token_hint } = await tokens()
      const { id_token } = await tokens({ id_token_hint, prompt: 'none' })
      expect(decodeJwt(id_token).sub).toBe('demo-account')
    })

    it.each<[string, Overrides]>([
      ['claims', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
      ['acr_values', { acr_values: '1 2' }],
      ['display=page', { display: 'page' }],
      ['display=popup', { display: 'popup' }],
      ['ui_locales', { ui_locales: 'se' }],
      ['claims_locales', { claims_locales: 'se' }],
      ['login_hint', { login_hint: 'demo@example.com' }],
      ['another order of the scopes', { scope: 'email openid' }],
      ['an unknown parameter', { extra: 'foobar' }],
    ])('may have %s', async (_, changed) => {
      expect(decodeJwt((await tokens(changed)).id_token).sub).toBe('demo-account')
    })

    it('with an unsigned request object is refused as unsupported', async () => {
      const claims = { response_type: 'code', redirect_uri: REDIRECT_URI, state: 'st' }
      const object = new UnsecuredJWT(claims).setIssuer(one?.client_id ?? '').encode()
      expect((await callback({ request: object })).error).toBe('request_not_supported')
      expect((await callback({ request_uri: 'https://suite.example/r' })).error).toBe(
        'request_uri_not_supported',
      )
    })
  })

  describe('UserInfo', () => {
    it('has the claims of the scopes, for GET and POST with the token in the header, not in a form', async () => {
      const { access_token } = await tokens()
      for (const method of ['GET', 'POST'])
        expect(await (await userinfo(access_token, method)).json(), method).toMatchObject({
          sub: 'demo-account',
          name: 'Dana Moore',
          email: 'demo@example.com',
          email_verified: true,
        })
      const { access_token: narrow } = await tokens({ scope: 'openid' })
      expect(await (await userinfo(narrow)).json()).toEqual({ sub: 'demo-account' })
      const body = new URLSearchParams({ access_token })
      const inForm = await fetch(`${server.baseUrl}/api/oauth/userinfo`, { method: 'POST', body })
      expect(inForm.status).toBe(401)
    })

    it('offers no scopes address and phone, so their modules are skipped', async () => {
      const metadata = await fetch(`${server.baseUrl}/.well-known/openid-configuration`)
      expect((await metadata.json()).scopes_supported).toEqual(['openid', 'profile', 'email'])
    })
  })

  describe('a refresh token', () => {
    it('is of one client, and of no other', async () => {
      const { refresh_token } = await tokens()
      expect(await refreshed(refresh_token, two)).toMatchObject({
        status: 400,
        body: { error: 'invalid_grant' },
      })
      const { status, body } = await refreshed(refresh_token)
      expect([status, decodeJwt(body.id_token).sub]).toEqual([200, 'demo-account'])
    })
  })

  describe('the ID token', () => {
    const emailFor = async (party: Party | undefined) => {
      const { code } = await callback({ client_id: party?.client_id })
      return decodeJwt((await token(exchange(code), party)).body.id_token).email
    }

    it('has claims for a client with idTokenClaims, and with ID_TOKEN_CLAIMS=on for every client', async () => {
      expect([await emailFor(one), await emailFor(two)]).toEqual(['demo@example.com', undefined])
      const port = server.port
      await server.close()
      const settings = {
        CLIENT_AUTHENTICATION: 'none,client_secret_basic',
        ID_TOKEN_CLAIMS: 'on',
        FORM_POST: 'on',
      }
      server = await runServer({ ...storage.environment, ...settings, PORT: String(port) }, { scopes })
      expect(await emailFor(two)).toBe('demo@example.com')
    })
  })
})
