import { createResourceServer, type Feature, type HttpResponse } from '@grantkit/core'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { clientDocuments } from '@grantkit/core/client-documents'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { dpop, dpopProofs } from '@grantkit/core/dpop'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { describe, expect, it } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  codeFor,
  credentials,
  decide,
  redirectOf,
  register,
  type TokenAnswer,
} from './client.ts'
import { openDeviceService } from './device-service.ts'
import { open, proven, redemptionOf, SECRET, token } from './dpop-service.ts'
import { ISSUER, openService, REDIRECT_URI, type Service, VERIFIER } from './service.ts'

/** Required DPoP: for every client, for a resource, or for a client that registered it. */

describe('with required DPoP', () => {
  it('a request without a proof consumes nothing', async () => {
    const service = open({ required: true })
    const { form } = await redemptionOf(service)
    expect(bodyOf(await token(service, form)).error).toBe('invalid_dpop_proof')
    expect((await token(service, form, proven(service, '/api/oauth/token'))).status).toBe(200)
  })

  it('the metadata of each resource says so', async () => {
    const answer = await open({ required: true }).send('GET', '/.well-known/oauth-protected-resource/mcp')
    expect(bodyOf(answer)).toMatchObject({ dpop_bound_access_tokens_required: true })
  })

  it('it may be required for a single integration', async () => {
    const service = open()
    const metadata = { clientName: 'Bank', redirectUris: [REDIRECT_URI], dpopBoundAccessTokens: true }
    const bank = await service.server.clients.add(metadata)
    expect(bank).toMatchObject({ dpopBoundAccessTokens: true })
    const form = {
      client_id: bank.clientId,
      client_secret: String(bank.clientSecret),
      grant_type: 'refresh_token',
    }
    expect(bodyOf(await token(service, { ...form, refresh_token: 'x' })).error).toBe('invalid_dpop_proof')
    expect(bodyOf(await tokensForUnbound(service)).token_type).toBe('Bearer')
  })

  async function tokensForUnbound(service: Service) {
    return token(service, (await redemptionOf(service)).form)
  }
})

describe('a resource that accepts only sender-constrained tokens', () => {
  const MCP = `${ISSUER}/mcp`
  const resources = [ISSUER, { resource: MCP, dpop: 'required' as const }]
  const opened = (...features: Feature[]) => openService({ resources, features: [dpop(), ...features] })
  const errorOf = async (answer: Promise<HttpResponse>) => bodyOf(await answer).error

  it.each([
    ['for it', MCP],
    ['for every resource', undefined],
  ])('gets no token %s without a proof, and the code stays valid', async (_, resource) => {
    const service = opened()
    const { form } = await redemptionOf(service, resource === undefined ? {} : { resource })
    expect(await errorOf(token(service, form))).toBe('invalid_dpop_proof')
    expect(service.events.at(-1)).toMatchObject({ reason: 'resource_needs_proof' })
    const answer = bodyOf<TokenAnswer>(await token(service, form, proven(service, '/api/oauth/token')))
    expect(answer.token_type).toBe('DPoP')
  })

  it('does not affect the tokens of other resources', async () => {
    const service = opened()
    const { form } = await redemptionOf(service, { resource: ISSUER })
    expect(bodyOf(await token(service, form)).token_type).toBe('Bearer')
  })

  it('rejects a refresh without a proof, which consumes nothing', async () => {
    const service = opened()
    const client = await register(service, { token_endpoint_auth_method: 'client_secret_post' })
    const code = await codeFor(service, client.clientId, { resource: MCP })
    const redemption = { code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER }
    const redeeming = { ...credentials(client), grant_type: 'authorization_code', ...redemption }
    const tokens = bodyOf<TokenAnswer>(await token(service, redeeming, proven(service, '/api/oauth/token')))
    const refresh_token = tokens.refresh_token
    const refreshing = { ...credentials(client), grant_type: 'refresh_token', refresh_token }
    expect(await errorOf(token(service, refreshing))).toBe('invalid_dpop_proof')
    expect((await token(service, refreshing, proven(service, '/api/oauth/token'))).status).toBe(200)
  })

  it('rejects a token exchange without a proof', async () => {
    const service = opened(tokenExchange())
    const client = await register(service, { grant_types: ['authorization_code', TOKEN_EXCHANGE] })
    const code = await codeFor(service, client.clientId, { resource: MCP })
    const redemption = { code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER }
    const redeeming = { ...credentials(client), grant_type: 'authorization_code', ...redemption }
    const tokens = bodyOf<TokenAnswer>(await token(service, redeeming, proven(service, '/api/oauth/token')))
    const types = { grant_type: TOKEN_EXCHANGE, subject_token_type: ACCESS_TOKEN_TYPE }
    const exchanging = { ...credentials(client), ...types, subject_token: tokens.access_token }
    expect(await errorOf(token(service, exchanging))).toBe('invalid_dpop_proof')
  })

  it('rejects a client credentials request without a proof', async () => {
    const service = opened(clientCredentials())
    const job = await service.server.clients.add({
      clientName: 'Job',
      grantTypes: ['client_credentials'],
      clientCredentialsScopes: ['courses:read'],
      redirectUris: [],
    })
    const secret = { client_id: job.clientId, client_secret: String(job.clientSecret) }
    const form = { ...secret, grant_type: 'client_credentials', resource: MCP }
    expect(await errorOf(token(service, form))).toBe('invalid_dpop_proof')
    const answer = await token(service, form, proven(service, '/api/oauth/token'))
    expect(bodyOf(answer).token_type).toBe('DPoP')
  })

  it('rejects a device token request without a proof', async () => {
    const { service, tool, start, approve } = await openDeviceService({
      server: { resources, features: [dpop()] },
    })
    const started = await start({ resource: MCP })
    await approve(started)
    const { device_code } = started
    const form = { grant_type: DEVICE_CODE_GRANT, client_id: tool.clientId, device_code }
    expect(await errorOf(token(service, form))).toBe('invalid_dpop_proof')
    expect((await token(service, form, proven(service, '/api/oauth/token'))).status).toBe(200)
  })

  it('shows it in its metadata, and other resources do not', async () => {
    const service = opened()
    const metadataAt = async (path: string) =>
      bodyOf(await service.send('GET', `/.well-known/oauth-protected-resource${path}`))
    const member = 'dpop_bound_access_tokens_required'
    expect([(await metadataAt('/mcp'))[member], (await metadataAt(''))[member]]).toEqual([true, undefined])
  })

  it('rejects an earlier bearer token, at its guard and at UserInfo', async () => {
    const before = open()
    const { form } = await redemptionOf(before)
    const { access_token } = bodyOf<TokenAnswer>(await token(before, form))
    const headers = { authorization: `Bearer ${access_token}` }
    const { store, clock } = before
    const own = [{ resource: ISSUER, dpop: 'required' as const }]
    const now = () => clock.now
    const service = openService({ store, now, resources: own, features: [dpop()] })
    const answer = await service.send('GET', '/api/oauth/userinfo', { headers })
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('Only DPoP-bound access tokens are accepted here'),
    ])
    const proofs = dpopProofs({ secret: SECRET, required: true })
    const api = createResourceServer({ resource: ISSUER, store, scopes: {}, now, proofs })
    const request = { method: 'GET', path: '/notes', query: '', body: '' }
    expect((await api.access({ ...request, headers })).kind).toBe('refused')
  })
})

describe('a client whose document requires DPoP', () => {
  const ID = 'https://editor.dev/client.json'
  const document = {
    client_id: ID,
    client_name: 'Editor',
    redirect_uris: [REDIRECT_URI],
    dpop_bound_access_tokens: true,
  }

  it.each<[string, Feature]>([
    ['is pinned', clientDocuments({ pinned: [document] })],
    [
      'was fetched',
      clientDocuments({
        fetch: async () => ({
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(document),
        }),
      }),
    ],
  ])('which %s, gets none without a proof', async (_, documents) => {
    const service = openService({ features: [dpop(), documents] })
    await authorize(service, authorizationQuery(ID))
    const { code = '' } = redirectOf(await decide(service))
    const redemption = { code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER }
    const form = { client_id: ID, grant_type: 'authorization_code', ...redemption }
    expect(bodyOf(await token(service, form)).error).toBe('invalid_dpop_proof')
    const answer = await token(service, form, proven(service, '/api/oauth/token'))
    expect(bodyOf(answer).token_type).toBe('DPoP')
  })
})
