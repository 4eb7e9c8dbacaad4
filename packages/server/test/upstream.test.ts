import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMemoryStore } from '@grantkit/store-memory'
import { type Authentication, type Claims, runOpenIdProvider } from '@grantkit/test-servers/openid-provider'
import { formBrowser } from '@grantkit/testkit/client'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { UpstreamError } from '../src/accounts/upstream/identities.ts'
import { type Purpose, upstreamSignIn } from '../src/accounts/upstream/upstream-sign-in.ts'
import { providerWarnings } from '../src/accounts/upstream/upstream-sign-ins.ts'
import type { Provider } from '../src/config/providers.ts'
import type { SignInWishes } from '../src/http/sign-in-wishes.ts'

const BASE_URL = 'https://school.example'
const CALLBACK = `${BASE_URL}/login/with/partner/callback`
const PURPOSE: Purpose = { returnTo: '/account', wishes: {}, linkFor: '' }
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
    const { cookies, query, location } = await answered({ ...PURPOSE, wishes: { acrValues: 'phr' } })
    expect(location.searchParams.get('acr_values')).toBe(sent)
    const { identity, purpose } = await signIn.finish(cookies, query)
    expect([{ acr: identity.acr, amr: identity.amr }, purpose.wishes.acrValues]).toEqual([known, 'phr'])
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
  ['an unknown code', (query) => query.set('code', 'x')],
  ['two codes', (query) => query.append('code', 'x')],
])('refuses an answer with %s', async (_name, bend) => {
  const { signIn, answered } = await open()
  const { cookies, query } = await answered()
  const bent = new URLSearchParams(query)
  bend(bent)
  await expect(signIn.finish(cookies, `?${bent}`)).rejects.toMatchObject({ reason: 'response_invalid' })
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
  const { provider } = await open()
  const upstream = [
    {
      ...provider,
      emailsVerified: { domains: ['corp.example', 'notes.example'], evenIfFalse: true as const },
    },
    { ...provider, id: 'other' },
  ]
  expect(await providerWarnings({ upstream, upstreamFile: undefined })).toEqual([
    expect.stringMatching(
      /^The provider partner: addresses of corp.example, notes.example count even if .* \(emailsVerified\)/,
    ),
  ])
})

const LOGIN = { prompt: 'login' }
const CHOICE = { prompt: 'select_account' }
const HALF_A_DAY = String(12 * 60 * 60)

it.each<[string, SignInWishes, Partial<Provider>, (string | null)[]]>([
  ['asks for nothing that nobody wished', {}, {}, [null, HALF_A_DAY]],
  ['asks for a new sign-in', LOGIN, {}, ['login', HALF_A_DAY]],
  ['asks for a sign-in of at most a minute ago', { maxAge: 60 }, {}, [null, '60']],
  ['asks for a new sign-in by max_age=0, and by a prompt', { maxAge: 0 }, {}, ['login', '0']],
  ['does not ask for a choice of the account where nobody knows that word', CHOICE, {}, [null, HALF_A_DAY]],
  [
    'asks for a choice of the account',
    CHOICE,
    { prompts: ['select_account'] },
    ['select_account', HALF_A_DAY],
  ],
  [
    'asks for a choice where a new sign-in is unknown',
    LOGIN,
    { prompts: ['select_account'] },
    ['select_account', HALF_A_DAY],
  ],
  [
    'asks for both',
    { prompt: 'login select_account' },
    { prompts: ['login', 'select_account'] },
    ['login select_account', HALF_A_DAY],
  ],
  ['asks for neither', LOGIN, { prompts: [] }, [null, HALF_A_DAY]],
])('%s', async (_, wishes, rules, expected) => {
  const { signIn } = await open(VERIFIED, rules)
  const { searchParams } = new URL((await signIn.begin(undefined, { ...PURPOSE, wishes })).location)
  expect(['prompt', 'max_age'].map((name) => searchParams.get(name))).toEqual(expected)
})

it.each([
  [
    'that the operator says to know it',
    { authTimeByClaims: true },
    '{"id_token":{"auth_time":{"essential":true}}}',
  ],
  ['whose metadata do not name it', {}, null],
])('asks for auth_time by the parameter claims of a provider %s', async (_, rules, claims) => {
  const { signIn } = await open(VERIFIED, rules)
  const { location } = await signIn.begin(undefined, PURPOSE)
  expect(new URL(location).searchParams.get('claims')).toBe(claims)
})

const MINUTES = 60
const RETURNED = { freshness: 'returned' } as const

it.each<[string, number, SignInWishes, number | 'refused']>([
  ['a new sign-in', 0, LOGIN, 0],
  ['an old one, where nothing was wished', 13 * 60 * MINUTES, {}, 13 * 60 * MINUTES],
  ['an old one, where a choice of the account was wished', 10 * MINUTES, CHOICE, 10 * MINUTES],
  ['one that is recent enough', 10 * MINUTES, { maxAge: 15 * MINUTES }, 10 * MINUTES],
  ['one that is not recent enough', 10 * MINUTES, { maxAge: 5 * MINUTES }, 'refused'],
  ['an old one, where a new one was wished', 10 * MINUTES, LOGIN, 'refused'],
  ['an old one, where max_age=0 was wished', 10 * MINUTES, { maxAge: 0 }, 'refused'],
  ['an old one, where both were wished', 10 * MINUTES, { ...LOGIN, maxAge: 15 * MINUTES }, 'refused'],
])('takes auth_time for the time of the confirmation: %s', async (_, age, wishes, expected) => {
  for (const rules of [{}, RETURNED]) {
    const { signIn, answered } = await open(VERIFIED, rules, age)
    const { cookies, query } = await answered({ ...PURPOSE, wishes })
    const finished = signIn.finish(cookies, query)
    if (expected === 'refused') await expect(finished).rejects.toMatchObject({ reason: 'not_fresh' })
    else {
      const { identity, confirmedAt, isUnproven } = await finished
      expect([identity.authTime, isUnproven]).toEqual([confirmedAt, false])
      expect(Date.now() / 1000 - confirmedAt).toBeCloseTo(expected, -1)
    }
  }
})

it.each<[string, SignInWishes, Partial<Provider>, number, boolean]>([
  ['nothing of a return that nobody demanded', {}, {}, 12, false],
  ['nothing of it, where returns count', {}, RETURNED, 12, false],
  ['nothing of a return for max_age, which it meets', { maxAge: 60 }, {}, 12, false],
  ['nothing of a return for a new sign-in, which it does not meet', LOGIN, {}, 12, true],
  ['nothing of a return for max_age=0, which it does not meet', { maxAge: 0 }, {}, 12, true],
  ['a new sign-in, where returns count', LOGIN, RETURNED, 0, false],
])('without auth_time proves %s', async (_, wishes, rules, hours, unproven) => {
  const { signIn, answered } = await open(VERIFIED, rules)
  const bend = (question: URLSearchParams) => {
    for (const name of ['max_age', 'prompt', 'claims']) question.delete(name)
  }
  const { cookies, query } = await answered({ ...PURPOSE, wishes }, bend)
  const { identity, confirmedAt, isUnproven } = await signIn.finish(cookies, query)
  expect([identity.authTime, isUnproven]).toEqual([undefined, unproven])
  expect((Date.now() / 1000 - confirmedAt) / 3600).toBeCloseTo(hours, 1)
})

it('refuses a sign-in that is to come', async () => {
  const { signIn, answered } = await open(VERIFIED, {}, -2 * MINUTES)
  const { cookies, query } = await answered()
  await expect(signIn.finish(cookies, query)).rejects.toMatchObject({ reason: 'response_invalid' })
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
