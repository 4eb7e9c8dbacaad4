import { describe, expect, it } from 'vitest'
import { bodyOf, codeFor, credentials, redeem, refresh, type TokenAnswer } from './client.ts'
import { provingKey } from './dpop-key.ts'
import { boundTokens, open, proven, token } from './dpop-service.ts'
import { openService, REDIRECT_URI, type Service } from './service.ts'

/** What OAuth 2.0 for Browser-Based Applications asks of refresh tokens of public clients (RFC 10017 6.3.2.3). */

const DAY = 24 * 60 * 60

/** A single-page app. */
async function publicClient(service: Service) {
  const app = { clientName: 'Notes', redirectUris: [REDIRECT_URI], tokenEndpointAuthMethod: 'none' }
  const client = await service.server.clients.add(app)
  const code = await codeFor(service, client.clientId)
  return { client, tokens: bodyOf<TokenAnswer>(await redeem(service, client, code)) }
}

describe('the refresh token of a public client', () => {
  it.each(['always', 'public-clients'] as const)(
    'is rotated at each use, with refreshTokenRotation %s',
    async (refreshTokenRotation) => {
      const service = openService({ refreshTokenRotation })
      const { client, tokens } = await publicClient(service)
      const seen = [tokens.refresh_token]
      for (let use = 0; use < 3; use++)
        seen.push(bodyOf<TokenAnswer>(await refresh(service, client, String(seen.at(-1)))).refresh_token)
      expect(new Set(seen).size).toBe(4)
      // The first one is a copy by now: it ends the grant, so the last one is refused too.
      service.clock.now += 60
      for (const copy of [seen[0], seen.at(-1)])
        expect(bodyOf(await refresh(service, client, String(copy))).error).toBe('invalid_grant')
    },
  )

  it('is bound to the key of its client, with DPoP', async () => {
    const service = open()
    const { client, tokens } = await boundTokens(service)
    const { refresh_token } = tokens
    const form = { ...credentials(client), grant_type: 'refresh_token', refresh_token }
    const of = (key = provingKey()) => token(service, form, proven(service, '/api/oauth/token', {}, key))
    expect(bodyOf(await token(service, form)).error).toBe('invalid_dpop_proof')
    expect(bodyOf(await of()).error).toBe('invalid_dpop_proof')
    expect((await token(service, form, proven(service, '/api/oauth/token'))).status).toBe(200)
  })

  it('ends if it is not used for some time', async () => {
    const service = openService({ lifetimes: { refreshToken: 5 * DAY, grant: 9 * DAY } })
    const { client, tokens } = await publicClient(service)
    service.clock.now += 5 * DAY
    expect(bodyOf(await refresh(service, client, tokens.refresh_token)).error).toBe('invalid_grant')
  })

  it('has an absolute end, which no rotation moves', async () => {
    const service = openService({ lifetimes: { refreshToken: 5 * DAY, grant: 9 * DAY } })
    const { client, tokens } = await publicClient(service)
    const end = service.clock.now + 9 * DAY
    let newest = tokens
    for (const elapsed of [DAY, 4 * DAY, 4 * DAY - 1]) {
      service.clock.now += elapsed
      newest = bodyOf<TokenAnswer>(await refresh(service, client, newest.refresh_token))
    }
    expect([service.clock.now, newest.expires_in]).toEqual([end - 1, 1])
    service.clock.now = end
    expect(bodyOf(await refresh(service, client, newest.refresh_token)).error).toBe('invalid_grant')
  })
})
