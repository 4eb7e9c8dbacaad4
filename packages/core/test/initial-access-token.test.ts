import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import { authorizationQuery, authorize, bodyOf, codeFor, redirectOf, register } from './client.ts'
import { openService, REDIRECT_URI, type Service } from './service.ts'

/** Registration with a token of the operator (RFC 7591 3). */

const DAY = 24 * 3600

type Options = Parameters<Service['server']['clients']['addInitialAccessToken']>[0]

async function withToken(options: Partial<Options> = {}, store = createMemoryStore()) {
  const service = openService({ store, registration: { initialAccessToken: true } })
  const { clients } = service.server
  const made = await clients.addInitialAccessToken({ label: 'Partners', ...options })
  return { service, clients, ...made }
}

function registerWith(service: Service, authorization: string | undefined, metadata: object = {}) {
  const json = { redirect_uris: [REDIRECT_URI], ...metadata }
  return service.send('POST', '/api/oauth/register', {
    json,
    headers: authorization === undefined ? {} : { authorization },
  })
}

const clientsIn = async ({ store }: Service) => {
  const found: unknown[] = []
  for await (const client of store.clients.scan()) found.push(client)
  return found.length
}

describe('registration with an initial access token', () => {
  it('registers as many clients as the token has uses, and says which token it was', async () => {
    const { service, token, id } = await withToken({ uses: 2 })
    const answers = [1, 2, 3].map(() => registerWith(service, `Bearer ${token}`))
    expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([201, 201, 401])
    expect(await clientsIn(service)).toBe(2)
    expect(service.events.filter(({ type }) => type === 'client_registered')).toMatchObject([
      { initialAccessToken: id, label: 'Partners' },
      { initialAccessToken: id, label: 'Partners' },
    ])
  })

  it('CS-12: an initial access token never registers more clients than it has uses', async () => {
    const { service, token } = await withToken({ uses: 1 })
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => registerWith(service, `Bearer ${token}`)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(await clientsIn(service)).toBe(1)
  })

  it('is refused without one, with a challenge', async () => {
    const { service } = await withToken()
    const answer = await registerWith(service, undefined)
    expect([answer.status, bodyOf(answer).error, answer.headers['www-authenticate']]).toEqual([
      401,
      'invalid_token',
      'Bearer',
    ])
    expect(service.events.at(-1)).toMatchObject({ reason: 'initial_access_token_missing' })
  })

  it.each<[string, (token: string) => string]>([
    ['of nobody', () => `Bearer gki_${'a'.repeat(22)}.${'b'.repeat(43)}`],
    ['with another secret', (token) => `Bearer ${token.slice(0, -5)}AAAAA`],
    ['without its secret', (token) => `Bearer ${token.split('.')[0]}`],
    ['with more behind', (token) => `Bearer ${token}x`],
    ['in another scheme', (token) => `Basic ${token}`],
    ['of an empty scheme', () => ''],
    ['of another kind', () => `Bearer gka_${'a'.repeat(22)}.${'b'.repeat(43)}`],
  ])('CS-13: no client registers where a token is needed, with a token %s', async (_, authorizationOf) => {
    const { service, token } = await withToken()
    const answer = await registerWith(service, authorizationOf(token))
    expect([answer.status, bodyOf(answer).error]).toEqual([401, 'invalid_token'])
    expect(await clientsIn(service)).toBe(0)
  })

  it('is refused after the end of the token, and after its removal', async () => {
    let clock = { now: 1_800_000_000 }
    const store = createMemoryStore({ now: () => clock.now })
    const { service, clients, ...first } = await withToken({}, store)
    clock = service.clock
    expect(first.expiresAt).toBe(service.clock.now + DAY)
    const second = await clients.addInitialAccessToken({ label: 'x' })
    expect(await clients.removeInitialAccessToken(second.id)).toBe(true)
    expect(await clients.removeInitialAccessToken(second.id)).toBe(false)
    expect((await registerWith(service, `Bearer ${second.token}`)).status).toBe(401)
    service.clock.now += DAY
    expect((await registerWith(service, `Bearer ${first.token}`)).status).toBe(401)
  })

  it('does not count what is refused for its metadata', async () => {
    const { service, token } = await withToken({ scopes: ['openid'] })
    for (const metadata of [{ redirect_uris: [] }, { scope: 'courses:write' }, { application_type: 'x' }])
      expect((await registerWith(service, `Bearer ${token}`, metadata)).status).toBe(400)
    expect((await registerWith(service, `Bearer ${token}`)).status).toBe(201)
  })

  it('CS-14: a client never gets more scopes than its initial access token has', async () => {
    const { service, token } = await withToken({ scopes: ['openid', 'courses:read'] })
    const answer = await registerWith(service, `Bearer ${token}`, {
      scope: 'openid courses:read courses:write',
    })
    const { client_id, scope } = bodyOf<Record<string, string>>(answer)
    expect(scope).toBe('openid courses:read')
    const refused = await authorize(service, authorizationQuery(client_id ?? '', { scope: 'courses:write' }))
    expect(redirectOf(refused).error).toBe('invalid_scope')
    expect(await codeFor(service, client_id ?? '', { scope: 'openid courses:read' })).toMatch(/^gkc_/)
  })

  it('gets the scopes that its token allows if the token allows none of those that it names', async () => {
    const { service, token } = await withToken({ scopes: ['openid'] })
    const answer = await registerWith(service, `Bearer ${token}`, { scope: 'courses:read students:read' })
    expect(bodyOf(answer)).toMatchObject({
      error: 'invalid_client_metadata',
      error_description: 'scope: this initial access token allows only openid',
    })
  })

  it('says in its response which scopes the client may request, also if it registers none', async () => {
    const { service, token } = await withToken({ scopes: ['openid', 'courses:read'] })
    const { scope } = bodyOf<Record<string, string>>(await registerWith(service, `Bearer ${token}`))
    expect(scope).toBe('openid courses:read')
  })

  it('CS-15: the text of an initial access token is neither in the store nor in an event', async () => {
    const inserted: unknown[] = []
    const store = createMemoryStore()
    const { transients } = store
    if (transients === undefined) throw new Error('The store has no transients')
    const insert: typeof transients.insert = (...record) => {
      inserted.push(record)
      return transients.insert(...record)
    }
    const { service, token } = await withToken({}, { ...store, transients: { ...transients, insert } })
    await registerWith(service, `Bearer ${token}`, { client_name: token })
    const [, secret = ''] = token.split('.')
    expect(inserted).toHaveLength(1)
    expect(JSON.stringify([inserted, service.events])).not.toContain(secret)
  })

  it('needs a store with transients', () => {
    const { transients: _, ...store } = createMemoryStore()
    expect(() => openService({ store, registration: { initialAccessToken: true } })).toThrow('transients')
  })
})

it('registration stays open by default, and takes no notice of a token', async () => {
  const service = openService()
  expect(await register(service)).toHaveProperty('client_id')
  expect((await registerWith(service, 'Bearer x')).status).toBe(201)
})
