import { signInAttempts } from '@grantkit/explain'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import { openService } from '../../test/service.ts'
import { strongRandom } from '../kernel/secrets.ts'
import { limiterOf } from '../limits/rate-limits.ts'
import { REGISTRATION_LIMITS, type RegistrationOptions, registration } from './registration.ts'

const LOOPBACK = 'http://127.0.0.1:7001/callback'
const HOSTED = 'https://app.example/cb'
const KNOWN = { id: 'app', name: 'App', host: 'app.example', formActionHops: [] }
const REGISTRABLE = { authMethods: ['none'], grantTypes: ['authorization_code'], signingAlgorithms: [] }

/** The endpoint, and the limits that it counts for. */
function open(options: RegistrationOptions = {}) {
  const counted: string[] = []
  const count = (limit: string, key: string) => counted.push(`${limit} ${key}`)
  const rateLimiter = {
    async take(limit: string, key: string) {
      count(limit, key)
      return 0
    },
    refund: async () => undefined,
  }
  const limiter = limiterOf(
    { rateLimiter },
    { emit: () => undefined, now: () => 1_800_000_000 },
    () => REGISTRATION_LIMITS,
  )
  const { clients } = createMemoryStore()
  const server = {
    ...{ store: { clients: { records: clients } }, scopes: {}, random: strongRandom, emit: () => undefined },
    ...{ now: () => 1_800_000_000, limiter },
  }
  const { endpoints } = registration(server as never, options, REGISTRABLE)
  const headers = { 'content-type': 'application/json' }
  async function register(body: string, remoteAddress = '203.0.113.1') {
    const request = { method: 'POST', path: '', query: '', headers, body, remoteAddress }
    return endpoints[0]?.answer(request)
  }
  return { endpoints, register, counted }
}

describe('the registration endpoint', () => {
  it('is the only one, at a path of the operator, and its summary names the RFC', () => {
    expect(open({ paths: { register: '/clients' } }).endpoints).toMatchObject([
      { path: '/clients', summary: expect.stringContaining('RFC 7591') },
    ])
  })

  it('does not exist if it is switched off', () => {
    expect(open({ registration: false }).endpoints).toEqual([])
  })

  it.each<[string, RegistrationOptions]>([
    ['lifetimes.unusedClient must be', { lifetimes: { unusedClient: 0 } }],
    ['paths.register must begin with a slash', { paths: { register: 'clients' } }],
  ])('names an option that is wrong: %s', (message, options) => {
    expect(() => open(options)).toThrow(message)
  })

  it.each(['null', '[]', '[{}]', '1', '"text"', 'true'])(
    'refuses the body %s, which is no object',
    async (body) => {
      const { register, counted } = open()
      await expect(register(body)).rejects.toThrow('The body must be a JSON object')
      expect(counted).toEqual([])
    },
  )

  it('names the registration as the step of a sign-in attempt that is refused', async () => {
    const service = openService({ observer: signInAttempts })
    await service.send('POST', '/api/oauth/register', { json: { redirect_uris: [] } })
    expect(service.events.filter(({ type }) => type === 'step')).toMatchObject([
      { step: 'registered', outcome: 'refused', reason: 'redirect_uri_refused' },
    ])
  })
})

describe('a registration is counted', () => {
  it.each([
    ['for the caller, if no known client has the address', HOSTED, undefined, 'registration 203.0.113.1'],
    [
      'for the caller, if a known client has the address',
      ...[HOSTED, KNOWN, 'known_client_registration 203.0.113.1'],
    ],
    ['for the caller, if a known client has a loopback address', LOOPBACK, KNOWN, 'registration 203.0.113.1'],
  ] as const)('%s', async (_, uri, owner, limit) => {
    const { register, counted } = open({ redirectUriPolicy: (accepted) => ({ accepted, owner }) })
    expect(await register(JSON.stringify({ redirect_uris: [uri] }))).toMatchObject({ status: 201 })
    expect(counted).toEqual([limit])
  })

  it.each([
    [HOSTED, KNOWN, ['known_client_registration 2001:db8:1::/48']],
    [
      HOSTED,
      undefined,
      [
        'registration 2001:db8:1:2::/64',
        'registration_56 2001:db8:1:0::/56',
        'registration_48 2001:db8:1::/48',
      ],
    ],
  ])('for the /56 and /48 of an IPv6 address too: %s, %j', async (uri, owner, limits) => {
    const { register, counted } = open({ redirectUriPolicy: (accepted) => ({ accepted, owner }) })
    await register(JSON.stringify({ redirect_uris: [uri] }), '2001:db8:1:2::9')
    expect(counted).toEqual(limits)
  })
})
