import { createResourceServer, type TokenClaims } from '@grantkit/core'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { createJwtResourceServer } from '@grantkit/core/jwt-resource-server'
import { decodeJwt, type JWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { exchange, introspected, MCP, machineToken, openClaimsService } from './claims-service.ts'
import {
  bodyOf,
  codeFor,
  credentials,
  redeem,
  refresh,
  requestToken,
  type TokenAnswer,
  tokensFor,
} from './client.ts'
import { MINT, minting } from './minting-feature.ts'
import { ISSUER, openService, REDIRECT_URI } from './service.ts'

/** Claims of the operator in tokens, UserInfo and introspection: the option `tokenClaims`. */

const ROLES: TokenClaims = ({ use }) => ({ roles: ['editor'], use })

const REQUEST = { method: 'GET', path: '/', query: '', body: '' }

const ofToken = (answer: TokenAnswer) => decodeJwt(answer.access_token)

describe('a JWT access token', () => {
  it('has the claims at the code, at each refresh, for a device, after an exchange and for a machine', async () => {
    const opened = await openClaimsService(ROLES)
    const { service, client } = opened
    const first = await tokensFor(service, client, { resource: MCP })
    const second = bodyOf<TokenAnswer>(await refresh(service, client, first.refresh_token))
    const started = await opened.start({ resource: MCP })
    await opened.approve(started)
    const ofDevice = bodyOf<TokenAnswer>(await opened.poll(started))
    const exchanged = bodyOf<TokenAnswer>(await exchange(service, client, second.access_token))
    const ofMachine = bodyOf<TokenAnswer>(await machineToken(service, client))
    const expected = { aud: MCP, roles: ['editor'], use: 'access_token' }
    for (const answer of [first, second, ofDevice, exchanged, ofMachine])
      expect(ofToken(answer)).toMatchObject(expected)
    expect(ofToken(ofMachine).sub).toBe(client.clientId)
  })

  it('has them again in a repeated answer', async () => {
    const { service, client } = await openClaimsService(ROLES)
    const { refresh_token } = await tokensFor(service, client, { resource: MCP })
    for (const _ of [1, 2]) {
      const answer = bodyOf<TokenAnswer>(await refresh(service, client, refresh_token))
      expect(ofToken(answer)).toMatchObject({ roles: ['editor'] })
    }
  })

  it('shows them to a guard that has only the public keys', async () => {
    const { service, client, hook } = await openClaimsService(ROLES)
    const keys = bodyOf<{ keys: JWK[] }>(await service.send('GET', '/api/oauth/jwks'))
    const now = () => service.clock.now
    const api = createJwtResourceServer({ issuer: ISSUER, resource: MCP, keys, scopes: {}, now })
    const access = async () => {
      const { access_token } = await tokensFor(service, client, { resource: MCP })
      return api.access({ ...REQUEST, headers: { authorization: `Bearer ${access_token}` } })
    }
    const claims = { roles: ['editor'], use: 'access_token' }
    expect(await access()).toMatchObject({ kind: 'authorized', token: { subject: 'alice', claims } })
    hook.tokenClaims = () => undefined
    expect(await access()).not.toHaveProperty('token.claims')
  })

  it('follows a role that the user loses, at the next refresh', async () => {
    const { service, client, hook } = await openClaimsService(ROLES)
    const { refresh_token } = await tokensFor(service, client, { resource: MCP })
    hook.tokenClaims = () => ({ roles: [] })
    expect(ofToken(bodyOf<TokenAnswer>(await refresh(service, client, refresh_token))).roles).toEqual([])
  })

  it('has them from the grant type of a feature too, which prepares no response', async () => {
    const signed = jwtAccessTokens({ resources: { [MCP]: {} } })
    const service = openService({ features: [signed, minting(MCP)], tokenClaims: ROLES })
    const tool = { clientName: 'Tool', redirectUris: [REDIRECT_URI], grantTypes: [MINT] }
    const client = await service.server.clients.add(tool)
    const answer = await requestToken(service, { ...credentials(client), grant_type: MINT })
    expect(ofToken(bodyOf<TokenAnswer>(answer))).toMatchObject({ sub: 'alice', roles: ['editor'] })
  })

  it('has none by default', async () => {
    const { service, client } = await openClaimsService(undefined, { tokenClaims: undefined })
    const { access_token } = await tokensFor(service, client, { resource: MCP })
    const claims = ['aud', 'auth_time', 'client_id', 'exp', 'iat', 'iss', 'jti', 'scope', 'sub']
    expect(Object.keys(decodeJwt(access_token)).sort()).toEqual(claims)
  })
})

describe('an opaque access token', () => {
  it('has its claims in the introspection, as they are then', async () => {
    const { service, client, reader, asked, hook } = await openClaimsService(ROLES)
    const { access_token } = await tokensFor(service, client, { scope: 'courses:read' })
    expect(asked).toEqual([])
    hook.tokenClaims = () => ({ roles: ['owner'] })
    expect(await introspected(service, reader, access_token)).toMatchObject({
      active: true,
      ...{ sub: 'alice', scope: 'courses:read', client_id: client.clientId, roles: ['owner'] },
    })
    expect(asked).toMatchObject([{ use: 'introspection', client: { clientId: client.clientId } }])
  })

  it('OC-08: an opaque access token shows them to resource servers only, and for access tokens only', async () => {
    const { service, client, asked } = await openClaimsService(ROLES)
    const tokens = await tokensFor(service, client, { scope: 'courses:read' })
    for (const token of [tokens.access_token, tokens.refresh_token])
      expect(await introspected(service, client, token)).not.toHaveProperty('roles')
    expect(asked).toEqual([])
  })

  it('is checked by the guard without a call, in one read', async () => {
    const { service, client, asked } = await openClaimsService(ROLES)
    const { access_token } = await tokensFor(service, client, { scope: 'courses:read' })
    let reads = 0
    const find = (id: Parameters<typeof service.store.grants.find>[0]) => {
      reads++
      return service.store.grants.find(id)
    }
    const store = { ...service.store, grants: { ...service.store.grants, find } }
    const api = createResourceServer({ resource: ISSUER, store, scopes: {}, now: () => service.clock.now })
    const headers = { authorization: `Bearer ${access_token}` }
    expect((await api.access({ ...REQUEST, headers })).kind).toBe('authorized')
    expect([reads, asked.length]).toEqual([1, 0])
  })
})

describe('the function', () => {
  it('gets the client, the user, and what the token is good for', async () => {
    const { service, client, asked } = await openClaimsService(ROLES)
    await tokensFor(service, client, { resource: MCP, scope: 'openid courses:read' })
    const grants = (await service.server.grants.list('alice')).grants
    const about = {
      ...{ subject: 'alice', scopes: ['openid', 'courses:read'], resources: [MCP] },
      client: expect.objectContaining({
        clientId: client.clientId,
        clientName: 'Portal',
        origin: 'integration',
      }),
      grant: {
        ...{ id: grants[0]?.id, clientId: client.clientId, origin: undefined },
        ...{ authTime: service.clock.now, createdAt: service.clock.now },
      },
    }
    expect(asked).toEqual([
      { use: 'access_token', ...about },
      { use: 'id_token', ...about },
    ])
    expect(asked[0]?.client).not.toHaveProperty('secretHash')
  })

  it('is called for what a refresh narrows to, and for an exchange by the client that exchanges', async () => {
    const { service, client, asked } = await openClaimsService(ROLES)
    const tokens = await tokensFor(service, client, { resource: MCP })
    asked.length = 0
    await refresh(service, client, tokens.refresh_token, { scope: 'courses:read' })
    expect(asked).toMatchObject([{ use: 'access_token', scopes: ['courses:read'] }])
    asked.length = 0
    const other = await service.server.clients.add({
      ...{ clientName: 'Other', redirectUris: ['https://other.example/callback'] },
      grantTypes: ['urn:ietf:params:oauth:grant-type:token-exchange'],
      tokenExchangeResources: [MCP],
    })
    expect((await exchange(service, other, tokens.access_token)).status).toBe(200)
    const { clientId } = other
    expect(asked).toMatchObject([{ client: { clientId }, grant: { clientId: client.clientId } }])
  })

  it('OC-07: tokenClaims is not called for a code that is refused, nor for a replay', async () => {
    const { service, client, asked } = await openClaimsService(ROLES)
    const code = await codeFor(service, client.clientId, { resource: MCP })
    await redeem(service, client, code, { redirect_uri: 'https://other.example/' })
    expect(asked).toEqual([])
    await redeem(service, client, code)
    const calls = asked.length
    expect(calls).toBe(2)
    await redeem(service, client, code)
    expect(asked).toHaveLength(calls)
  })

  it('knows a client-credentials token by its grant, and it has no user', async () => {
    const { service, client, reader, asked } = await openClaimsService(ROLES)
    const opaque = bodyOf<TokenAnswer>(await machineToken(service, client, ISSUER))
    await introspected(service, reader, opaque.access_token)
    expect(asked).toMatchObject([{ subject: undefined, grant: { origin: 'machine' } }])
  })
})
