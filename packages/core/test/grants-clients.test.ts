import type { HttpResponse } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it, vi } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  type ClientAnswer,
  codeFor,
  decide,
  redeem,
  redirectOf,
  refresh,
  register,
  tokensFor,
} from './client.ts'
import { ISSUER, openService, REDIRECT_URI, type Service } from './service.ts'

const BOB = { cookie: 'user=bob' }

async function withTokens(service = openService()) {
  const client = await register(service)
  return { service, client, tokens: await tokensFor(service, client) }
}

async function isLive(service: Service, token: string): Promise<boolean> {
  return (await service.callApi(token)).kind === 'authorized'
}

async function withIntegration(service = openService()) {
  const client = await service.server.clients.add({
    clientName: 'Zap',
    redirectUris: ['https://zap.example/cb'],
    rememberConsent: true,
  })
  return { service, client }
}

describe('grants.list', () => {
  it('lists the clients, scopes and times of a user', async () => {
    const { service, client } = await withTokens()
    const at = service.clock.now
    expect((await service.server.grants.list('alice')).grants).toEqual([
      {
        id: expect.any(String),
        clientId: client.clientId,
        client: expect.objectContaining({ clientName: 'Test client', origin: 'registered' }),
        scopes: ['openid', 'profile', 'courses:read'],
        resources: [],
        redirectUri: REDIRECT_URI,
        authTime: at,
        createdAt: at,
        usedAt: at,
        expiresAt: at + 180 * 24 * 3600,
      },
    ])
    expect((await service.server.grants.list('bob')).grants).toEqual([])
  })

  it('has pages, the newest grants first', async () => {
    const { service, client } = await withTokens()
    const { grants } = service.store
    const [grant] = (await grants.list({ subject: 'alice' }, { limit: 9 })).grants
    if (grant === undefined) throw new Error('There is no grant')
    for (let count = 1; count <= 250; count++) {
      const id = `grant-${count}` as typeof grant.id
      await grants.insert(id, { ...grant, id, createdAt: grant.createdAt + count }, grant.expiresAt)
    }
    const read = vi.spyOn(grants, 'list')
    const find = vi.spyOn(service.store.clients, 'find')
    const first = await service.server.grants.list('alice')
    expect(first.grants.map(({ id }) => id)).toEqual(
      Array.from({ length: 50 }, (_, at) => `grant-${250 - at}`),
    )
    expect(first.grants.every((listed) => listed.client?.clientId === client.clientId)).toBe(true)
    expect(find, 'each client once').toHaveBeenCalledTimes(1)
    const rest = await service.server.grants.list('alice', { limit: 100_000, after: first.next })
    expect(rest.grants).toHaveLength(200)
    const last = await service.server.grants.list('alice', { after: rest.next })
    expect([last.grants.map(({ id }) => id), last.next]).toEqual([[grant.id], undefined])
    expect(read.mock.calls.map(([, { limit }]) => limit)).toEqual([50, 200, 50])
  })

  it('leaves out an approval whose code expired unused', async () => {
    const service = openService()
    const client = await register(service)
    await codeFor(service, client.clientId)
    expect((await service.server.grants.list('alice')).grants).toHaveLength(1)
    service.clock.now += 60
    expect((await service.server.grants.list('alice')).grants).toEqual([])
  })
})

describe('clients.find', () => {
  it('finds a self-registered client and an integration, and returns undefined for an unknown id', async () => {
    const { service, client } = await withIntegration()
    const { clientId: client_id } = await register(service)
    const find = service.server.clients.find
    expect(await find(client_id)).toMatchObject({ clientId: client_id, origin: 'registered' })
    expect(await find(client.clientId)).toMatchObject({ clientName: 'Zap', origin: 'integration' })
    expect(await find('unknown')).toBeUndefined()
  })
})

describe('grants.revoke', () => {
  it('revokes consent and tokens at once', async () => {
    const { service, client, tokens } = await withTokens()
    const [grant] = (await service.server.grants.list('alice')).grants
    expect(await service.server.grants.revoke('alice', grant?.id ?? '')).toBe(true)
    expect(await isLive(service, tokens.access_token)).toBe(false)
    expect((await refresh(service, client, tokens.refresh_token)).status).toBe(400)
    expect((await service.server.grants.list('alice')).grants).toEqual([])
    expect(service.events.findLast(({ type }) => type === 'grant_revoked')).toEqual({
      type: 'grant_revoked',
      grantId: grant?.id,
      clientId: client.clientId,
      subject: 'alice',
      by: 'user',
    })
  })

  it('emits an event that names the operator as the cause', async () => {
    const { service } = await withTokens()
    const [grant] = (await service.server.grants.list('alice')).grants
    expect(await service.server.grants.revoke('alice', grant?.id ?? '', 'operator')).toBe(true)
    expect(service.events.findLast(({ type }) => type === 'grant_revoked')).toMatchObject({ by: 'operator' })
  })

  it.each<[string, (id: string) => [subject: string, id: string]]>([
    ["another user's", (id) => ['bob', id]],
    ['an unknown one', (id) => ['alice', `${id}x`]],
    ['nothing at all', () => ['alice', '']],
    ['swapped arguments', (id) => [id, 'alice']],
  ])('changes no grant for %s', async (_, named) => {
    const { service, tokens } = await withTokens()
    const [grant] = (await service.server.grants.list('alice')).grants
    const before = service.events.length
    expect(await service.server.grants.revoke(...named(grant?.id ?? ''))).toBe(false)
    expect(await isLive(service, tokens.access_token)).toBe(true)
    expect(service.events).toHaveLength(before)
  })
})

describe('grants.revokeAll', () => {
  it.each([
    ['every client', {}, { by: 'operator', reason: 'subject_gone' }, 2],
    ['every client, for the operator', { by: 'operator' as const }, { by: 'operator' }, 2],
    ['one client', { clientId: 'one', by: 'user' as const }, { by: 'user' }, 1],
  ])('ends the grants of %s, however many there are', async (_, scope, members, clients) => {
    const { service } = await withTokens()
    const { grants } = service.store
    const [grant] = (await grants.list({ subject: 'alice' }, { limit: 9 })).grants
    if (grant === undefined) throw new Error('There is no grant')
    await service.server.grants.revokeAll('alice')
    for (let count = 0; count < 300; count++)
      for (const clientId of ['one', 'other']) {
        const id = `${clientId}-${count}` as typeof grant.id
        await grants.insert(id, { ...grant, id, clientId }, grant.expiresAt)
      }
    expect(await service.server.grants.revokeAll('alice', scope)).toBe(300 * clients)
    expect(service.events.at(-1)).toEqual({
      ...{ type: 'grant_revoked', subject: 'alice', ...members },
      ...{ grantId: expect.any(String), clientId: expect.any(String) },
    })
    expect(await service.server.grants.revokeAll('alice')).toBe(300 * (2 - clients))
  })
})

describe('clients.list', () => {
  it('lists the integrations, the oldest first, without secrets', async () => {
    const { service, client } = await withIntegration()
    service.clock.now += 1
    await service.server.clients.add({
      clientName: 'Reports',
      redirectUris: [],
      resourceServer: true,
      scopes: ['courses:read'],
    })
    await register(service)
    const listed = await service.server.clients.list()
    expect(listed).toMatchObject([
      {
        clientId: client.clientId,
        clientName: 'Zap',
        redirectUris: ['https://zap.example/cb'],
        tokenEndpointAuthMethod: 'client_secret_post',
        resourceServer: false,
        rememberConsent: true,
      },
      { clientName: 'Reports', resourceServer: true, scopes: ['courses:read'] },
    ])
    expect(JSON.stringify(listed)).not.toMatch(/clientSecret"|hash/i)
  })
})

describe('clients.remove', () => {
  it('revokes every grant of the client, of every user, and no other', async () => {
    const service = openService()
    const [client, other] = [await register(service), await register(service)]
    const alice = await tokensFor(service, client)
    const kept = await tokensFor(service, other)
    await authorize(service, authorizationQuery(client.clientId), BOB)
    const code = redirectOf(await decide(service, {}, BOB)).code ?? ''
    const bob = bodyOf<{ access_token: string }>(await redeem(service, client, code))
    expect(await service.server.clients.remove(client.clientId)).toEqual({ existed: true, grantsEnded: 2 })
    expect(await isLive(service, alice.access_token)).toBe(false)
    expect(await isLive(service, bob.access_token)).toBe(false)
    expect(await isLive(service, kept.access_token)).toBe(true)
    expect((await refresh(service, client, alice.refresh_token)).status).toBe(401)
    expect((await authorize(service, authorizationQuery(client.clientId))).status).toBe(400)
    expect((await service.server.grants.list('alice')).grants).toMatchObject([{ clientId: other.clientId }])
    const logged = service.events.filter(({ type }) => type === 'grant_revoked' || type === 'client_removed')
    const removed = { by: 'operator', reason: 'client_removed' }
    expect(logged).toMatchObject([
      { subject: expect.stringMatching(/alice|bob/), ...removed },
      { subject: expect.stringMatching(/alice|bob/), ...removed },
      { type: 'client_removed', clientId: client.clientId, grantsEnded: 2 },
    ])
  })

  it('RA-08: the removal of a client invalidates a consent page that is still open', async () => {
    const service = openService()
    const client = await register(service)
    await authorize(service, authorizationQuery(client.clientId))
    await service.server.clients.remove(client.clientId)
    expect((await decide(service)).status).toBe(400)
    expect((await service.server.grants.list('alice')).grants).toEqual([])
  })

  it('completes an interrupted removal, and reports an unknown client', async () => {
    const { service, client, tokens } = await withTokens()
    await service.store.clients.remove(client.clientId)
    expect((await service.server.grants.list('alice')).grants).toEqual([
      expect.not.objectContaining({ client: {} }),
    ])
    expect(await service.server.clients.remove(client.clientId)).toEqual({ existed: false, grantsEnded: 1 })
    const type = 'client_removed'
    expect(service.events.at(-1)).toEqual({ type, clientId: client.clientId, grantsEnded: 1 })
    expect(await isLive(service, tokens.access_token)).toBe(false)
    const { clientId } = await register(service)
    await service.server.clients.remove(clientId)
    expect(service.events.at(-1), 'of a client without grants').toEqual({ type, clientId, grantsEnded: 0 })
    const before = service.events.length
    expect(await service.server.clients.remove(client.clientId)).toEqual({ existed: false, grantsEnded: 0 })
    expect(service.events).toHaveLength(before)
  })

  it('revokes every token of an approval that its scan missed', async () => {
    const real = createMemoryStore({ now: () => 1_800_000_000 })
    let approveLate = async () => {}
    async function* scan() {
      yield* real.grants.scan()
      await approveLate()
    }
    const service = openService({ store: { ...real, grants: { ...real.grants, scan } } })
    const client = await register(service)
    await authorize(service, authorizationQuery(client.clientId))
    const answers: HttpResponse[] = []
    approveLate = async () => {
      const { headers } = await decide(service)
      const code = new URL(String(headers.location ?? ISSUER)).searchParams.get('code') ?? ''
      answers.push(await redeem(service, client, code))
    }
    await service.server.clients.remove(client.clientId)
    expect(answers.map(({ status }) => status)).toEqual([401])
  })
})

it.each<[string, (service: Service, client: ClientAnswer, grantId: string) => Promise<unknown>]>([
  ['grants.revoke', ({ server }, _, grantId) => server.grants.revoke('alice', grantId)],
  ['clients.remove', ({ server }, { clientId }) => server.clients.remove(clientId)],
])('%s wins over refreshes that run at the same time', async (_, end) => {
  const { service, client, tokens } = await withTokens()
  const [grant] = (await service.server.grants.list('alice')).grants
  const [, ...answers] = await Promise.all([
    end(service, client, grant?.id ?? ''),
    ...Array.from({ length: 8 }, () => refresh(service, client, tokens.refresh_token)),
  ])
  for (const answer of answers) {
    const { access_token } = bodyOf<{ access_token?: string }>(answer)
    if (access_token !== undefined) expect(await isLive(service, access_token)).toBe(false)
  }
})
