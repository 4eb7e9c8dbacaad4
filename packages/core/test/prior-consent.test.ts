import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it, vi } from 'vitest'
import { ALICE, authorizationQuery, authorize, decide, register, tokensFor } from './client.ts'
import { ISSUER, openService, type Service } from './service.ts'

/** What the consent page shows of earlier consent, when an app requests more scopes. */

const MCP = `${ISSUER}/mcp`
const REQUESTED = 'openid courses:read courses:write'

/** The scopes that the page marks. */
async function marked(service: Service, clientId: string, resources: string[] = [], headers = ALICE) {
  const query = authorizationQuery(clientId, { scope: REQUESTED })
  const answer = await authorize(
    service,
    `${query}${resources.map((each) => `&resource=${each}`).join('')}`,
    headers,
  )
  expect([answer.status, answer.body]).toEqual([200, 'consent'])
  const scopes = service.shown.consent?.scopes ?? []
  return scopes.filter(({ allowedBefore }) => allowedBefore).map(({ name }) => name)
}

async function withTokens(resource?: string, lifetimes = {}) {
  const service = openService({ lifetimes })
  const client = await register(service)
  const tokens = await tokensFor(service, client, { scope: 'openid courses:read', resource })
  return { service, client, id: client.clientId, tokens }
}

describe('a scope on the consent page is marked as allowed before', () => {
  it('D4, REQ-24: if a live grant of this user and client has it', async () => {
    const { service, id } = await withTokens()
    expect(await marked(service, id)).toEqual(['openid', 'courses:read'])
  })

  it('not by a grant of another app or another user', async () => {
    const { service, id } = await withTokens()
    const other = await register(service)
    expect(await marked(service, other.clientId)).toEqual([])
    expect(await marked(service, id, [], { cookie: 'user=bob' })).toEqual([])
  })

  it('only if the user left it ticked', async () => {
    const { service, id } = await withTokens()
    await marked(service, id)
    await decide(service, { scope: 'courses:write' })
    expect(await marked(service, id)).toEqual(['openid', 'courses:read', 'courses:write'])
  })

  it('only at the resources of the grant', async () => {
    const { service, id } = await withTokens(MCP)
    expect(await marked(service, id, [MCP])).toEqual(['openid', 'courses:read'])
    expect(await marked(service, id, [ISSUER])).toEqual([])
  })

  it('no longer once the grant was revoked', async () => {
    const { service, client, id, tokens } = await withTokens()
    const form = { client_id: client.clientId, token: tokens.refresh_token }
    await service.send('POST', '/api/oauth/revoke', { form })
    expect(await marked(service, id)).toEqual([])
  })

  it('no longer once all its tokens have expired', async () => {
    const { service, id } = await withTokens(undefined, { accessToken: 50, refreshToken: 100 })
    service.clock.now += 100
    expect(await marked(service, id)).toEqual([])
  })
})

describe('the mark', () => {
  it('is omitted if the store fails, and the page is still shown', async () => {
    const store = createMemoryStore({ now: () => 1_800_000_000 })
    const service = openService({ store })
    const client = await register(service)
    await tokensFor(service, client, { scope: 'openid courses:read' })
    vi.spyOn(store.grants, 'list').mockRejectedValue(new Error('The index is gone'))
    expect(await marked(service, client.clientId)).toEqual([])
  })

  it('needs no store read before the sign-in', async () => {
    const { service, id } = await withTokens()
    const read = vi.spyOn(service.store.grants, 'list')
    await authorize(service, authorizationQuery(id), {})
    expect(read).not.toHaveBeenCalled()
    await marked(service, id)
    expect(read.mock.calls).toEqual([[{ subject: 'alice', clientId: id }, { limit: 100 }]])
  })

  it('grants nothing by itself', async () => {
    const { service, id } = await withTokens()
    await marked(service, id)
    await decide(service, { scope: '' })
    const grants = (await service.store.grants.list({ subject: 'alice' }, { limit: 200 })).grants
    expect(grants.map(({ scopes }) => scopes.join(' ')).sort()).toEqual(['openid', 'openid courses:read'])
  })
})
