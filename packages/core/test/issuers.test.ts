import { createResourceServer, type HttpRequest, type OAuthError } from '@grantkit/core'
import { routeFinder, toFetchHandler } from '@grantkit/core/adapter'
import { detailGuard } from '@grantkit/core/authorization-details'
import { byHost, byPath, type IssuersOptions } from '@grantkit/core/issuers'
import { createMemoryStore } from '@grantkit/store-memory'
import * as openid from 'openid-client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { authorize, bodyOf, decide, refresh, requestToken, tokensFor } from './client.ts'
import {
  type At,
  answered,
  authenticated,
  commonClient,
  get,
  HOSTS,
  openIssuers,
  PATHS,
} from './issuers-service.ts'
import { PERSONAL_SCOPES } from './personal-tokens-service.ts'
import { REDIRECT_URI, type ServiceScope } from './service.ts'

/** How an issuer is found by the address of a request, created, guarded and removed. */

it('an adapter mounts each address and all below it, what lies below last', () => {
  const { paths } = byPath('/t')
  const shown = openIssuers().byPaths.routes.map(({ path, below, methods }) => [path, below, methods])
  expect(shown).toEqual([
    ...paths.map((path) => [path, undefined, ['*']]),
    ...paths.map((path) => [path, true, ['*']]),
  ])
})

describe('the address of a request', () => {
  it.each([
    ['/.well-known/oauth-authorization-server/t/a', 'https://auth.example/t/a'],
    ['/.well-known/openid-configuration/t/b', 'https://auth.example/t/b'],
    ['/t/a/.well-known/openid-configuration', 'https://auth.example/t/a'],
  ])('%s leads to the issuer of its path', async (path, issuer) => {
    expect(bodyOf(await answered(openIssuers().byPaths, get(path)))).toMatchObject({ issuer })
  })

  it('leads to the one issuer of a resource', async () => {
    const path = '/.well-known/oauth-protected-resource/t/a'
    expect(bodyOf(await answered(openIssuers().byPaths, get(path)))).toMatchObject({
      resource: 'https://auth.example/t/a',
      authorization_servers: ['https://auth.example/t/a'],
    })
  })

  it('leads to the issuer of its host, in any case', async () => {
    const path = '/.well-known/oauth-authorization-server'
    const answer = await answered(openIssuers().byHosts, get(path, { host: 'C.example' }))
    expect(bodyOf(answer)).toMatchObject({ issuer: 'https://c.example' })
  })

  it.each<[string, Partial<HttpRequest>]>([
    ['an unknown segment', { path: '/t/z/oauth/authorize' }],
    ['no segment', { path: '/t/' }],
    ['a segment of the server alone', { path: '/t' }],
    ['an escaped segment', { path: '/t/%61/oauth/authorize' }],
    ['another case', { path: '/t/A/oauth/authorize' }],
    ['a segment of an object', { path: '/t/__proto__/oauth/authorize' }],
    [
      'an issuer that only its query names',
      { path: '/t/z/oauth/authorize', query: 'issuer=a&acr_values=tenant:a' },
    ],
    ['a path that its issuer does not have', { path: '/t/a/oauth/other' }],
  ])('with %s is a 404, and nothing is created for it', async (_, differences) => {
    const { byPaths, options } = openIssuers()
    expect(await answered(byPaths, { ...get('/'), ...differences })).toMatchObject({ status: 404, body: '' })
    expect(options.mock.calls.filter(([key]) => key !== 'a')).toEqual([])
  })

  it.each([
    ['/t/a/oauth/authorize', true],
    ['/t/a/notes', false],
    ['/t/z/oauth/authorize', false],
    ['/t', false],
  ])('says whether %s is the path of an issuer, before the body is read: %s', async (path, isFound) => {
    const route = routeFinder(openIssuers().byPaths.routes)(path)
    expect((await route?.find?.(get(path))) !== undefined).toBe(isFound)
  })

  it('is not what X-Forwarded-Host says, unless the operator trusts it', async () => {
    const path = '/.well-known/oauth-authorization-server'
    const headers = { host: 'c.example', 'x-forwarded-host': 'd.example' }
    const hostOf = ({ headers }: HttpRequest) => String(headers['x-forwarded-host'])
    const { byHosts } = openIssuers()
    const trusting = openIssuers({ addresses: byHost({ hostOf }) }).byHosts
    const answers = await Promise.all([byHosts, trusting].map((all) => answered(all, get(path, headers))))
    expect(answers.map((answer) => bodyOf(answer).issuer)).toEqual(['https://c.example', 'https://d.example'])
  })

  it('of 10,000 unknown hosts creates nothing, and a host that is known is answered meanwhile', async () => {
    const { byHosts, options } = openIssuers()
    const path = '/.well-known/oauth-authorization-server'
    for (let number = 0; number < 10_000; number++)
      await answered(byHosts, get(path, { host: `h${number}.example` }))
    expect(options).not.toHaveBeenCalled()
    expect((await answered(byHosts, get(path, { host: 'c.example' }))).status).toBe(200)
  })
})

describe('an issuer', () => {
  const DOCUMENT = '/t/a/.well-known/openid-configuration'

  it('is created once for requests that come together', async () => {
    const { byPaths, options } = openIssuers()
    await Promise.all([1, 2, 3].map(() => answered(byPaths, get(DOCUMENT))))
    expect(options).toHaveBeenCalledTimes(1)
  })

  it('is another object with another version; what it has issued stays', async () => {
    const { byPaths, versions, serviceAt } = openIssuers()
    const first = await serviceAt('a')
    const client = await commonClient(first, await serviceAt('b'))
    const { refresh_token } = await tokensFor(first, client)
    versions.set('a', '2')
    expect(await byPaths.find('a')).not.toBe(first.issuer)
    expect((await refresh(await serviceAt('a'), client, refresh_token)).status).toBe(200)
  })

  it('that cannot be created is a 503 alone, tried and logged once in a second, until it can', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => logged.mockRestore())
    const { byPaths, options, clock } = openIssuers()
    options.mockImplementationOnce(async () => {
      throw new Error('The database of tenants does not answer')
    })
    const statusOf = async () => (await answered(byPaths, get(DOCUMENT))).status
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([503, 503, 503])
    const failure = {
      message: 'issuers: a cannot be created',
      cause: { message: 'The database of tenants does not answer' },
    }
    expect(logged.mock.calls).toMatchObject([['Grantkit: a request failed:', failure]])
    await expect(byPaths.find('a')).rejects.toMatchObject({ reason: 'issuer_unavailable', cause: failure })
    expect((await answered(byPaths, get('/t/b/.well-known/openid-configuration'))).status).toBe(200)
    expect(options.mock.calls.map(([key]) => key)).toEqual(['a', 'b'])
    clock.now++
    expect(await statusOf()).toBe(200)
  })

  it('of which the options do not come is a 503 after ten seconds, with no timer left', async () => {
    const { byPaths, options } = openIssuers()
    const begun = Promise.withResolvers<void>()
    options.mockImplementationOnce(() => {
      begun.resolve()
      return new Promise(() => {})
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const reason = async () => (await byPaths.find('a').catch((thrown: OAuthError) => thrown)) as OAuthError
    const waiting = Promise.all([reason(), reason()])
    await begun.promise
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(10_000)
    const [first, second] = await waiting
    expect(second).toBe(first)
    expect(first.cause).toMatchObject({
      message: 'issuers: a cannot be created',
      cause: { message: 'options has no result after 10000 ms' },
    })
    await byPaths.find('b')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that could not be created leaves the newer one in place', async () => {
    const { byPaths, options, versions } = openIssuers()
    const [begun, failed] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()]
    options.mockImplementationOnce(() => {
      begun.resolve()
      return failed.promise
    })
    const first = byPaths.find('a')
    await begun.promise
    versions.set('a', '2')
    const second = await byPaths.find('a')
    failed.reject(new Error('The database of tenants does not answer'))
    await expect(first).rejects.toMatchObject({ status: 503 })
    expect(await byPaths.find('a')).toBe(second)
  })

  it('that version no longer knows is a 404 at once', async () => {
    const { byPaths, versions } = openIssuers()
    expect((await answered(byPaths, get(DOCUMENT))).status).toBe(200)
    versions.delete('a')
    expect((await answered(byPaths, get(DOCUMENT))).status).toBe(404)
  })

  it('that was not used for the longest time makes room', async () => {
    const { byPaths, versions } = openIssuers({ most: 2 })
    versions.set('e', '1')
    const [first, second] = [await byPaths.find('a'), await byPaths.find('b')]
    expect(await byPaths.find('a')).toBe(first)
    await byPaths.find('e')
    expect([(await byPaths.find('a')) === first, (await byPaths.find('b')) === second]).toEqual([true, false])
  })

  it.each(['', 'a b', 'ä', 'x'.repeat(257)])('is not asked for by the key %j', async (key) => {
    const { byPaths, version } = openIssuers()
    expect(await byPaths.find(key)).toBeUndefined()
    expect(version).not.toHaveBeenCalled()
  })

  it('that was idle for long makes room, one in use stays', async () => {
    const { clock, byPaths, versions } = openIssuers({ idle: 60 })
    const [first, second] = [await byPaths.find('a'), await byPaths.find('b')]
    clock.now += 59
    expect(await byPaths.find('b')).toBe(second)
    clock.now++
    versions.set('e', '1')
    await byPaths.find('e')
    expect([(await byPaths.find('b')) === second, (await byPaths.find('a')) === first]).toEqual([true, false])
  })

  describe('ends what its options have started', () => {
    async function started() {
      const opened = openIssuers({ most: 2, idle: 60 })
      await opened.byPaths.find('a')
      return { ...opened, aborted: () => opened.options.mock.calls.map(([, own]) => own.signal.aborted) }
    }

    it('when it is replaced, and not before', async () => {
      const { byPaths, versions, aborted } = await started()
      await byPaths.find('a')
      expect(aborted()).toEqual([false])
      versions.set('a', '2')
      await byPaths.find('a')
      expect(aborted()).toEqual([true, false])
    })

    it('when it is dropped for another issuer', async () => {
      const { byPaths, versions, aborted } = await started()
      versions.set('e', '1')
      for (const key of ['b', 'e']) await byPaths.find(key)
      expect(aborted()).toEqual([true, false, false])
    })

    it('when it is closed, and when its removal is done', async () => {
      const { byPaths, versions, aborted } = await started()
      versions.delete('a')
      await byPaths.find('a')
      expect(aborted()).toEqual([true])
      await byPaths.remove('a')
      expect(aborted()).toEqual([true, true])
    })

    it('when it could not be created', async () => {
      const { byPaths, options, aborted } = await started()
      options.mockImplementationOnce(async () => {
        throw new Error('The database of tenants does not answer')
      })
      await expect(byPaths.find('b')).rejects.toMatchObject({ status: 503 })
      expect(aborted()).toEqual([false, true])
    })
  })

  it('that comes back has the options of that time, also after its removal', async () => {
    const { byPaths, versions, options } = openIssuers()
    const first = await byPaths.find('a')
    for (const leave of [async () => undefined, () => byPaths.remove('a')]) {
      versions.delete('a')
      expect(await byPaths.find('a')).toBeUndefined()
      await leave()
      versions.set('a', '1')
      options.mockClear()
      expect(await byPaths.find('a')).not.toBe(first)
      expect(options).toHaveBeenCalledWith('a', expect.objectContaining({ key: 'a', version: '1' }))
    }
  })

  it.each([
    [
      'is not mounted',
      { resources: ['https://api.example/mcp'] },
      '/.well-known/oauth-protected-resource/mcp',
    ],
    [
      'is of another key',
      { resources: ['https://auth.example/t/b'] },
      '/.well-known/oauth-protected-resource/t/b',
    ],
  ])('of which a path %s is not created', async (_, wrong, path) => {
    const { byPaths, options } = openIssuers()
    const usual = options.getMockImplementation()
    options.mockImplementation(async (key, own) => ({ ...(await usual?.(key, own)), ...wrong }) as never)
    const message = `issuers: ${path} is not among the addresses of a (https://auth.example/t/a)`
    await expect(byPaths.find('a')).rejects.toMatchObject({ cause: { cause: { message } } })
  })

  it('whose address leads to another key is not created', async () => {
    const { byPaths, options } = openIssuers()
    const usual = options.getMockImplementation()
    options.mockImplementation(
      async (key, own) => ({ ...(await usual?.(key, own)), issuer: 'https://auth.example/t/b' }) as never,
    )
    await expect(byPaths.find('a')).rejects.toMatchObject({
      cause: {
        cause: {
          message: 'issuers: /t/b/oauth/authorize is not among the addresses of a (https://auth.example/t/b)',
        },
      },
    })
  })
})

it.each([...PATHS, ...HOSTS])(
  'openid-client signs a user in at %s, with each document where it looks',
  async (key) => {
    const { byPaths, byHosts, serviceAt } = openIssuers()
    const handler = toFetchHandler(HOSTS.includes(key) ? byHosts : byPaths)
    const service = await serviceAt(key)
    const { issuer } = service.server
    const { clientId, clientSecret } = await commonClient(service, await serviceAt('b'))
    const config = await openid.discovery(
      new URL(issuer),
      clientId,
      undefined,
      openid.ClientSecretPost(clientSecret),
      {
        [openid.customFetch]: (url, init) => {
          const headers = { ...init.headers, host: new URL(url).host }
          return handler(new Request(url, { ...(init as RequestInit), headers }))
        },
      },
    )
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const code_challenge = await openid.calculatePKCECodeChallenge(pkceCodeVerifier)
    const sent = {
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
      code_challenge,
      code_challenge_method: 'S256',
    }
    await authorize(service, openid.buildAuthorizationUrl(config, sent).search.slice(1))
    const answer = new URL(String((await decide(service)).headers.location))
    expect(answer.searchParams.get('iss')).toBe(issuer)
    const tokens = await openid.authorizationCodeGrant(config, answer, { pkceCodeVerifier })
    expect(tokens.claims()).toMatchObject({ iss: issuer, sub: 'alice' })
  },
)

describe('a guard of all issuers', () => {
  async function guarded() {
    const { byPaths, serviceAt, versions, clock, options } = openIssuers()
    const usual = options.getMockImplementation()
    options.mockImplementation(async (key, own) => {
      if (versions.get(key) === 'broken') throw new Error('The database of tenants does not answer')
      return (await usual?.(key, own)) as never
    })
    const created = vi.fn((resource: string, store) =>
      createResourceServer({ resource, store, scopes: PERSONAL_SCOPES, now: () => clock.now }),
    )
    const guard = byPaths.guard(({ server, store }) => created(server.issuer, store))
    const [a, b] = [await serviceAt('a'), await serviceAt('b')]
    const { access_token } = await tokensFor(a, await commonClient(a, b))
    const call = (path: string, api: Pick<typeof guard, 'access'> = guard) =>
      api.access(get(path, { authorization: `Bearer ${access_token}` }), 'courses:read')
    return { a, guard, created, call, versions }
  }

  it('asks the guard of the issuer at the address, which is made once', async () => {
    const { call, created } = await guarded()
    const answers = [
      await call('/t/a/notes'),
      await call('/t/a/notes'),
      await call('/t/b/notes'),
      await call('/t/z'),
    ]
    expect(answers.map(({ kind }) => kind)).toEqual(['authorized', 'authorized', 'refused', 'refused'])
    expect(answers[2]).toMatchObject({ response: { status: 401 } })
    expect(answers[3]).toMatchObject({ response: { status: 404 } })
    expect(created).toHaveBeenCalledTimes(2)
  })

  it('passes on what a route allows and requires', async () => {
    const { a, guard, call } = await guarded()
    const request = { subject: 'alice', label: 'CI', scopes: ['courses:read'], resources: [a.server.issuer] }
    const { text } = await a.tokens.create(request)
    const personal = get('/t/a/notes', { authorization: `Bearer ${text}` })
    expect((await guard.access(personal)).kind).toBe('refused')
    expect((await guard.allowing({ personalTokens: true }).access(personal)).kind).toBe('authorized')
    expect((await call('/t/a/notes', guard.requiring({ maxAge: 1 }))).kind).toBe('authorized')
    a.clock.now += 2
    expect((await call('/t/a/notes', guard.requiring({ maxAge: 1 }))).kind).toBe('refused')
  })

  it('has no single address of metadata: a refusal after it names those of the issuer', async () => {
    const { guard, call } = await guarded()
    expect(() => guard.metadataUrl).toThrow('each issuer has its own')
    const access = await call('/t/a/notes')
    if (access.kind !== 'authorized') return expect.fail('The token was refused')
    const refused = detailGuard({ api: guard, types: {} }).covering(access.token, { type: 'payment' })
    expect(refused?.response.headers['www-authenticate']).toContain(
      'resource_metadata="https://auth.example/.well-known/oauth-protected-resource/t/a"',
    )
  })

  it('answers 503 for an issuer that cannot be created', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    try {
      const { call, versions } = await guarded()
      versions.set('a', 'broken')
      expect(await call('/t/a/notes')).toMatchObject({ kind: 'refused', response: { status: 503 } })
      expect(logged).toHaveBeenCalledTimes(1)
    } finally {
      logged.mockRestore()
    }
  })
})

describe('a removed issuer', () => {
  it('has no rows left, and the others have all of theirs', async () => {
    const { byPaths, versions, serviceAt } = openIssuers()
    const [a, b] = [await serviceAt('a'), await serviceAt('b')]
    for (const service of [a, b]) {
      await tokensFor(service, await commonClient(service, service === a ? b : a))
      // Of a client that the store does not have, as of one with a document.
      const gone = await commonClient(service, service)
      await tokensFor(service, gone)
      await service.store.clients.remove(gone.clientId)
      const own = {
        redirectUris: [],
        grantTypes: ['client_credentials'],
        clientCredentialsScopes: ['courses:read'],
      }
      const program = await service.server.clients.add({ clientName: 'Night job', ...own })
      const form = { grant_type: 'client_credentials', ...authenticated(program) }
      expect((await requestToken(service, form)).status).toBe(200)
    }
    await expect(byPaths.remove('a')).rejects.toThrow('issuers: version() still knows a')
    versions.delete('a')
    expect(await byPaths.remove('a')).toEqual({ grants: 3, clients: 3 })
    const rows = async ({ store }: At) => {
      let found = 0
      for await (const _ of store.grants.scan()) found++
      for await (const _ of store.clients.scan()) found++
      return found
    }
    expect([await rows(a), await rows(b)]).toEqual([0, 6])
    expect(await byPaths.remove('a'), 'again').toEqual({ grants: 0, clients: 0 })
  })

  it.each(['grants', 'clients'] as const)(
    'ends its grants before they go, also if the scan of %s failed once',
    async (records) => {
      const store = createMemoryStore({ now: () => 1_800_000_000 })
      let failing = false
      const within = (namespace: string) => {
        const own = store.within(namespace)
        const scan = () => {
          if (failing) throw new Error('The store is down')
          return own[records].scan()
        }
        return { ...own, [records]: { ...own[records], scan } }
      }
      const { byPaths, versions, serviceAt, events } = openIssuers({
        store: { ...store, within } as typeof store,
      })
      const a = await serviceAt('a')
      await tokensFor(a, await commonClient(a, a))
      versions.delete('a')
      failing = true
      await expect(byPaths.remove('a')).rejects.toThrow()
      failing = false
      await byPaths.remove('a')
      expect(events.filter(({ type }) => type === 'grant_revoked')).toHaveLength(1)
      for await (const left of a.store.grants.scan()) expect.fail(`left: ${left.id}`)
    },
  )
})

describe('issuers() is refused', () => {
  const { within: _, ...withoutNamespaces } = createMemoryStore()
  it.each<[string, Partial<IssuersOptions<ServiceScope>>, string]>([
    ['with a store without namespaces', { store: withoutNamespaces }, 'the store has no namespaces'],
    ['with a short secret', { secret: 'short' }, 'issuers: secret must have at least 32 characters'],
    ['for no issuer', { most: 0 }, 'most must be a whole number, at least 1'],
    ['with no time', { idle: 0.5 }, 'idle must be a whole number, at least 1'],
  ])('%s', (_, wrong, message) => {
    expect(() => openIssuers(wrong)).toThrow(message)
  })
})
