import { PLAYED, type TestProviderOptions } from '@grantkit/testkit/provider'
import { decodeJwt, decodeProtectedHeader, exportJWK, exportPKCS8, generateKeyPair } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BASE_URL, openSignIn } from './provider-sign-in.ts'

/** How this server speaks with each provider, with the double that plays them. */

const POST = 'client_secret_post'
const BASIC = 'client_secret_basic'

function listing(methods: readonly string[] | undefined, ...takes: readonly string[]): TestProviderOptions {
  return {
    change: {
      takes,
      metadata: {
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: methods,
      },
    },
  }
}

async function ownKey(alg: string) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), alg, kid: 'k1' }
  const clientKeys = { keys: [{ ...(await exportJWK(publicKey)), alg, kid: 'k1' }] }
  return { jwk: JSON.stringify(jwk), pem: await exportPKCS8(privateKey), clientKeys }
}

function turnClock(): (seconds: number) => void {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  return (seconds) => vi.setSystemTime(Date.now() + seconds * 1000)
}

it.each(PLAYED)('signs in a user of %s with its preset, the second time as the same one', async (plays) => {
  const { identity, provider } = openSignIn({ plays, change: { takesSecretJwt: false } })
  const first = await identity()
  // Of Entra's `organizations` a token has the issuer of its tenant.
  const issuer =
    plays === 'microsoftOrganizations' ? expect.stringMatching(/7b9d.*\/v2\.0$/) : provider.issuer
  expect(first).toMatchObject({ issuer, subject: '248289761001' })
  const again = await identity()
  expect([again.issuer, again.subject]).toEqual([first.issuer, first.subject])
})

describe('a sign-out at a provider that is down', () => {
  const END = 'https://op.example/end'

  function openSignOut() {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const metadata = { end_session_endpoint: END }
    const opened = openSignIn({ change: { metadata } }, { signOut: 'provider' })
    const asked = vi.spyOn(opened.op, 'fetch')
    return { ...opened, asked, signOutUrl: () => opened.signIn.signOutUrl('/account') }
  }

  it('waits for its document for a second, and not again within a minute after it has failed', async () => {
    const { asked, signOutUrl } = openSignOut()
    const response = Promise.withResolvers<never>()
    asked.mockReturnValueOnce(response.promise)
    const url = signOutUrl()
    await expect.poll(() => vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1000)
    expect(await url).toBeUndefined()
    response.reject(new TypeError('fetch failed'))
    await expect.poll(signOutUrl).toBeUndefined()
    expect([vi.getTimerCount(), asked.mock.calls.length]).toEqual([0, 1])
    vi.advanceTimersByTime(59_000)
    expect(await signOutUrl()).toContain(END)
  })

  it('asks nothing where its document is known, however old it is', async () => {
    const { asked, identity, signOutUrl } = openSignOut()
    await identity()
    vi.advanceTimersByTime(48 * 60 * 60 * 1000)
    asked.mockClear().mockRejectedValue(new TypeError('fetch failed'))
    expect(await signOutUrl()).toContain(END)
    expect(asked).not.toHaveBeenCalled()
  })
})

describe('the client authenticates', () => {
  it.each<[string, readonly string[] | undefined, string]>([
    ['by POST where the provider lists it', [BASIC, POST], POST],
    ['by Basic where it lists that alone', [BASIC], BASIC],
    ['by Basic where it lists nothing', undefined, BASIC],
    ['by POST, as ever, where it lists nothing that we know', ['tls_client_auth'], POST],
  ])('%s, with a secret of every kind of character', async (_, methods, takes) => {
    const { identity } = openSignIn(listing(methods, takes))
    expect((await identity()).email).toBe('alice@partner.example')
  })

  it('as the settings say, whatever the provider lists', async () => {
    const { identity } = openSignIn(listing([POST], BASIC), { tokenEndpointAuthMethod: BASIC })
    expect((await identity()).email).toBe('alice@partner.example')
  })

  it.each(['ES256', 'RS256', 'PS256'])('with a key of its own: %s', async (alg) => {
    const { jwk, clientKeys } = await ownKey(alg)
    const options = { ...listing(['private_key_jwt'], 'private_key_jwt'), clientKeys }
    const { identity, op } = openSignIn(options, { clientSecret: undefined, clientKey: jwk })
    expect((await identity()).email).toBe('alice@partner.example')
    const { form } = op.requests.find(({ url }) => url.pathname === '/token') ?? {}
    expect(decodeProtectedHeader(form?.get('client_assertion') ?? '')).toMatchObject({ alg, kid: 'k1' })
  })

  it('at Apple with a secret that it makes for each sign-in and that ends in ten minutes', async () => {
    const { pem: key, clientKeys } = await ownKey('ES256')
    const clientSecret = { apple: { teamId: 'TEAM', keyId: 'k1', key } }
    const turn = turnClock()
    const { identity, requestsTo } = openSignIn({ plays: 'apple', clientKeys }, { clientSecret })
    await identity()
    turn(3600)
    expect((await identity()).subject).toBe('248289761001')
    const secrets = requestsTo('/auth/token').map(({ form }) => form.get('client_secret') ?? '')
    const said = secrets.map((secret) => decodeJwt(secret))
    expect(said).toHaveLength(2)
    for (const { iss, sub, aud, iat = 0, exp } of said)
      expect({ iss, sub, aud, exp }).toEqual({
        iss: 'TEAM',
        sub: 'grantkit',
        aud: 'https://appleid.apple.com',
        exp: iat + 600,
      })
  })
})

describe('the request to the provider', () => {
  it('separates scopes by %20, as Cognito wants, and keeps a plus of a value', async () => {
    const { answered } = openSignIn({ plays: 'cognito' }, { clientId: 'a+b' })
    const { location, query } = await answered()
    expect(location.search).toContain('scope=openid%20email%20profile')
    expect(location.search).toContain('client_id=a%2Bb')
    expect(query).toContain('code=')
  })

  it('has neither a challenge nor a nonce at LinkedIn, which refuses them', async () => {
    const { answered, signIn } = openSignIn({ plays: 'linkedin' })
    const { location, cookies, query } = await answered()
    expect([...location.searchParams.keys()]).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/nonce|code_challenge/)]),
    )
    expect((await signIn.finish(cookies, query)).identity.subject).toBe('248289761001')
  })

  it('has S256 and a nonce everywhere else', async () => {
    const { answered } = openSignIn()
    const { location } = await answered()
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
  })
})

describe('the answer of the provider', () => {
  it.each([
    ['is taken with its issuer, although the metadata do not promise it', true, undefined],
    ['is taken without one', undefined, undefined],
    ['is refused with another', 'https://evil.example', 'iss of the response is "https://evil.example", not'],
    ['is refused with the same in another case', 'https://OP.example', 'iss of the response is'],
  ] as const)('%s', async (_, sendsIss, fault) => {
    const { identity } = openSignIn({ change: sendsIss === undefined ? {} : { sendsIss } })
    if (fault === undefined) expect((await identity()).subject).toBe('248289761001')
    else await expect(identity()).rejects.toMatchObject({ detail: expect.stringContaining(fault) })
  })

  it('is refused without an issuer where the metadata promise one, before a request for tokens', async () => {
    const metadata = { authorization_response_iss_parameter_supported: true }
    const { identity, requestsTo } = openSignIn({ change: { metadata } })
    await expect(identity()).rejects.toMatchObject({ reason: 'response_invalid' })
    expect(requestsTo('/token')).toEqual([])
  })

  it.each<[string, object, RegExp]>([
    ['nonce', { claims: { nonce: 'another' } }, /^nonce of the ID token is "another", not "[\w-]{43}"$/],
    ['no nonce', { dropsNonce: true }, /nonce/],
    ['audience', { claims: { aud: 'other' } }, /^aud of the ID token is "other", not "grantkit"$/],
    [
      'issuer',
      { claims: { iss: 'https://op.example:8443' } },
      /^iss of the ID token is "https:\/\/op.example:8443", not "https:\/\/op.example"$/,
    ],
    ...['https://user@op.example', 'https://OP.example', 'https://op.example/'].map(
      (iss): [string, object, RegExp] => [
        `issuer ${iss}`,
        { claims: { iss } },
        /^iss of the ID token is ".*op\.example\/?", not "https:\/\/op.example"$/i,
      ],
    ),
    [
      'end',
      { claims: { exp: 1_800_000_000 } },
      /^exp of the ID token is 1800000000\. Here it is \d+, and 300/,
    ],
  ])(
    'is refused with a wrong %s, and the log says what came and what was expected',
    async (_, change, detail) => {
      vi.useFakeTimers({ toFake: ['Date'], now: 1_900_000_000_000 })
      onTestFinished(() => void vi.useRealTimers())
      const { identity } = openSignIn({ change })
      await expect(identity()).rejects.toMatchObject({
        reason: 'response_invalid',
        detail: expect.stringMatching(detail),
      })
    },
  )

  it.each([
    ['ended', 'exp', -299, true],
    ['ended', 'exp', -301, false],
    ['is not valid yet by', 'nbf', 299, true],
    ['is not valid yet by', 'nbf', 301, false],
  ])('with an ID token that %s %s %i seconds from now is taken: %s', async (_, claim, seconds, isTaken) => {
    const now = 1_900_000_000
    vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 })
    onTestFinished(() => void vi.useRealTimers())
    const { identity } = openSignIn({ change: { claims: { [claim]: now + seconds } } })
    const taken = await identity().then(
      () => true,
      () => false,
    )
    expect(taken).toBe(isTaken)
  })

  it('names the error of the token endpoint in the log, without control characters and cut', async () => {
    const { identity } = openSignIn({ clientSecret: 'right' }, { clientSecret: 'wrong' })
    await expect(identity()).rejects.toMatchObject({
      reason: 'client_rejected',
      detail: 'invalid_client: The provider says invalid_client',
    })
  })

  it('names the issuer of a document that is about another one', async () => {
    const { identity } = openSignIn({ change: { metadata: { issuer: 'https://other.example' } } })
    await expect(identity()).rejects.toMatchObject({
      reason: 'response_invalid',
      detail: 'issuer is "https://other.example", not "https://op.example/"',
    })
  })
})

describe('the document of the provider', () => {
  const DOCUMENT = '/.well-known/openid-configuration'

  it('is read again after a day, and the old copy serves while that fails', async () => {
    const turn = turnClock()
    const { identity, op, requestsTo } = openSignIn()
    const reads = () => requestsTo(DOCUMENT).length
    await identity()
    turn(24 * 3600 - 1)
    await identity()
    expect(reads()).toBe(1)
    turn(1)
    op.change({ isDown: true })
    await expect(identity()).rejects.toMatchObject({ reason: 'unreachable' })
    expect(reads()).toBe(2)
    op.change({ isDown: false })
    expect((await identity()).subject, 'within the minute, with the old copy').toBe('248289761001')
    expect(reads()).toBe(2)
    turn(60)
    await identity()
    expect(reads()).toBe(3)
  })

  it('is read again after the token endpoint refused, at most once a minute', async () => {
    const turn = turnClock()
    const { identity, op, requestsTo } = openSignIn()
    await identity()
    const endpoints = {
      authorization_endpoint: '/authorize',
      token_endpoint: '/token2',
      userinfo_endpoint: '/userinfo',
    }
    op.change({ endpoints })
    for (let n = 0; n < 3; n++) await expect(identity()).rejects.toMatchObject({ reason: 'response_invalid' })
    expect(requestsTo(DOCUMENT)).toHaveLength(1)
    turn(60)
    expect((await identity()).subject).toBe('248289761001')
    expect(requestsTo(DOCUMENT)).toHaveLength(2)
  })

  it('is read again after a wrong signature, and its keys with it', async () => {
    const turn = turnClock()
    const { identity, op } = openSignIn()
    await identity()
    op.rotateKey()
    await expect(identity()).rejects.toMatchObject({ reason: 'response_invalid' })
    turn(60)
    expect((await identity()).subject).toBe('248289761001')
  })
})

describe('UserInfo', () => {
  it.each([
    ['the address', { idToken: () => ({ sub: '248289761001' }) }, 1],
    ['its verification', { idToken: () => ({ sub: '248289761001', email: 'alice@partner.example' }) }, 1],
    ['nothing', {}, 0],
  ])('is asked where the ID token lacks %s', async (_, change, times) => {
    const { identity, requestsTo } = openSignIn({ change })
    await identity()
    expect(requestsTo('/userinfo')).toHaveLength(times)
  })

  it('about another user is refused, and the log has no sub', async () => {
    const change = {
      idToken: () => ({ sub: '248289761001' }),
      resources: { '/userinfo': () => ({ sub: 'mallory', email: 'alice@partner.example' }) },
    }
    const { identity } = openSignIn({ change })
    await expect(identity()).rejects.toMatchObject({ detail: 'UserInfo is about another sub' })
  })
})

describe('Apple', () => {
  it('posts its answer, and beside the code the name of a new user', async () => {
    const { pem: key, clientKeys } = await ownKey('ES256')
    const user = JSON.stringify({ name: { firstName: 'Alice', lastName: 'Li' }, email: 'x@y.example' })
    const options = { plays: 'apple', clientKeys, change: { posted: { user } } } as const
    const clientSecret = { apple: { teamId: 'TEAM', keyId: 'k1', key } }
    const { answered, signIn } = openSignIn(options, { clientSecret })
    const { location, cookies, query } = await answered()
    expect(location.searchParams.get('response_mode')).toBe('form_post')
    expect((await signIn.finish(cookies, query)).identity).toMatchObject({ name: 'Alice Li' })
  })
})

describe('GitHub', () => {
  it.each(['github', 'githubServer'] as const)(
    'names the user by id, with the verified primary address: %s',
    async (plays) => {
      const { identity, provider, op } = openSignIn({ plays })
      expect(await identity()).toMatchObject({
        issuer: provider.issuer,
        subject: '248289761001',
        email: 'alice@partner.example',
        name: 'Alice',
        authTime: undefined,
      })
      const redemption = op.requests.find(({ form }) => form.has('code'))
      expect(redemption?.form.get('code_verifier')).toMatch(/^[\w-]{43}$/)
      expect(redemption?.headers.get('accept')).toBe('application/json')
    },
  )

  it('has no address where the primary one is not verified', async () => {
    const user = { sub: '1', email: 'alice@partner.example', email_verified: false }
    expect((await openSignIn({ plays: 'github', user }).identity()).email).toBeUndefined()
  })

  it.each([
    ['fail', {}, '/user/emails responded 404'],
    ['are no list', { '/user/emails': () => ({}) }, '/user/emails is no list'],
  ])('refuses where the addresses %s, and takes none of the profile', async (_, more, detail) => {
    const resources = { '/user': () => ({ id: 1, email: 'alice@partner.example' }), ...more }
    const { identity } = openSignIn({ plays: 'github', change: { resources } })
    await expect(identity()).rejects.toMatchObject({ reason: 'unreachable', detail })
  })

  it('says what is wrong with a status of 200', async () => {
    const { identity } = openSignIn({ plays: 'github', clientSecret: 'right' }, { clientSecret: 'wrong' })
    await expect(identity()).rejects.toMatchObject({
      detail: 'invalid_client: The provider says invalid_client',
    })
  })

  it('is refused where its answer names another issuer, before a request for tokens', async () => {
    const { identity, requestsTo } = openSignIn({ plays: 'github', change: { sendsIss: BASE_URL } })
    await expect(identity()).rejects.toMatchObject({ reason: 'response_invalid' })
    expect(requestsTo('/access_token')).toEqual([])
  })
})

it('Discord names the user by id, with the address that it has verified', async () => {
  const { identity, provider } = openSignIn({ plays: 'discord' })
  expect(await identity()).toMatchObject({
    issuer: provider.issuer,
    subject: '248289761001',
    email: 'alice@partner.example',
    name: 'Alice',
  })
})

describe('the sign-out at the provider', () => {
  const metadata = { end_session_endpoint: 'https://op.example/end?of=all' }

  it('has the client and the way back, and no token', async () => {
    const { signIn } = openSignIn({ change: { metadata } }, { signOut: 'provider' })
    const url = new URL((await signIn.signOutUrl('/account?a=b&c')) ?? '')
    expect([url.origin, url.pathname, Object.fromEntries(url.searchParams)]).toEqual([
      'https://op.example',
      '/end',
      {
        of: 'all',
        client_id: 'grantkit',
        post_logout_redirect_uri: `${BASE_URL}/login`,
        state: '/account?a=b&c',
      },
    ])
  })

  it.each<[string, object, TestProviderOptions]>([
    ['without the setting', {}, { change: { metadata } }],
    ['while the provider is down', { signOut: 'provider' }, { change: { metadata, isDown: true } }],
    ['where its document names none', { signOut: 'provider' }, {}],
    ['where GitHub has none', { signOut: 'provider' }, { plays: 'github' }],
    [
      'where it is not protected by TLS',
      { signOut: 'provider' },
      { change: { metadata: { end_session_endpoint: 'http://op.example/end' } } },
    ],
  ])('is not known %s', async (_, settings, options) => {
    expect(await openSignIn(options, settings).signIn.signOutUrl('/')).toBeUndefined()
  })
})
