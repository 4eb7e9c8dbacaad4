import { createResourceServer } from '@grantkit/core'
import { detailGuard } from '@grantkit/core/authorization-details'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { organizations } from '@grantkit/core/organizations'
import { TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { describe, expect, it } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  credentials,
  decide,
  redeem,
  redirectOf,
  refresh,
  register,
  requestToken,
  type TokenAnswer,
} from './client.ts'
import { ISSUER, openService, SCOPES, type Service } from './service.ts'

const FAMILY = `${ISSUER}/mcp/o/{organization}`
const of = (id: string) => `${ISSUER}/mcp/o/${id}`
const MEMBERSHIPS = [
  { id: 'acme', name: 'Acme' },
  { id: 'birch', name: 'Birch' },
]
const ROUTE = '/.well-known/oauth-protected-resource/mcp/o'

type ServerOptions = NonNullable<Parameters<typeof openService>[0]>

function open({ features = [], ...more }: ServerOptions = {}) {
  const feature = organizations({ of: async () => MEMBERSHIPS })
  const service = openService({ resources: [ISSUER, FAMILY], ...more, features: [feature, ...features] })
  const { store, clock, server } = service
  const { requestTerms } = server
  const guard = createResourceServer({
    resource: FAMILY,
    store,
    scopes: SCOPES,
    requestTerms,
    now: () => clock.now,
  })
  const call = (path: string, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    return guard.access({ method: 'POST', path, query: '', body: '', headers }, 'courses:read')
  }
  return { service, guard, call }
}

async function tokensFor(service: Service, more: Record<string, string>, organization?: string) {
  const client = await register(service)
  await authorize(service, authorizationQuery(client.clientId, more))
  const [only] = service.shown.consent?.terms?.organization?.organizations ?? []
  const { code = '' } = redirectOf(await decide(service, { organization: organization ?? only?.id ?? '' }))
  return { client, ...bodyOf<TokenAnswer>(await redeem(service, client, code)) }
}

async function metadataAt(service: Service, path: string) {
  const route = service.server.routes.find((one) => one.path === ROUTE)
  expect(route?.below).toBe(true)
  const response = await route?.handle({ method: 'GET', path, query: '', headers: {}, body: '' })
  return response?.status === 200 ? bodyOf(response) : response?.status
}

describe('a family of resources', () => {
  it('is no resource whose tokens a client may exchange', async () => {
    const { service } = open({ features: [tokenExchange()] })
    const api = (resource: string) =>
      service.server.clients.add({
        ...{ clientName: 'API', redirectUris: [], grantTypes: [TOKEN_EXCHANGE] },
        tokenExchangeResources: [resource],
      })
    await expect(api(FAMILY)).rejects.toThrow('tokenExchangeResources')
    expect(await api(ISSUER)).toMatchObject({ tokenExchangeResources: [ISSUER] })
  })

  it('fixes the organization by the resource of the request, and the token is for this address alone', async () => {
    const { service, call } = open()
    const { access_token, client, refresh_token } = await tokensFor(service, { resource: of('birch') })
    expect(service.shown.consent?.terms).toMatchObject({ organization: { organizations: [MEMBERSHIPS[1]] } })
    expect(await call('/mcp/o/birch', access_token)).toMatchObject({
      kind: 'authorized',
      token: { resources: [of('birch')], claims: { org_id: 'birch' } },
    })
    const next = bodyOf<TokenAnswer>(await refresh(service, client, refresh_token))
    expect(await call('/mcp/o/birch/below', next.access_token)).toMatchObject({ kind: 'authorized' })
    const moved = await refresh(service, client, next.refresh_token, { resource: of('acme') })
    expect(bodyOf(moved)).toMatchObject({ error: 'invalid_target' })
  })

  it('refuses the token of another organization, and names its own metadata, so that clients authorize again', async () => {
    const { service, call } = open()
    const { access_token } = await tokensFor(service, { resource: of('birch') })
    const refused = await call('/mcp/o/acme', access_token)
    expect(refused).toMatchObject({ kind: 'refused', response: { status: 401 } })
    const challenge = 'response' in refused ? String(refused.response.headers['www-authenticate']) : ''
    expect(challenge).toContain(`resource_metadata="${ISSUER}${ROUTE}/acme"`)
    expect(await call('/mcp/o/acme')).toMatchObject({ response: { status: 401 } })
  })

  it('lets a refusal after its guard name the metadata of the member', async () => {
    const { service, guard, call } = open()
    const { access_token } = await tokensFor(service, { resource: of('birch') })
    const access = await call('/mcp/o/birch/notes', access_token)
    if (access.kind !== 'authorized') return expect.fail('The token was refused')
    const refused = detailGuard({ api: guard, types: {} }).covering(access.token, { type: 'payment' })
    expect(refused?.response.headers['www-authenticate']).toContain(
      `resource_metadata="${ISSUER}${ROUTE}/birch"`,
    )
  })

  it('takes no token that names no resource: a member must be named', async () => {
    const { service, call } = open()
    const { access_token, client, refresh_token } = await tokensFor(service, {}, 'acme')
    expect(await call('/mcp/o/acme', access_token)).toMatchObject({ response: { status: 401 } })
    const narrowed = await refresh(service, client, refresh_token, { resource: of('acme') })
    expect(bodyOf(narrowed)).toMatchObject({ error: 'invalid_target' })
  })

  it.each([
    '/mcp/o/',
    '/mcp/o/birch/',
    '/mcp/o/bi%72ch',
    '/mcp/o/bi.rch',
    '/mcp/O/birch',
    `/mcp/o/${'a'.repeat(65)}`,
  ])('answers 404 at %s, with and without a token', async (path) => {
    const { service, call } = open()
    const { access_token } = await tokensFor(service, { resource: of('birch') })
    expect(await call(path)).toMatchObject({ kind: 'refused', response: { status: 404 } })
    expect(await call(path, access_token)).toMatchObject({ kind: 'refused', response: { status: 404 } })
  })

  it('describes each well-formed member alike, whether it exists or not', async () => {
    const { service } = open()
    expect(await metadataAt(service, `${ROUTE}/birch`)).toMatchObject({ resource: of('birch') })
    expect(await metadataAt(service, `${ROUTE}/nobody`)).toMatchObject({ resource: of('nobody') })
    for (const path of ['/', '/birch/', '/a/b', '/%62irch', `/${'a'.repeat(65)}`, '/{organization}'])
      expect(await metadataAt(service, ROUTE + path), path).toBe(404)
  })

  it('refuses requests whose resource and organization differ, of two members, of the family itself, or of strangers', async () => {
    const { service } = open()
    const client = await register(service)
    const errorFor = async (query: string) => redirectOf(await authorize(service, query)).error
    const query = authorizationQuery(client.clientId, { resource: of('birch') })
    expect(await errorFor(`${query}&organization=acme`)).toBe('invalid_target')
    expect(await errorFor(`${query}&resource=${encodeURIComponent(of('acme'))}`)).toBe('invalid_target')
    const resource = (text: string) => authorizationQuery(client.clientId, { resource: text })
    expect(await errorFor(resource(FAMILY))).toBe('invalid_target')
    expect(await errorFor(resource(of('bi.rch')))).toBe('invalid_target')
    expect(await errorFor(resource(of('nobody')))).toBe('access_denied')
  })

  it('is for no client without a user', async () => {
    const { service } = open({ features: [clientCredentials()] })
    const metadata = { redirectUris: [], grantTypes: ['client_credentials'], clientName: 'Job' }
    const access = { clientCredentialsScopes: ['courses:read'], organization: 'acme' }
    const client = await service.server.clients.add({ ...metadata, ...access })
    const form = { grant_type: 'client_credentials', resource: of('birch'), ...credentials(client) }
    expect(bodyOf(await requestToken(service, form))).toMatchObject({ error: 'invalid_target' })
  })

  it('may have JWT access tokens, whose audience is the member', async () => {
    const { service } = open({ features: [jwtAccessTokens({ resources: { [FAMILY]: {} } })] })
    const { access_token } = await tokensFor(service, { resource: of('acme') })
    const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ aud: of('acme'), org_id: 'acme' })
  })

  it('needs a feature that decides its variable', () => {
    expect(() => openService({ resources: [ISSUER, FAMILY] })).toThrow(
      'needs a feature that decides {organization}',
    )
  })
})
