import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMemoryStore } from '@grantkit/store-memory'
import { type Authentication, type Claims, runOpenIdProvider } from '@grantkit/test-servers/openid-provider'
import { formBrowser } from '@grantkit/testkit/client'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { UpstreamError } from '../src/accounts/upstream/identities.ts'
import { type Purpose, upstreamSignIn } from '../src/accounts/upstream/upstream-sign-in.ts'
import { upstreamSignIns } from '../src/accounts/upstream/upstream-sign-ins.ts'
import type { Provider } from '../src/config/people.ts'

const BASE_URL = 'https://school.example'
const CALLBACK = `${BASE_URL}/login/with/partner/callback`
const PURPOSE: Purpose = { returnTo: '/account', fresh: false, linkFor: '', acrValues: '' }
const VERIFIED: Claims = (login) => ({
  email: `${login}@school.example`,
  email_verified: true,
  name: 'Alice',
})

function pairOf([cookie = '']: readonly string[]): string {
  return cookie.split(';')[0] ?? ''
}

async function open(
  claims = VERIFIED,
  change: Partial<Provider> = {},
  age = 0,
  authentication: Authentication = {},
) {
  const op = await runOpenIdProvider(CALLBACK, claims, age, authentication)
  onTestFinished(op.close)
  const options = { secret: 'x'.repeat(32), baseUrl: BASE_URL, store: createMemoryStore() }
  const provider = { ...op.provider, ...change }
  const signIn = upstreamSignIn(provider, options)
  const browser = formBrowser({ origin: op.provider.issuer, typed: { login: '' } })
  return {
    op,
    provider,
    signIn,
    options,
    /** The answer of the provider, as a browser would bring it. */
    async answered(purpose = PURPOSE, bend: (question: URLSearchParams) => void = () => {}) {
      const { location, cookies } = await signIn.begin(undefined, purpose)
      const request = new URL(location)
      bend(request.searchParams)
      const { search } = await browser(request.href)
      return { cookies: pairOf(cookies), query: search, location: new URL(location) }
    },
  }
}

it.each([
  ['trusts', true, 'phr', { acr: 'phr', amr: ['pop', 'user'] }],
  ['does not trust', false, null, { acr: undefined, amr: undefined }],
])(
  'knows how the user signed in at a provider that the operator %s with it',
  async (_, trustAcr, sent, known) => {
    const how = { acr: 'phr', amr: ['pop', 'user'] }
    const { signIn, answered } = await open(VERIFIED, { trustAcr }, 0, how)
    const { cookies, query, location } = await answered({ ...PURPOSE, acrValues: 'phr' })
    expect(location.searchParams.get('acr_values')).toBe(sent)
    const { identity, purpose } = await signIn.finish(cookies, query)
    expect([{ acr: identity.acr, amr: identity.amr }, purpose.acrValues]).toEqual([known, 'phr'])
  },
)

it('returns the identity and the purpose of the redirect', async () => {
  const { signIn, answered, provider } = await open()
  const { cookies, query, location } = await answered({ ...PURPOSE, linkFor: 'a session' })
  expect(Object.fromEntries(location.searchParams)).toMatchObject({
    code_challenge_method: 'S256',
    state: expect.stringMatching(/.{43}/),
    nonce: expect.stringMatching(/.{43}/),
    redirect_uri: CALLBACK,
  })
  expect(await signIn.finish(cookies, query)).toMatchObject({
    identity: {
      issuer: provider.issuer,
      subject: 'alice',
      email: 'alice@school.example',
      name: 'Alice',
      authTime: expect.any(Number),
      saysAuthTime: true,
    },
    purpose: { returnTo: '/account', linkFor: 'a session' },
  })
})

it.each([
  ['is none', { email: 'nonsense', email_verified: true }],
  ['the provider does not call verified', { email: 'alice@school.example' }],
  ['the provider has not verified', { email: 'alice@school.example', email_verified: false }],
  ['is verified in other words', { email: 'alice@school.example', email_verified: 'TRUE' }],
])('takes no address that %s', async (_, claims) => {
  const { signIn, answered } = await open(() => ({ ...claims, name: '' }))
  const { cookies, query } = await answered()
  const { identity } = await signIn.finish(cookies, query)
  expect(identity).toMatchObject({ subject: 'alice', name: undefined })
  expect(identity.email).toBeUndefined()
})

it('accepts a callback only in the browser that started it', async () => {
  const { signIn, answered } = await open()
  const { cookies, query } = await answered()
  const other = await signIn.begin(undefined, PURPOSE)
  await expect(signIn.finish(pairOf(other.cookies), query)).rejects.toMatchObject({ reason: 'state_expired' })
  await expect(signIn.finish(undefined, query)).rejects.toMatchObject({ reason: 'state_expired' })
  await expect(signIn.finish(`${cookies}x`, query)).rejects.toMatchObject({ reason: 'state_expired' })
  expect((await signIn.finish(cookies, query)).identity.subject).toBe('alice')
  expect(other.cookies[0]).toContain('HttpOnly')
})

it.each([
  ['the order in which they began', [0, 1, 2]],
  ['another order', [2, 0, 1]],
])('finishes the sign-ins of three tabs in %s', async (_, order) => {
  const { signIn, answered } = await open()
  const tabs = [await answered(), await answered(), await answered()]
  const cookies = tabs.map((tab) => tab.cookies).join('; ')
  for (const tab of order) {
    const { query = '' } = tabs[tab] ?? {}
    expect((await signIn.finish(cookies, query)).identity.subject).toBe('alice')
    expect(cookies, 'and forgets this one').toContain(signIn.usedCookie(query).split('=')[0])
  }
})

it('refuses an answer with another state', async () => {
  const { signIn, answered } = await open()
  const { cookies, query } = await answered()
  const bent = new URLSearchParams(query)
  bent.set('state', 'x')
  await expect(signIn.finish(cookies, `?${bent}`)).rejects.toMatchObject({ reason: 'state_expired' })
})

it('accepts a callback once, even if the provider redeems its code twice', async () => {
  const { provider, options, answered } = await open()
  const transients = options.store.transients && { ...options.store.transients, insert: async () => false }
  const signIn = upstreamSignIn(provider, { ...options, store: { ...options.store, transients } })
  const { cookies, query } = await answered()
  await expect(signIn.finish(cookies, query)).rejects.toMatchObject({ reason: 'state_expired' })
})

it('rejects a callback after ten minutes', async () => {
  const { signIn, answered } = await open()
  const { cookies, query } = await answered()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60 * 1000 })
  onTestFinished(() => void vi.useRealTimers())
  await expect(signIn.finish(cookies, query)).rejects.toMatchObject({ reason: 'state_expired' })
})

it.each<[string, (query: URLSearchParams) => void]>([
  ['the issuer of another provider', (query) => query.set('iss', 'https://evil.example')],
  ['no issuer', (query) => query.delete('iss')],
  ['an unknown code', (query) => query.set('code', 'x')],
  ['two codes', (query) => query.append('code', 'x')],
])('refuses an answer with %s', async (_name, bend) => {
  const { signIn, answered } = await open()
  const { cookies, query } = await answered()
  const bent = new URLSearchParams(query)
  bend(bent)
  await expect(signIn.finish(cookies, `?${bent}`)).rejects.toMatchObject({ reason: 'response_invalid' })
})

it.each<[string, (question: URLSearchParams) => void]>([
  ['an ID token with another nonce', (question) => question.set('nonce', 'n'.repeat(43))],
  ['an ID token without a nonce', (question) => question.delete('nonce')],
])('refuses %s', async (_name, bend) => {
  const { signIn, answered } = await open()
  const { cookies, query } = await answered(PURPOSE, bend)
  expect(query).toContain('code=')
  await expect(signIn.finish(cookies, query)).rejects.toMatchObject({ reason: 'response_invalid' })
})

it.each([
  ['access_denied', 'provider_denied'],
  ['temporarily_unavailable', 'unreachable'],
  ['unauthorized_client', 'client_rejected'],
])('tells by the error %s of the provider that the reason is %s', async (error, reason) => {
  const { signIn, provider } = await open()
  const { cookies, location } = await signIn.begin(undefined, PURPOSE)
  const state = new URL(location).searchParams.get('state') ?? ''
  const error_description = `User\u0007 'alice@school.example'\nhas no access. ${'Why? '.repeat(99)}`
  const query = new URLSearchParams({ error, error_description, state, iss: provider.issuer })
  const refused: UpstreamError = await signIn.finish(pairOf(cookies), `?${query}`).then(
    () => expect.unreachable(),
    (thrown) => thrown,
  )
  expect(refused.reason).toBe(reason)
  expect(refused.detail).toMatch(`${error}: User '…@school.example' has no access. Why?`)
  expect(refused.detail).toHaveLength(200)
})

it('asks UserInfo for the verification that the ID token lacks, and takes it for the same address', async () => {
  const { signIn, answered } = await open(VERIFIED)
  const { cookies, query } = await answered()
  const { identity } = await signIn.finish(cookies, query)
  expect(identity).toMatchObject({
    email: 'alice@school.example',
    standing: 'verified',
    domain: 'school.example',
  })
})

it('warns at the start of the domains that the operator vouches for', async () => {
  const { provider, options } = await open()
  const warnings: string[] = []
  const upstream = [
    {
      ...provider,
      emailsVerified: { domains: ['corp.example', 'notes.example'], evenIfFalse: true as const },
    },
    { ...provider, id: 'other' },
  ]
  await upstreamSignIns({ upstream, upstreamFile: undefined }, options, (warning) => warnings.push(warning))
  expect(warnings).toEqual([
    expect.stringMatching(
      /^The provider partner: addresses of corp.example, notes.example count even if .* \(emailsVerified\)/,
    ),
  ])
})

it('takes nothing from UserInfo of another user', async () => {
  const { signIn, answered } = await open()
  const { cookies, query } = await answered()
  const { fetch } = globalThis
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
    const response = await fetch(...request)
    if (!String(request[0]).endsWith('/me')) return response
    return Response.json({ ...(await response.json()), sub: 'victim' })
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const refused = { reason: 'response_invalid', detail: expect.stringMatching(/sub/) }
  await expect(signIn.finish(cookies, query)).rejects.toMatchObject(refused)
})

it('distinguishes a denial by the user from a failure', async () => {
  const { signIn, provider } = await open()
  const { cookies, location } = await signIn.begin(undefined, PURPOSE)
  const state = new URL(location).searchParams.get('state') ?? ''
  const denied = new URLSearchParams({ error: 'access_denied', state, iss: provider.issuer })
  await expect(signIn.finish(pairOf(cookies), `?${denied}`)).rejects.toMatchObject({
    reason: 'provider_denied',
  })
})

it('requests a new sign-in if one is required', async () => {
  const { signIn, answered } = await open()
  const { location, cookies, query } = await answered({ ...PURPOSE, fresh: true })
  expect(location.searchParams.get('prompt')).toBe('login')
  const { identity } = await signIn.finish(cookies, query)
  expect(identity.authTime).toBeGreaterThan(Date.now() / 1000 - 60)
})

it('does not report a new sign-in if the provider returns an old auth_time', async () => {
  const { signIn, answered } = await open(VERIFIED, {}, 120)
  const demanded = await answered({ ...PURPOSE, fresh: true })
  const refused = signIn.finish(demanded.cookies, demanded.query)
  await expect(refused).rejects.toMatchObject({ reason: 'not_fresh' })
  const { cookies, query } = await answered()
  const { identity } = await signIn.finish(cookies, query)
  expect(identity.authTime).toBeLessThan(Date.now() / 1000 - 119)
})

it('fails with a wrong client secret, without revealing it', async () => {
  const { signIn, answered } = await open(VERIFIED, { clientSecret: 'a wrong one' })
  const { cookies, query } = await answered()
  const refused = signIn.finish(cookies, query)
  await expect(refused).rejects.toMatchObject({
    reason: 'client_rejected',
    detail: expect.stringMatching(/^invalid_client/),
    message: expect.not.stringContaining('wrong one'),
  })
})

it('recovers when the provider is back', async () => {
  const server = createServer((_request, response) => response.writeHead(500).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { provider, options } = await open()
  const issuer = `http://127.0.0.1:${port}`
  const signIn = upstreamSignIn({ ...provider, issuer }, options)
  await expect(signIn.begin(undefined, PURPOSE)).rejects.toMatchObject({ reason: 'unreachable' })
  server.removeAllListeners('request')
  server.on('request', (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
      }),
    ),
  )
  expect((await signIn.begin(undefined, PURPOSE)).location).toMatch(new RegExp(`^${issuer}/auth\\?`))
})
