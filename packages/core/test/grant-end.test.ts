import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it, vi } from 'vitest'
import { codeFor, credentials, redeem, refresh, register, tokensFor } from './client.ts'
import { openService, type Service } from './service.ts'

const AT_ONCE = 20

function ends({ events }: Service): string[] {
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
    const service = openService()
    const client = await register(service)
    const code = await codeFor(service, client.clientId)
    await redeem(service, client, code)
    service.clock.now += age
    await atOnce(() => redeem(service, client, code))
    expect(ends(service)).toEqual(['grant_ended'])
  })

  it('that revoke it', async () => {
    const service = openService()
    const client = await register(service)
    const form = { ...credentials(client), token: (await tokensFor(service, client)).refresh_token }
    await atOnce(() => service.send('POST', '/api/oauth/revoke', { form }))
    const [grant] = (await service.server.grants.list('alice')).grants
    expect([ends(service), grant]).toEqual([['grant_revoked'], undefined])
    expect(service.events).toContainEqual(expect.objectContaining({ by: 'client', subject: 'alice' }))
  })
})

describe('a store that is full', () => {
  it('replaces nothing, and a new grant is still revoked', async () => {
    const store = createMemoryStore()
    const service = openService({ store, now: () => Math.floor(Date.now() / 1000) })
    const client = await register(service)
    const { refresh_token } = await tokensFor(service, client)
    const full = new Error('OOM command not allowed')
    const replace = vi.spyOn(store.grants, 'replace').mockRejectedValue(full)
    vi.spyOn(store.grants, 'insert').mockRejectedValue(full)
    const form = { ...credentials(client), token: refresh_token }
    expect((await service.send('POST', '/api/oauth/revoke', { form })).status).toBe(200)
    expect(replace).toHaveBeenCalledTimes(1)
    vi.restoreAllMocks()
    expect((await refresh(service, client, refresh_token)).status).toBe(400)
  })
})
