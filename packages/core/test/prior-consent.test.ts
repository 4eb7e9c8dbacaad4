import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it, vi } from 'vitest'
import { ALICE, authorizationQuery, authorize, decide, register, tokensFor } from './client.ts'
import { ISSUER, openSchool, type School } from './school.ts'

/** What the consent page shows of earlier consent, when an app requests more scopes. */

const MCP = `${ISSUER}/mcp`
const ASKED = 'openid courses:read courses:write'

/** The scopes that the page marks. */
async function marked(school: School, clientId: string, resources: string[] = [], headers = ALICE) {
  const query = authorizationQuery(clientId, { scope: ASKED })
  const answer = await authorize(
    school,
    `${query}${resources.map((each) => `&resource=${each}`).join('')}`,
    headers,
  )
  expect([answer.status, answer.body]).toEqual([200, 'consent'])
  const scopes = school.shown.consent?.scopes ?? []
  return scopes.filter(({ allowedBefore }) => allowedBefore).map(({ name }) => name)
}

async function withTokens(resource?: string, lifetimes = {}) {
  const school = openSchool({ lifetimes })
  const client = await register(school)
  const tokens = await tokensFor(school, client, { scope: 'openid courses:read', resource })
  return { school, client, id: client.clientId, tokens }
}

describe('a scope on the consent page is marked as allowed before', () => {
  it('if a live grant of this user and client has it', async () => {
    const { school, id } = await withTokens()
    expect(await marked(school, id)).toEqual(['openid', 'courses:read'])
  })

  it('not by a grant of another app or another user', async () => {
    const { school, id } = await withTokens()
    const other = await register(school)
    expect(await marked(school, other.clientId)).toEqual([])
    expect(await marked(school, id, [], { cookie: 'user=bob' })).toEqual([])
  })

  it('only if the user left it ticked', async () => {
    const { school, id } = await withTokens()
    await marked(school, id)
    await decide(school, { scope: 'courses:write' })
    expect(await marked(school, id)).toEqual(['openid', 'courses:read', 'courses:write'])
  })

  it.each([
    [undefined, [MCP], ['openid', 'courses:read']],
    [MCP, [MCP], ['openid', 'courses:read']],
    [MCP, [ISSUER], []],
    [MCP, [ISSUER, MCP], []],
    [MCP, [], []],
  ])('at the resources of the grant: %s, asked for %j', async (granted, asked, scopes) => {
    const { school, id } = await withTokens(granted)
    expect(await marked(school, id, asked)).toEqual(scopes)
  })

  it('no longer once the grant was revoked', async () => {
    const { school, client, id, tokens } = await withTokens()
    const form = { client_id: client.clientId, token: tokens.refresh_token }
    await school.send('POST', '/api/oauth/revoke', { form })
    expect(await marked(school, id)).toEqual([])
  })

  it('no longer once all its tokens have expired', async () => {
    const { school, id } = await withTokens(undefined, { accessToken: 50, refreshToken: 100 })
    school.clock.now += 100
    expect(await marked(school, id)).toEqual([])
  })
})

describe('the mark', () => {
  it('is omitted if the store fails, and the page is still shown', async () => {
    const store = createMemoryStore({ now: () => 1_800_000_000 })
    const school = openSchool({ store })
    const client = await register(school)
    await tokensFor(school, client, { scope: 'openid courses:read' })
    vi.spyOn(store.grants, 'list').mockRejectedValue(new Error('The index is gone'))
    expect(await marked(school, client.clientId)).toEqual([])
  })

  it('needs no store read before the sign-in', async () => {
    const { school, id } = await withTokens()
    const read = vi.spyOn(school.store.grants, 'list')
    await authorize(school, authorizationQuery(id), {})
    expect(read).not.toHaveBeenCalled()
    await marked(school, id)
    expect(read.mock.calls).toEqual([[{ subject: 'alice', clientId: id }, { limit: 100 }]])
  })

  it('grants nothing by itself', async () => {
    const { school, id } = await withTokens()
    await marked(school, id)
    await decide(school, { scope: '' })
    const grants = (await school.store.grants.list({ subject: 'alice' }, { limit: 200 })).grants
    expect(grants.map(({ scopes }) => scopes.join(' ')).sort()).toEqual(['openid', 'openid courses:read'])
  })
})
