import { createResourceServer } from '@grantkit/core'
import { dpop, dpopProofs } from '@grantkit/core/dpop'
import { createJwtResourceServer } from '@grantkit/core/jwt-resource-server'
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bodyOf, credentials, type TokenAnswer, tokensFor } from './client.ts'
import { hashOf, provingKey } from './dpop-key.ts'
import { proven, redemptionOf, SECRET, token } from './dpop-service.ts'
import { API, EC_KEY, kindOf, NOW, openEdge, openFeed, request, SCOPES, signed } from './edge-service.ts'
import { ISSUER } from './service.ts'
import { signingKey, TEST_KEYS } from './signing-keys.ts'

/** Counts the signatures of tokens that are verified. */
const verify = vi.spyOn(crypto.subtle, 'verify')
beforeEach(() => void verify.mockClear())
afterEach(() => void vi.useRealTimers())

function at(clock: { now: number }, seconds: number): void {
  clock.now = NOW + seconds
  vi.setSystemTime(clock.now * 1000)
}

const fakeTime = () => vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 })

describe('a guard without the store that has verified a token', () => {
  it('does not verify its signature again, and finds the same token', async () => {
    const { api, tokens } = await openEdge()
    const first = await api.access(request(tokens.access_token), 'courses:read')
    for (let sent = 0; sent < 20; sent++)
      expect(await api.access(request(tokens.access_token), 'courses:read')).toEqual(first)
    expect(verify).toHaveBeenCalledTimes(1)
  })

  it('checks the scope of each route', async () => {
    const { api, tokens } = await openEdge()
    const read = await api.access(request(tokens.access_token), 'courses:read')
    const write = await api.access(request(tokens.access_token), 'courses:write')
    expect([read.kind, write]).toMatchObject(['authorized', { kind: 'refused', response: { status: 403 } }])
  })

  it('refuses it once the revocation feed has it', async () => {
    const { service, client, tokens, ended, kind } = await openFeed()
    expect([await kind(), await kind()]).toEqual(['authorized', 'authorized'])
    const form = { ...credentials(client), token: tokens.access_token }
    await service.send('POST', '/api/oauth/revoke', { form })
    await ended.refresh()
    expect([await kind(), await kind()]).toEqual([401, 401])
  })

  it('refuses it while the revocation feed is too old', async () => {
    const { clock, kind } = await openFeed()
    expect(await kind()).toBe('authorized')
    clock.now += 31
    expect(await kind()).toBe(503)
  })

  it('refuses the same header and claims with the signature of another key', async () => {
    const { api, tokens } = await openEdge()
    expect(await kindOf(api, tokens.access_token)).toBe('authorized')
    const key = await signingKey('ES256')
    const forged = await signed(decodeJwt(tokens.access_token), { kid: EC_KEY?.kid }, key)
    expect([await kindOf(api, forged), await kindOf(api, tokens.access_token)]).toEqual([401, 'authorized'])
  })

  it('refuses its claims with another scope and its signature', async () => {
    const { api, tokens } = await openEdge()
    expect(await kindOf(api, tokens.access_token)).toBe('authorized')
    const [header, , signature] = tokens.access_token.split('.')
    const claims = JSON.stringify({ ...decodeJwt(tokens.access_token), scope: 'courses:write' })
    const changed = `${header}.${Buffer.from(claims).toString('base64url')}.${signature}`
    expect(await kindOf(api, changed)).toBe(401)
  })

  it('has told no other guard', async () => {
    const { api, tokens, address, now } = await openEdge()
    expect(await kindOf(api, tokens.access_token)).toBe('authorized')
    const keys = `${address}/api/oauth/jwks`
    const other = createJwtResourceServer({ issuer: ISSUER, resource: ISSUER, scopes: SCOPES, keys, now })
    expect(await kindOf(other, tokens.access_token)).toBe(401)
  })

  it('makes all checks again from its expiration, and refuses it after the clock tolerance', async () => {
    const { api, clock, tokens } = await openEdge()
    const outcomes = []
    for (const seconds of [0, 299, 300, 359, 360, 361]) {
      clock.now = NOW + seconds
      outcomes.push([seconds, await kindOf(api, tokens.access_token), verify.mock.calls.length])
    }
    expect(outcomes).toEqual([
      [0, 'authorized', 1],
      [299, 'authorized', 1],
      [300, 'authorized', 2],
      [359, 'authorized', 3],
      [360, 401, 4],
      [361, 401, 5],
    ])
  })

  it('verifies a token of longer life again after ten minutes', async () => {
    const { api, clock, tokens } = await openEdge()
    const long = await signed({ ...decodeJwt(tokens.access_token), exp: NOW + 3600 })
    const counts = []
    for (const seconds of [0, 599, 600, 601]) {
      clock.now = NOW + seconds
      expect(await kindOf(api, long)).toBe('authorized')
      counts.push(verify.mock.calls.length)
    }
    expect(counts).toEqual([1, 1, 2, 2])
  })

  it('makes all checks again when its clock has gone back', async () => {
    const { api, clock, tokens } = await openEdge()
    const notYet = await signed({ ...decodeJwt(tokens.access_token), nbf: NOW })
    expect(await kindOf(api, notYet)).toBe('authorized')
    clock.now = NOW - 61
    expect(await kindOf(api, notYet)).toBe(401)
    clock.now = NOW
    expect(await kindOf(api, notYet)).toBe('authorized')
  })

  it('remembers no token that it refused', async () => {
    const { api, tokens } = await openEdge()
    const other = await signed({ ...decodeJwt(tokens.access_token), aud: ISSUER })
    const early = await signed({ ...decodeJwt(tokens.access_token), iat: NOW + 61 })
    for (const refused of [other, early, other, early]) expect(await kindOf(api, refused)).toBe(401)
    expect(verify).toHaveBeenCalledTimes(4)
  })

  it('gives each request claims of its own', async () => {
    const { api, tokens } = await openEdge()
    const withRoles = await signed({ ...decodeJwt(tokens.access_token), roles: ['reader'] })
    const rolesOf = async () => {
      const access = await api.access(request(withRoles))
      return (access.kind === 'authorized' && access.token.claims?.roles) as string[]
    }
    await rolesOf()
    const roles = await rolesOf()
    roles.push('admin')
    expect(await rolesOf()).toEqual(['reader'])
  })
})

describe('a guard without the store refuses a token that it has verified', () => {
  it('once it has fetched a key set without its key, for whatever reason', async () => {
    fakeTime()
    const { api, clock, signing, tokens } = await openEdge()
    expect(await kindOf(api, tokens.access_token)).toBe('authorized')
    const fresh = await signingKey('ES256', 'fresh')
    signing.keys = TEST_KEYS.map((key) => (key === EC_KEY ? fresh : key))
    at(clock, 31)
    expect(await kindOf(api, tokens.access_token), 'not fetched yet').toBe('authorized')
    const next = await signed({ ...decodeJwt(tokens.access_token) }, {}, fresh)
    expect(await kindOf(api, next), 'an unknown key id: fetched').toBe('authorized')
    expect(await kindOf(api, tokens.access_token)).toBe(401)
  })

  it('once its key id is that of another key', async () => {
    fakeTime()
    const { api, clock, signing, tokens } = await openEdge()
    const long = await signed({ ...decodeJwt(tokens.access_token), exp: NOW + 3600 })
    expect(await kindOf(api, tokens.access_token)).toBe('authorized')
    at(clock, 300)
    expect(await kindOf(api, long)).toBe('authorized')
    const replaced = await signingKey('ES256', EC_KEY?.kid)
    signing.keys = TEST_KEYS.map((key) => (key === EC_KEY ? replaced : key))
    at(clock, 601)
    expect(await kindOf(api, await signed({ ...decodeJwt(long) }, {}, replaced))).toBe('authorized')
    expect(await kindOf(api, long)).toBe(401)
  })

  it('with 503 while it cannot fetch the keys again', async () => {
    fakeTime()
    const { api, clock, tokens, close } = await openEdge({ onEvent: () => {} })
    const long = await signed({ ...decodeJwt(tokens.access_token), exp: NOW + 3600 })
    expect(await kindOf(api, tokens.access_token)).toBe('authorized')
    at(clock, 300)
    expect(await kindOf(api, long)).toBe('authorized')
    close()
    at(clock, 601)
    expect(await kindOf(api, long)).toBe(503)
  })

  it('without a proof of the key that it is bound to', async () => {
    const edge = await openEdge({ proofs: dpopProofs({ secret: SECRET }) }, { features: [dpop()] })
    const { api, service } = edge
    const { form } = await redemptionOf(service, { resource: API })
    const key = provingKey()
    const bound = bodyOf<TokenAnswer>(
      await token(service, { ...form, resource: API }, proven(service, '/api/oauth/token', {}, key)),
    ).access_token
    const send = async (headers: Record<string, string>) =>
      (await api.access({ ...request(), path: '/mcp', headers })).kind
    const claims = { htm: 'GET', ath: hashOf(bound) }
    const withProof = (claims: object, by = key) => ({
      authorization: `DPoP ${bound}`,
      ...proven(service, '/mcp', claims, by),
    })
    expect(await send(withProof(claims))).toBe('authorized')
    expect(verify).toHaveBeenCalledTimes(1)
    expect(await send({ authorization: `Bearer ${bound}` })).toBe('refused')
    expect(await send({ authorization: `DPoP ${bound}` })).toBe('refused')
    expect(await send(withProof(claims, provingKey())), 'another key').toBe('refused')
    expect(await send(withProof({ ...claims, htm: 'POST' })), 'another method').toBe('refused')
    expect(await send(withProof({ ...claims, ath: hashOf('other') })), 'another token').toBe('refused')
    expect(await send(withProof(claims))).toBe('authorized')
    expect(verify).toHaveBeenCalledTimes(1)
  })
})

describe('a guard with the store that has verified a signed token', () => {
  async function openStore() {
    const { service, now, ...edge } = await openEdge()
    const { accessTokens } = service.server
    const api = createResourceServer({
      resource: API,
      store: service.store,
      scopes: SCOPES,
      accessTokens,
      now,
    })
    const kind = (token = edge.tokens.access_token) => kindOf(api, token)
    return { ...edge, service, kind }
  }

  it('does not verify its signature again', async () => {
    const { kind } = await openStore()
    expect([await kind(), await kind(), await kind()]).toEqual(Array(3).fill('authorized'))
    expect(verify).toHaveBeenCalledTimes(1)
  })

  it('refuses it from the moment of its revocation', async () => {
    const { kind, service } = await openStore()
    expect(await kind()).toBe('authorized')
    await service.server.grants.revokeAll('alice')
    expect(await kind()).toBe(401)
  })

  it('refuses it when it has expired', async () => {
    const { kind, clock } = await openStore()
    expect(await kind()).toBe('authorized')
    clock.now += 300
    expect(await kind()).toBe(401)
  })

  it('refuses it once the source of keys has its key no longer', async () => {
    const { kind, signing, service, client } = await openStore()
    expect(await kind()).toBe('authorized')
    const fresh = await signingKey('ES256', 'fresh')
    signing.keys = TEST_KEYS.map((key) => (key === EC_KEY ? fresh : key))
    expect(await kind()).toBe(401)
    const { access_token: next } = await tokensFor(service, client, { resource: API })
    expect(await kind(next), 'of the new key').toBe('authorized')
  })
})
