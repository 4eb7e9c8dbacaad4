import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it, vi } from 'vitest'
import { authorizationQuery, authorize, codeFor, decide, refresh, register, tokensFor } from './client.ts'
import { openService, type Service } from './service.ts'

/** A user and a client have a limited number of live grants. */

const idsOf = async (service: Service, limit = 200) =>
  (await service.server.grants.list('alice', { limit })).grants.map(({ id }) => id)

const ended = ({ events }: Service) =>
  events.flatMap((event) => (event.type === 'grant_revoked' ? [{ ...event }] : []))

describe('one grant more than the limit', () => {
  it('revokes the least recently used grant, with an event', async () => {
    const service = openService({ maxGrantsPerClient: 3 })
    const client = await register(service)
    const tokens = []
    for (let count = 0; count < 3; count++) {
      tokens.push(await tokensFor(service, client))
      service.clock.now += 3600
    }
    const [, unused] = (await idsOf(service)).toReversed()
    await refresh(service, client, tokens[0]?.refresh_token ?? '')
    expect(ended(service)).toEqual([])
    await tokensFor(service, client)
    expect(ended(service)).toEqual([
      {
        ...{ type: 'grant_revoked', grantId: unused, clientId: client.clientId, subject: 'alice' },
        ...{ by: 'server', reason: 'too_many_grants' },
      },
    ])
    expect((await refresh(service, client, tokens[1]?.refresh_token ?? '')).status).toBe(400)
    expect(await idsOf(service)).toHaveLength(3)
  })

  it('revokes no grant of another client or user', async () => {
    const service = openService({ maxGrantsPerClient: 1 })
    const [client, other] = [await register(service), await register(service)]
    await tokensFor(service, client)
    await tokensFor(service, other)
    const bob = { cookie: 'user=bob' }
    await authorize(service, authorizationQuery(client.clientId), bob)
    expect((await decide(service, {}, bob)).status).toBe(303)
    expect(ended(service)).toEqual([])
  })
})

describe('the limit of grants', () => {
  it('is 100, and at most twice as many grants are read, however many exist', async () => {
    const store = createMemoryStore({ now: () => 1_800_000_000 })
    const service = openService({ store })
    const client = await register(service)
    await tokensFor(service, client)
    const [grant] = (await store.grants.list({ subject: 'alice' }, { limit: 1 })).grants
    if (grant === undefined) throw new Error('There is no grant')
    const earlier = (id: string, age: number) =>
      store.grants.insert(
        id,
        { ...grant, id: id as typeof grant.id, createdAt: grant.createdAt - age },
        grant.expiresAt,
      )
    for (let age = 1; age <= 500; age++) await earlier(`earlier-${age}`, age)
    const list = vi.spyOn(store.grants, 'list')
    await tokensFor(service, client)
    expect(Math.max(...list.mock.calls.map(([, { limit }]) => limit))).toBe(200)
    expect(ended(service), 'of the 200 newest, those above the limit').toHaveLength(100)
    for (let more = 0; more < 3; more++) await tokensFor(service, client)
    expect(ended(service)).toHaveLength(400)
    await tokensFor(service, client)
    expect(await idsOf(service)).toHaveLength(100)
  })

  it('counts no approval whose code expired unused', async () => {
    const service = openService({ maxGrantsPerClient: 2 })
    const client = await register(service)
    await tokensFor(service, client)
    for (let count = 0; count < 2; count++) {
      await codeFor(service, client.clientId)
      service.clock.now += 60
    }
    expect(ended(service)).toEqual([])
    expect(await idsOf(service)).toHaveLength(1)
  })

  it('does not fail an approval that is stored, and the next one corrects it', async () => {
    const store = createMemoryStore({ now: () => 1_800_000_000 })
    const service = openService({ store, maxGrantsPerClient: 2 })
    const client = await register(service)
    for (let count = 0; count < 2; count++) await tokensFor(service, client)
    const replace = vi.spyOn(store.grants, 'replace').mockRejectedValue(new Error('lost'))
    vi.spyOn(store.grants, 'remove').mockRejectedValue(new Error('lost'))
    await codeFor(service, client.clientId)
    expect(replace).toHaveBeenCalled()
    const approvals = service.events.filter(({ type }) => type === 'consent_granted')
    expect(approvals).toHaveLength(3)
    vi.restoreAllMocks()
    await tokensFor(service, client)
    expect(await idsOf(service)).toHaveLength(2)
  })

  it.each([0, 30, 60])(
    'ends no grant in use when approvals are never redeemed, %d seconds apart',
    async (seconds) => {
      const service = openService({ maxGrantsPerClient: 2 })
      const client = await register(service)
      const { refresh_token } = await tokensFor(service, client)
      for (let count = 0; count < 6; count++) {
        service.clock.now += seconds
        await codeFor(service, client.clientId)
      }
      expect((await refresh(service, client, refresh_token)).status).toBe(200)
    },
  )

  it.each([0, 101, 1.5])('cannot be %j', (maxGrantsPerClient) => {
    expect(() => openService({ maxGrantsPerClient })).toThrow(
      'maxGrantsPerClient must be a whole number from 1 to 100',
    )
  })
})
