import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { bodyOf, codeFor, redeem, refresh, register, type TokenAnswer, tokensFor } from './client.ts'
import { openService, REDIRECT_URI, type Service } from './service.ts'

/** Claims of the user in the ID token, for clients that do not call UserInfo (OpenID Connect Core 5.4). */

const PROFILE = { name: 'Alice Liddell', updated_at: 1_700_000_000 }
const EMAIL = { email: 'alice@server.example', email_verified: true }
const OF_THE_PROTOCOL = ['iss', 'sub', 'aud', 'iat', 'exp', 'auth_time', 'at_hash', 'azp', 'nonce']

async function integration(service: Service, members: object = { idTokenClaims: true }) {
  return service.server.clients.add({ clientName: 'Portal', redirectUris: [REDIRECT_URI], ...members })
}

function claimsIn({ id_token }: TokenAnswer) {
  return Object.fromEntries(
    Object.entries(decodeJwt(id_token)).filter(([name]) => !OF_THE_PROTOCOL.includes(name)),
  )
}

const ALL = { scope: 'openid profile email' }

describe('the ID token', () => {
  it.each([
    ['openid', {}],
    ['openid profile', PROFILE],
    ['openid email', EMAIL],
    ['openid profile email courses:read', { ...PROFILE, ...EMAIL }],
  ])('has for %s the claims of UserInfo, for a static client with idTokenClaims', async (scope, claims) => {
    const service = openService()
    const tokens = await tokensFor(service, await integration(service), { scope })
    expect(claimsIn(tokens)).toEqual(claims)
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const user = bodyOf(await service.send('GET', '/api/oauth/userinfo', { headers }))
    expect(user).toEqual({ sub: 'alice', ...claims })
  })

  it('has none by default, nor for a client that registers the member itself', async () => {
    const service = openService()
    for (const client of [
      await integration(service, {}),
      await integration(service, { idTokenClaims: false }),
      await register(service, { id_token_claims: true, scope: 'openid profile email' }),
    ])
      expect(claimsIn(await tokensFor(service, client, ALL))).toEqual({})
  })

  it('has them for every client with the option idTokenClaims', async () => {
    const service = openService({ idTokenClaims: true })
    for (const client of [await integration(service, {}), await register(service)])
      expect(claimsIn(await tokensFor(service, client, ALL))).toEqual({ ...PROFILE, ...EMAIL })
  })

  it('follows a narrower scope and the current user claims at a refresh', async () => {
    let name = 'Alice'
    const service = openService({ claims: async () => ({ name, email: 'a@server.example' }) })
    const client = await integration(service)
    const { refresh_token } = await tokensFor(service, client, ALL)
    name = 'Alice Hargreaves'
    const answer = await refresh(service, client, refresh_token, { scope: 'openid profile' })
    expect(claimsIn(bodyOf<TokenAnswer>(answer))).toEqual({ name })
  })

  it('does not override the claims of the protocol by claims of the user', async () => {
    const claims = async () => ({ name: 'Alice', sub: 'bob', aud: 'other', azp: 'other', nonce: 'x' })
    const service = openService({ claims })
    const client = await integration(service)
    const { id_token } = await tokensFor(service, client, ALL)
    expect(decodeJwt(id_token)).toMatchObject({ sub: 'alice', aud: client.clientId, azp: client.clientId })
    expect(decodeJwt(id_token)).not.toHaveProperty('nonce')
  })
})

describe('a code, if the claims are unavailable', () => {
  it('is not consumed', async () => {
    let down = true
    const claims = async () => {
      if (down) throw new Error('The directory does not answer')
      return { name: 'Alice' }
    }
    const service = openService({ claims })
    const client = await integration(service)
    const code = await codeFor(service, client.clientId, ALL)
    const refused = await redeem(service, client, code)
    expect([refused.status, bodyOf(refused).error]).toEqual([503, 'temporarily_unavailable'])
    down = false
    expect(claimsIn(bodyOf<TokenAnswer>(await redeem(service, client, code)))).toEqual({ name: 'Alice' })
  })

  it('is rejected if its user was removed', async () => {
    const service = openService({ claims: async () => undefined })
    const client = await integration(service)
    const refused = await redeem(service, client, await codeFor(service, client.clientId, ALL))
    expect([refused.status, bodyOf(refused).error]).toEqual([400, 'invalid_grant'])
  })
})

describe('the client information', () => {
  it('has the member only if it is true', async () => {
    const service = openService()
    expect(await integration(service)).toMatchObject({ idTokenClaims: true })
    expect(await integration(service, {})).not.toHaveProperty('idTokenClaims')
  })

  it('rejects a value that is not a boolean', async () => {
    await expect(integration(openService(), { idTokenClaims: 'yes' })).rejects.toThrow('idTokenClaims')
  })
})
