import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it, vi } from 'vitest'
import { authorizationQuery, authorize, codeFor, decide, refresh, register, tokensFor } from './client.ts'
import { openSchool, type School } from './school.ts'

/** A user and a client have a limited number of live grants. */

const idsOf = async (school: School, limit = 200) =>
  (await school.server.grants.list('alice', { limit })).grants.map(({ id }) => id)

const ended = ({ events }: School) =>
  events.flatMap((event) => (event.type === 'grant_revoked' ? [{ ...event }] : []))

describe('one grant more than the limit', () => {
  it('revokes the least recently used grant, with an event', async () => {
    const school = openSchool({ maxGrantsPerClient: 3 })
    const client = await register(school)
    const tokens = []
    for (let count = 0; count < 3; count++) {
      tokens.push(await tokensFor(school, client))
      school.clock.now += 3600
    }
    const [, unused] = (await idsOf(school)).toReversed()
    await refresh(school, client, tokens[0]?.refresh_token ?? '')
    expect(ended(school)).toEqual([])
    await tokensFor(school, client)
    expect(ended(school)).toEqual([
      {
        ...{ type: 'grant_revoked', grantId: unused, clientId: client.clientId, subject: 'alice' },
        ...{ by: 'server', reason: 'too_many_grants' },
      },
    ])
    expect((await refresh(school, client, tokens[1]?.refresh_token ?? '')).status).toBe(400)
    expect(await idsOf(school)).toHaveLength(3)
  })

  it('revokes no grant of another client or user', async () => {
    const school = openSchool({ maxGrantsPerClient: 1 })
    const [client, other] = [await register(school), await register(school)]
    await tokensFor(school, client)
    await tokensFor(school, other)
    const bob = { cookie: 'user=bob' }
    await authorize(school, authorizationQuery(client.clientId), bob)
    expect((await decide(school, {}, bob)).status).toBe(303)
    expect(ended(school)).toEqual([])
  })
})

describe('the limit of grants', () => {
  it('is 100, and at most twice as many grants are read, however many exist', async () => {
    const store = createMemoryStore({ now: () => 1_800_000_000 })
    const school = openSchool({ store })
    const client = await register(school)
    await tokensFor(school, client)
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
    await tokensFor(school, client)
    expect(Math.max(...list.mock.calls.map(([, { limit }]) => limit))).toBe(200)
    expect(ended(school), 'of the 200 newest, those above the limit').toHaveLength(100)
    for (let more = 0; more < 3; more++) await tokensFor(school, client)
    expect(ended(school)).toHaveLength(400)
    await tokensFor(school, client)
    expect(await idsOf(school)).toHaveLength(100)
  })

  it('counts no approval whose code expired unused', async () => {
    const school = openSchool({ maxGrantsPerClient: 2 })
    const client = await register(school)
    await tokensFor(school, client)
    for (let count = 0; count < 2; count++) {
      await codeFor(school, client.clientId)
      school.clock.now += 60
    }
    expect(ended(school)).toEqual([])
    expect(await idsOf(school)).toHaveLength(1)
  })

  it('does not fail an approval that is stored, and the next one corrects it', async () => {
    const store = createMemoryStore({ now: () => 1_800_000_000 })
    const school = openSchool({ store, maxGrantsPerClient: 2 })
    const client = await register(school)
    for (let count = 0; count < 2; count++) await tokensFor(school, client)
    const replace = vi.spyOn(store.grants, 'replace').mockRejectedValue(new Error('lost'))
    vi.spyOn(store.grants, 'remove').mockRejectedValue(new Error('lost'))
    await codeFor(school, client.clientId)
    expect(replace).toHaveBeenCalled()
    const approvals = school.events.filter(({ type }) => type === 'consent_granted')
    expect(approvals).toHaveLength(3)
    vi.restoreAllMocks()
    await tokensFor(school, client)
    expect(await idsOf(school)).toHaveLength(2)
  })

  it.each([0, 60])(
    'ends no grant that is in use for approvals that nobody redeems, %d seconds apart',
    async (seconds) => {
      const school = openSchool({ maxGrantsPerClient: 2 })
      const client = await register(school)
      const { refresh_token } = await tokensFor(school, client)
      for (let count = 0; count < 6; count++) {
        school.clock.now += seconds
        await codeFor(school, client.clientId)
      }
      expect((await refresh(school, client, refresh_token)).status).toBe(200)
    },
  )

  it.each([0, 101, 1.5])('cannot be %j', (maxGrantsPerClient) => {
    expect(() => openSchool({ maxGrantsPerClient })).toThrow(
      'maxGrantsPerClient must be a whole number from 1 to 100',
    )
  })
})
