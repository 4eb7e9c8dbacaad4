import type { TokenClaims } from '@grantkit/core'
import { decodeJwt } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { openClaimsService, userinfoOf, WITH_ADDRESS } from './claims-service.ts'
import { bodyOf, refresh, type TokenAnswer, tokensFor } from './client.ts'

/** Claims of the operator, and those of the scopes `address` and `phone`, in ID tokens and at UserInfo. */

const ROLES: TokenClaims = ({ use }) => ({ roles: ['editor'], use })

describe('the ID token and UserInfo', () => {
  it('have the claims, and a claim of the operator replaces one of the user', async () => {
    const { service, client } = await openClaimsService(({ use }) => ({ name: `Alice of ${use}` }))
    const tokens = await tokensFor(service, client, { scope: 'openid profile' })
    expect(decodeJwt(tokens.id_token)).toMatchObject({ sub: 'alice', name: 'Alice of id_token' })
    const user = bodyOf(await userinfoOf(service, tokens))
    expect(user).toEqual({ sub: 'alice', name: 'Alice of userinfo', updated_at: 1_700_000_000 })
  })

  it('have them after a refresh too', async () => {
    const { service, client } = await openClaimsService(ROLES)
    const { refresh_token } = await tokensFor(service, client)
    const { id_token } = bodyOf<TokenAnswer>(await refresh(service, client, refresh_token))
    expect(decodeJwt(id_token)).toMatchObject({ roles: ['editor'], use: 'id_token' })
  })

  it.each(['grants', 'clients'] as const)('lack them if the record in %s ends meanwhile', async (records) => {
    const { service, client } = await openClaimsService(ROLES)
    const tokens = await tokensFor(service, client, { scope: 'openid' })
    const { find } = service.store.grants
    const found = vi.spyOn(service.store[records], 'find').mockResolvedValue(undefined)
    // The guard reads the grant before.
    if (records === 'grants') found.mockImplementationOnce(find as never)
    const response = await userinfoOf(service, tokens)
    expect([response.status, bodyOf(response)]).toEqual([200, { sub: 'alice' }])
  })
})

describe('the scopes address and phone', () => {
  const ADDRESS = { street_address: '1 Rabbit Hole', locality: 'Oxford', country: 'GB' }
  const CLAIMS = { address: ADDRESS, phone_number: '+44 20 7946 0000', phone_number_verified: true }

  it('open the address, as an object, and the phone number (OpenID Connect Core 5.1.1, 5.4)', async () => {
    const { service, client } = await openClaimsService(undefined, {
      ...{ scopes: WITH_ADDRESS, claims: async () => CLAIMS },
    })
    expect(service.server.metadata.claims_supported).toEqual(
      expect.arrayContaining(['address', 'phone_number', 'phone_number_verified']),
    )
    const { address, ...phone } = CLAIMS
    for (const [scope, expected] of [
      ['openid address', { address }],
      ['openid phone', phone],
      ['openid address phone', CLAIMS],
    ] as const) {
      const tokens = await tokensFor(service, client, { scope })
      expect(bodyOf(await userinfoOf(service, tokens))).toEqual({ sub: 'alice', ...expected })
    }
  })
})
