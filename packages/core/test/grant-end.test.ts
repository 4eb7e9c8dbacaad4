import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it, vi } from 'vitest'
import { codeFor, credentials, redeem, refresh, register, tokensFor } from './client.ts'
import { openSchool, type School } from './school.ts'

const AT_ONCE = 20

function ends({ events }: School): string[] {
  return events.flatMap(({ type }) => (type === 'grant_ended' || type === 'grant_revoked' ? [type] : []))
}

function atOnce(send: () => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: AT_ONCE }, send))
}

describe('the event of a revoked grant is emitted once for concurrent requests', () => {
  it.each([
    ['young', 0],
    ['old', 1200],
  ])('that replay its code, with a %s grant', async (_, age) => {
    const school = openSchool()
    const client = await register(school)
    const code = await codeFor(school, client.clientId)
    await redeem(school, client, code)
    school.clock.now += age
    await atOnce(() => redeem(school, client, code))
    expect(ends(school)).toEqual(['grant_ended'])
  })

  it('that revoke it', async () => {
    const school = openSchool()
    const client = await register(school)
    const form = { ...credentials(client), token: (await tokensFor(school, client)).refresh_token }
    await atOnce(() => school.send('POST', '/api/oauth/revoke', { form }))
    const [grant] = (await school.server.grants.list('alice')).grants
    expect([ends(school), grant]).toEqual([['grant_revoked'], undefined])
    expect(school.events).toContainEqual(expect.objectContaining({ by: 'client', subject: 'alice' }))
  })
})

describe('a store that is full', () => {
  it('replaces nothing, and a new grant is still revoked', async () => {
    const store = createMemoryStore()
    const school = openSchool({ store, now: () => Math.floor(Date.now() / 1000) })
    const client = await register(school)
    const { refresh_token } = await tokensFor(school, client)
    const full = new Error('OOM command not allowed')
    const replace = vi.spyOn(store.grants, 'replace').mockRejectedValue(full)
    vi.spyOn(store.grants, 'insert').mockRejectedValue(full)
    const form = { ...credentials(client), token: refresh_token }
    expect((await school.send('POST', '/api/oauth/revoke', { form })).status).toBe(200)
    expect(replace).toHaveBeenCalledTimes(1)
    vi.restoreAllMocks()
    expect((await refresh(school, client, refresh_token)).status).toBe(400)
  })
})
