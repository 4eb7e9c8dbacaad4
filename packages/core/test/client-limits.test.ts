import { clientCredentials } from '@grantkit/core/client-credentials'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import { idJag, openForOrganization, present } from './assertions.ts'
import { bodyOf, codeFor, credentials, redeem, refresh, requestToken, type TokenAnswer } from './client.ts'
import { openService, REDIRECT_URI } from './service.ts'

/** Limits that the operator sets for one client. No rate limiter is set: this process counts. */

async function withClient(limits: object, overrides: Parameters<typeof openService>[0] = {}) {
  const service = openService(overrides)
  const { clients } = service.server
  const add = (metadata: object) =>
    clients.add({ clientName: 'Portal', redirectUris: [REDIRECT_URI], ...metadata })
  return { service, clients, client: await add(limits), other: await add({}), add }
}

const OVER = {
  status: 429,
  headers: expect.objectContaining({ 'retry-after': '30', 'cache-control': 'no-store' }),
}

describe('tokensPerMinute of a client', () => {
  it('answers 429 with Retry-After above it, and loses no code and no refresh token', async () => {
    const { service, client } = await withClient({ tokensPerMinute: 2 })
    const first = bodyOf<TokenAnswer>(await redeem(service, client, await codeFor(service, client.clientId)))
    const second = bodyOf<TokenAnswer>(await refresh(service, client, first.refresh_token))
    service.clock.now += 30
    const code = await codeFor(service, client.clientId)
    expect(await redeem(service, client, code)).toMatchObject(OVER)
    expect(await refresh(service, client, second.refresh_token)).toMatchObject(OVER)
    expect(service.events.at(-1)).toMatchObject({ type: 'refused', reason: 'client_over_token_limit' })
    service.clock.now += 30
    expect(await redeem(service, client, code)).toMatchObject({ status: 200 })
    expect(await refresh(service, client, second.refresh_token)).toMatchObject({ status: 200 })
  })

  it('answers 429 above it, and leaves an assertion valid', async () => {
    const { service, assistant } = await openForOrganization({ client: { tokensPerMinute: 1 } })
    expect((await present(service, await idJag(service, assistant), assistant)).status).toBe(200)
    const assertion = await idJag(service, assistant)
    expect((await present(service, assertion, assistant)).status).toBe(429)
    service.clock.now += 61
    expect((await present(service, assertion, assistant)).status).toBe(200)
  })

  it('counts neither failed requests nor those of another client', async () => {
    const { service, client, other, add } = await withClient({ tokensPerMinute: 1 })
    const same = await add({ tokensPerMinute: 1 })
    for (const _ of Array(5)) {
      expect(await redeem(service, client, 'no-code')).toMatchObject({ status: 400 })
      expect(await redeem(service, { ...client, clientSecret: 'x' }, 'y')).toMatchObject({ status: 401 })
      expect(await redeem(service, other, await codeFor(service, other.clientId))).toMatchObject({
        status: 200,
      })
    }
    for (const one of [client, same])
      expect(await redeem(service, one, await codeFor(service, one.clientId))).toMatchObject({ status: 200 })
  })

  it('counts a repeated refresh once, and of refreshes at the same time no more than the limit', async () => {
    const { service, client } = await withClient({ tokensPerMinute: 2 })
    const first = bodyOf<TokenAnswer>(await redeem(service, client, await codeFor(service, client.clientId)))
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => refresh(service, client, first.refresh_token)),
    )
    expect(answers.map(({ status }) => status)).toContain(200)
    expect(await refresh(service, client, first.refresh_token), 'a lost answer').toMatchObject({
      status: 200,
    })
  })

  it('counts one token although its grant changes meanwhile and the transition runs again', async () => {
    const store = createMemoryStore({ now: () => 1_800_000_000 })
    const { replace } = store.grants
    let conflicts = 0
    const { service, client } = await withClient({ tokensPerMinute: 2 }, { store })
    const first = bodyOf<TokenAnswer>(await redeem(service, client, await codeFor(service, client.clientId)))
    store.grants.replace = async (...written) => (conflicts++ === 0 ? false : replace(...written))
    expect(await refresh(service, client, first.refresh_token)).toMatchObject({ status: 200 })
    expect(conflicts).toBe(2)
  })

  it('counts in the rate limiter of the application, under a name with the points', async () => {
    const taken: unknown[] = []
    const rateLimiter = {
      async take(...event: unknown[]) {
        taken.push(event)
        return 7
      },
    }
    const { service, client } = await withClient({ tokensPerMinute: 9 }, { rateLimiter })
    const answer = await redeem(service, client, await codeFor(service, client.clientId))
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '7' } })
    const window = { points: 9, seconds: 60 }
    expect(taken[0]).toEqual(['client_tokens_9', client.clientId, expect.objectContaining(window)])
  })
})

describe('grantsPerHour of a client', () => {
  it('counts new grants, and no refresh', async () => {
    const { service, client } = await withClient({ grantsPerHour: 1, tokensPerMinute: 3 })
    const first = bodyOf<TokenAnswer>(await redeem(service, client, await codeFor(service, client.clientId)))
    const code = await codeFor(service, client.clientId)
    const over = { status: 429, headers: { 'retry-after': '3600' } }
    for (const _ of Array(3)) expect(await redeem(service, client, code)).toMatchObject(over)
    const again = await refresh(service, client, first.refresh_token)
    expect(again, 'the refused requests took no token').toMatchObject({ status: 200 })
  })

  it('counts the tokens that a client gets for itself', async () => {
    const job = {
      ...{ redirectUris: [], grantTypes: ['client_credentials'], grantsPerHour: 1 },
      clientCredentialsScopes: ['courses:read'],
    }
    const { service, client } = await withClient(job, { features: [clientCredentials()] })
    const request = () => requestToken(service, { grant_type: 'client_credentials', ...credentials(client) })
    expect([(await request()).status, (await request()).status]).toEqual([200, 429])
  })
})

describe('the limits of a client', () => {
  it('are set, changed and removed by the operator', async () => {
    const { service, clients, client, other } = await withClient({ tokensPerMinute: 1, grantsPerHour: 5 })
    expect(await clients.find(client.clientId)).toMatchObject({ tokensPerMinute: 1, grantsPerHour: 5 })
    expect(other).not.toHaveProperty('tokensPerMinute')
    const change = async (changes: object) =>
      clients.update(client.clientId, changes, { seen: (await clients.find(client.clientId)) ?? client })
    expect(await change({ tokensPerMinute: 2 })).toMatchObject({ tokensPerMinute: 2 })
    expect(await change({ tokensPerMinute: null })).not.toHaveProperty('tokensPerMinute')
    for (const tokensPerMinute of [0, 1.5, 1_000_001, '3'])
      await expect(change({ tokensPerMinute })).rejects.toThrow('tokensPerMinute')
    expect(service.events.at(-1)).toMatchObject({ type: 'client_changed', members: ['tokensPerMinute'] })
  })

  it('are not for clients that register themselves', async () => {
    const { service } = await withClient({})
    const json = { redirect_uris: [REDIRECT_URI], tokens_per_minute: 1 }
    const { client_id } = bodyOf(await service.send('POST', '/api/oauth/register', { json }))
    expect(await service.store.clients.find(String(client_id))).not.toHaveProperty('value.tokensPerMinute')
  })
})
