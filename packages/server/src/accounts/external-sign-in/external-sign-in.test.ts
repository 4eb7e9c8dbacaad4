import { createSecretKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newSigningKeys } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JWTPayload,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ExternalSignInOptions, externalSignIn } from '../../config/users.ts'
import { type BeginSignIn, type ExternalSignInParts, externalSignInOf } from './external-sign-in.ts'

const BASE_URL = 'https://auth.example'
const CALLBACK = `${BASE_URL}/login/external/callback`
const URL_OF_APP = 'https://app.example/sign-in'
const KEY = 'a shared key of at least 32 bytes'
const SHARED = createSecretKey(Buffer.from(KEY))
const serverKeys = await newSigningKeys()
const pair = await generateKeyPair('ES256', { extractable: true })
const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'of the application' }

const now = () => Math.floor(Date.now() / 1000)
const pairOf = ([cookie = '']: readonly string[]) => cookie.split(';')[0] ?? ''

function open(
  change: Partial<ExternalSignInOptions> = { key: KEY },
  { classes, store = createMemoryStore() }: Partial<Pick<ExternalSignInParts, 'classes' | 'store'>> = {},
) {
  const users = externalSignIn({ url: URL_OF_APP, ...change })
  const signIn = externalSignInOf(users, {
    secret: 'x'.repeat(32),
    baseUrl: BASE_URL,
    store,
    keys: () => serverKeys,
    classes,
  })
  /** A sign-in that began, with its request as the application reads it. */
  async function begun(begin: Partial<BeginSignIn> = {}) {
    const { location, cookies } = await signIn.begin(undefined, {
      returnTo: '/account',
      wishes: {},
      ...begin,
    })
    const request = new URL(location).searchParams.get('request') ?? ''
    const { payload } = await jwtVerify(request, change.key ? SHARED : ownKeys)
    return { request: payload, jwt: request, location, cookies: pairOf(cookies), cookie: cookies[0] }
  }
  /** What a response leads to that differs in this from a good one. */
  async function finished(differences: Readonly<Record<string, unknown>>, begin?: Partial<BeginSignIn>) {
    const { request, cookies } = await begun(begin)
    return signIn.finish(cookies, await signed({ ...good(request), ...differences }))
  }
  return { signIn, begun, finished }
}
const ownKeys = createLocalJWKSet({ keys: serverKeys.map(({ d: _, p, q, dp, dq, qi, ...key }) => key) })

/** The members of a good response. */
function good({ jti = '' }: JWTPayload): JWTPayload {
  return { jti, iss: URL_OF_APP, aud: BASE_URL, sub: 'alice', auth_time: now(), exp: now() + 60 }
}

const signed = (payload: JWTPayload, alg = 'HS256', key: Parameters<SignJWT['sign']>[0] = SHARED) =>
  new SignJWT(payload).setProtectedHeader({ alg }).sign(key)

/** A host that serves the public key of the application as a JWK Set. */
async function startJwkSetHost() {
  const server = createServer((_, response) => void response.end(JSON.stringify({ keys: [jwk] })))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/keys`, close: () => void server.close() }
}

describe('the request to the application', () => {
  it('names both sides, the way back, and what the client wants of the sign-in', async () => {
    const { begun } = open()
    const wishes = { prompt: 'login', maxAge: 300, uiLocales: 'de en', acrValues: 'phr' }
    const hints = { loginHint: 'alice@app.example', clientName: 'Notes' }
    const { request, location } = await begun({ wishes, ...hints })
    expect(location).toMatch(/^https:\/\/app\.example\/sign-in\?request=ey/)
    expect(request).toEqual({
      ...{ prompt: 'login', max_age: 300, ui_locales: 'de en', acr_values: 'phr' },
      ...{ login_hint: 'alice@app.example', client_name: 'Notes' },
      iss: BASE_URL,
      aud: URL_OF_APP,
      jti: expect.stringMatching(/^.{36}$/),
      iat: expect.any(Number),
      exp: Number(request.iat) + 600,
      return_to: CALLBACK,
    })
  })

  it('is signed with the key of the server if the application has public keys', async () => {
    const { begun } = open({ keys: { keys: [jwk] } })
    const { jwt } = await begun()
    const { protectedHeader } = await jwtVerify(jwt, ownKeys, { issuer: BASE_URL, audience: URL_OF_APP })
    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'sign-in-request+jwt' })
  })

  it('has hints of at most 254 characters, because anybody can link to the sign-in page', async () => {
    const { begun } = open()
    const { request } = await begun({ loginHint: 'a'.repeat(10_000), clientName: '' })
    expect(request).toMatchObject({ login_hint: 'a'.repeat(254) })
    expect(request).not.toHaveProperty('client_name')
  })

  it('is not sent if the cookie would be too long for a browser', async () => {
    const { signIn } = open()
    const begun = signIn.begin(undefined, { returnTo: `/${'a'.repeat(4000)}`, wishes: {} })
    await expect(begun).rejects.toMatchObject({ reason: 'too_long' })
  })
})

describe('a response', () => {
  it('is the user, the time of the sign-in, and the way back', async () => {
    const { signIn, begun } = open()
    const { request, cookies, cookie } = await begun({ returnTo: '/oauth/authorize?x=1' })
    const told = {
      name: 'Alice\u202e',
      email: 'alice@app.example',
      email_verified: true,
      acr: 'otp',
      groups: ['a'],
    }
    const { user, returnTo } = await signIn.finish(cookies, await signed({ ...good(request), ...told }))
    expect(user).toMatchObject({ sub: 'alice', acr: 'otp', authTime: expect.any(Number) })
    expect(user.claims).toEqual({
      name: 'Alice',
      email: 'alice@app.example',
      email_verified: true,
      groups: ['a'],
    })
    expect(returnTo).toBe('/oauth/authorize?x=1')
    expect(cookie).toMatch(/^__Host-external\.[\w-]{8}=/)
    expect(cookie).toContain('HttpOnly')
  })

  it('finishes the sign-in of each tab that began one', async () => {
    const { signIn, begun } = open()
    const tabs = [await begun({ returnTo: '/one' }), await begun({ returnTo: '/other' })]
    const cookies = tabs.map((tab) => tab.cookies).join('; ')
    const finished = await Promise.all(
      tabs.map(async ({ request }) => signIn.finish(cookies, await signed(good(request)))),
    )
    expect(finished.map(({ returnTo }) => returnTo)).toEqual(['/one', '/other'])
  })

  it.each([5, {}, true, null])('with the jti %j is none, and leads back all the same', async (jti) => {
    const { signIn, begun } = open()
    const { cookies } = await begun({ returnTo: '/notes' })
    const response = await signed({ jti } as unknown as JWTPayload)
    await expect(signIn.finish(cookies, response)).rejects.toMatchObject({ reason: 'invalid' })
    expect(signIn.returnToOf(cookies, response)).toBe('/notes')
  })

  it('names an authentication class of the server, and methods', async () => {
    const facts = { acr: 'phr', amr: ['pop', 'user'] }
    const { user } = await open({ key: KEY }, { classes: ['pwd', 'phr'] }).finished(facts)
    expect(user).toMatchObject(facts)
  })

  it.each([
    ['acr', { acr: 'gold' }, 'acr must be one of pwd, phr'],
    ['amr', { amr: 'pwd' }, 'array'],
    ['amr', { amr: ['a method'] }, 'string'],
  ])('is rejected with a wrong %s if the server has classes', async (_, facts, detail) => {
    const refused = { reason: 'invalid', detail: expect.stringContaining(detail) }
    await expect(open({ key: KEY }, { classes: ['pwd', 'phr'] }).finished(facts)).rejects.toMatchObject(
      refused,
    )
  })

  it('may be signed with a private key of the application', async () => {
    const { signIn, begun } = open({ keys: { keys: [jwk] } })
    const { request, cookies } = await begun()
    const response = await signed(good(request), 'ES256', pair.privateKey)
    expect((await signIn.finish(cookies, response)).user.sub).toBe('alice')
  })

  it('may be signed with a key of a JWK Set that the application publishes', async () => {
    const { url, close } = await startJwkSetHost()
    onTestFinished(close)
    const { signIn, begun } = open({ keys: url })
    const { request, cookies } = await begun()
    const header = { alg: 'ES256', kid: jwk.kid }
    const response = await new SignJWT(good(request)).setProtectedHeader(header).sign(pair.privateKey)
    expect((await signIn.finish(cookies, response)).user.sub).toBe('alice')
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['another request', { jti: 'x' }, 'expired'],
    ['no request', { jti: undefined }, 'invalid'],
    ['another server', { aud: 'https://other.example' }, 'invalid'],
    ['this server and another one', { aud: [BASE_URL, 'https://other.example'] }, 'invalid'],
    ['no server', { aud: undefined }, 'invalid'],
    ['another application', { iss: 'https://app.example/other' }, 'invalid'],
    ['an application without a name', { iss: undefined }, 'invalid'],
    ['no time of expiry', { exp: undefined }, 'invalid'],
    ['an hour', { exp: now() + 3600 }, 'invalid'],
    ['the past', { exp: now() - 61 }, 'expired'],
    ['the future', { nbf: now() + 600 }, 'invalid'],
    ['no user', { sub: undefined }, 'invalid'],
    ['a user with an empty id', { sub: '' }, 'invalid'],
    ['a user with a number for an id', { sub: 7 }, 'invalid'],
    ['a user with an id of 256 characters', { sub: 'a'.repeat(256) }, 'invalid'],
    ['a user with an id that is not ASCII', { sub: 'жана' }, 'invalid'],
    ['a user with a space in the id', { sub: 'alice ' }, 'invalid'],
    ['a user with a NUL in the id', { sub: 'alice\0' }, 'invalid'],
    ['a user with a list of ids', { sub: ['alice'] }, 'invalid'],
    ['a user who signed in at an unknown time', { auth_time: undefined }, 'invalid'],
    ['a user who signed in at a time in words', { auth_time: '5' }, 'invalid'],
    ['a user who will sign in', { auth_time: now() + 120 }, 'invalid'],
    ['a user whom the application denies', { error: 'access_denied' }, 'denied'],
  ])('for %s signs nobody in', async (_, change, reason) => {
    await expect(open().finished(change)).rejects.toMatchObject({ reason })
  })

  it.each([
    [60, true],
    [120, true],
    [121, false],
  ])('may expire in a minute, with a minute of clock skew: in %i seconds %s', async (seconds, accepted) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const finished = open().finished({ exp: now() + seconds })
    if (accepted) return expect((await finished).user.sub).toBe('alice')
    const detail = 'exp is more than 60 seconds ahead'
    await expect(finished).rejects.toMatchObject({ reason: 'invalid', detail })
  })

  it.each<[string, (payload: JWTPayload, request: string) => Promise<string> | string]>([
    ['without a signature', (payload) => new UnsecuredJWT(payload).encode()],
    ['of another key', (payload) => signed(payload, 'HS256', new Uint8Array(32))],
    [
      'with a longer MAC than is agreed',
      (payload) => signed(payload, 'HS512', new Uint8Array([...Buffer.from(KEY), ...Buffer.from(KEY)])),
    ],
    [
      'of a private key, where a shared one is agreed',
      (payload) => signed(payload, 'ES256', pair.privateKey),
    ],
    ['that is the request of the server', (_, request) => request],
    ['that is no JWT', () => 'a.b.c'],
    ['that is missing', () => ''],
    ['that is too long', () => 'a'.repeat(9000)],
  ])('%s signs nobody in', async (_, forged) => {
    const { signIn, begun } = open()
    const { request, cookies, jwt } = await begun()
    const response = await forged(good(request), jwt)
    await expect(signIn.finish(cookies, response)).rejects.toMatchObject({ reason: 'invalid' })
  })

  it.each<[string, (payload: JWTPayload) => Promise<string>]>([
    [
      'a MAC whose key is the public key as PEM',
      (payload) => signed(payload, 'HS256', Buffer.from(JSON.stringify(jwk))),
    ],
    ['a MAC of the shared key of another server', (payload) => signed(payload)],
    [
      'a key of nobody',
      async (payload) => signed(payload, 'ES256', (await generateKeyPair('ES256')).privateKey),
    ],
  ])('with %s signs nobody in where public keys are agreed', async (_, forged) => {
    const { signIn, begun } = open({ keys: { keys: [jwk] } })
    const { request, cookies } = await begun()
    await expect(signIn.finish(cookies, await forged(good(request)))).rejects.toMatchObject({
      reason: 'invalid',
    })
  })

  it('counts only in the browser that began, and afterwards in none', async () => {
    const { signIn, begun } = open()
    const { request, cookies } = await begun()
    const attacker = await begun()
    const response = await signed(good(request))
    await expect(signIn.finish(attacker.cookies, response)).rejects.toMatchObject({ reason: 'expired' })
    await expect(signIn.finish(cookies, response)).rejects.toMatchObject({ reason: 'expired' })
  })

  it.each([
    ['no cookie', () => undefined],
    ['a changed cookie', (cookies: string) => `${cookies}x`],
  ])('counts in no browser with %s', async (_, change) => {
    const { signIn, begun } = open()
    const { request, cookies } = await begun()
    const finished = signIn.finish(change(cookies), await signed(good(request)))
    await expect(finished).rejects.toMatchObject({ reason: 'expired' })
  })

  it('counts once on all replicas', async () => {
    const store = createMemoryStore()
    const [one, other] = [open({ key: KEY }, { store }), open({ key: KEY }, { store })]
    const { request, cookies } = await one.begun()
    const response = await signed(good(request))
    const finished = [one, other].map(({ signIn }) => signIn.finish(cookies, response))
    const statuses = (await Promise.allSettled(finished)).map(({ status }) => status)
    expect(statuses.sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('counts for ten minutes after the begin', async () => {
    const { signIn, begun } = open()
    const { request, cookies } = await begun()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 })
    onTestFinished(() => void vi.useRealTimers())
    const finished = signIn.finish(cookies, await signed(good(request)))
    await expect(finished).rejects.toMatchObject({ reason: 'expired' })
  })

  it.each<[string, BeginSignIn['wishes'], number, boolean]>([
    ['any sign-in, and is 10 hours old', {}, 36_000, true],
    ['a new sign-in, and is 2 minutes old', { prompt: 'login' }, 120, false],
    ['a new sign-in, and is new', { prompt: 'login' }, 0, true],
    ['another account, and is 2 minutes old', { prompt: 'select_account' }, 120, false],
    ['one of the last 5 minutes, and is 4 minutes old', { maxAge: 300 }, 240, true],
    ['one of the last 5 minutes, and is 6 minutes old', { maxAge: 300 }, 360, false],
    ['one of this moment, and is 2 minutes old', { maxAge: 0 }, 120, false],
    ['a new one of the last hour, and is 2 minutes old', { prompt: 'login', maxAge: 3600 }, 120, false],
  ])('to a client that requires %s: accepted %$', async (_, wishes, age, accepted) => {
    const finished = open().finished({ auth_time: now() - age }, { wishes })
    if (accepted) expect((await finished).user.authTime).toBeLessThanOrEqual(now() - age)
    else await expect(finished).rejects.toMatchObject({ reason: 'not_fresh' })
  })

  it('has claims about the user, and none in which the user is another one', async () => {
    const odd = { name: 7, email: 'no address', picture: 'javascript:alert(1)', act: { sub: 'bob' } }
    const { user } = await open().finished({ ...odd, locale: 'de' })
    expect(user.claims).toEqual({ name: 'alice', locale: 'de' })
  })

  it('cannot be read while the keys of the application cannot be fetched', async () => {
    const { signIn, begun } = open({ keys: 'http://127.0.0.1:9/keys' })
    const { request, cookies } = await begun()
    const finished = signIn.finish(cookies, await signed(good(request), 'ES256', pair.privateKey))
    await expect(finished).rejects.toMatchObject({ reason: 'unreachable' })
  })
})

describe('externalSignIn', () => {
  it.each<[string, Partial<ExternalSignInOptions>, string]>([
    ['a URL on http', { url: 'http://app.example/sign-in', key: KEY }, 'not http://app.example/sign-in'],
    ['a URL with a query', { url: `${URL_OF_APP}?a=b`, key: KEY }, 'without query'],
    ['no key', {}, 'either key'],
    ['two kinds of keys', { key: KEY, keys: 'https://app.example/keys' }, 'not both'],
    ['a short key', { key: 'secret' }, 'has 6 bytes; it must have at least 32'],
    ['keys on http', { keys: 'http://app.example/keys' }, 'keys of externalSignIn must be an https URL'],
    ['a set without keys', { keys: { keys: [] } }, 'at least one key'],
    ['a private key', { keys: { keys: [{ ...jwk, d: 'x' }] } }, 'must be public keys'],
    ['a symmetric key in the set', { keys: { keys: [{ kty: 'oct', k: 'x' }] } }, 'must be public keys'],
    ['a negative time', { key: KEY, checkSeconds: -1 }, 'not -1'],
  ])('refuses %s by a sentence', (_, change, words) => {
    expect(() => externalSignIn({ url: URL_OF_APP, ...change })).toThrow(words)
  })

  it('never tells the key', () => {
    expect(() => externalSignIn({ url: URL_OF_APP, key: 'sec-ret' })).toThrow(/^(?!.*sec-ret)/)
  })
})
