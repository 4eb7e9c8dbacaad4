import type { Feature } from '@grantkit/core'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { describe, expect, it } from 'vitest'
import {
  bodyOf,
  credentials,
  refresh,
  register,
  requestToken,
  type TokenAnswer,
  tokensFor,
} from './client.ts'
import { openDeviceService } from './device-service.ts'
import { MINT, minting } from './minting-feature.ts'
import { ISSUER, openService, REDIRECT_URI } from './service.ts'

/** Refresh Token and Authorization Expiration (draft-ietf-oauth-refresh-token-expiration-03). */

const DAY = 24 * 60 * 60

function open(idle: number, grant: number, features: Feature[] = []) {
  return openService({ features, refreshTokenExpiration: true, lifetimes: { refreshToken: idle, grant } })
}

/** The draft lists these values in its example: 7 days idle, 10 days in all. */
function endsIn(answer: object) {
  const { refresh_token_timeout, authorization_expires_in } = answer as Record<string, number>
  return [refresh_token_timeout, authorization_expires_in]
}

describe('a token response with a refresh token', () => {
  it('says when the refresh token and the grant end, at the code and at each refresh (6.4)', async () => {
    const service = open(7 * DAY, 10 * DAY)
    const client = await register(service)
    let tokens = await tokensFor(service, client)
    expect(endsIn(tokens)).toEqual([7 * DAY, 10 * DAY])
    const days = []
    for (const elapsed of [2, 5]) {
      service.clock.now += elapsed * DAY
      tokens = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
      days.push(endsIn(tokens))
    }
    expect(days).toEqual([
      [7 * DAY, 8 * DAY],
      [3 * DAY, 3 * DAY],
    ])
  })

  it('names ends after which the refresh token is refused, and before which it is good', async () => {
    const service = open(7 * DAY, 10 * DAY)
    const client = await service.server.clients.add({ clientName: 'Portal', redirectUris: [REDIRECT_URI] })
    const first = await tokensFor(service, client)
    service.clock.now += 7 * DAY - 1
    const second = bodyOf<TokenAnswer>(await refresh(service, client, first.refresh_token))
    expect(endsIn(second)).toEqual([3 * DAY + 1, 3 * DAY + 1])
    service.clock.now += 3 * DAY + 1
    expect(bodyOf(await refresh(service, client, second.refresh_token))).toMatchObject({
      error: 'invalid_grant',
    })
  })

  it('has a timeout that is never larger than the rest of the grant, for an idle end after the absolute one', async () => {
    const service = open(30 * DAY, 10 * DAY)
    const client = await register(service)
    let tokens = await tokensFor(service, client)
    for (const elapsed of [0, 1, 3 * DAY, 5 * DAY]) {
      service.clock.now += elapsed
      tokens = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
      const [timeout, authorization] = endsIn(tokens)
      expect(timeout).toBe(authorization)
      expect(authorization).toBeGreaterThan(0)
    }
  })

  it('has a timeout that is never larger, even if the grant type of a feature stored a later idle end', async () => {
    const service = openService({ features: [minting(ISSUER)], refreshTokenExpiration: true })
    const tool = { clientName: 'Tool', redirectUris: [REDIRECT_URI], grantTypes: [MINT] }
    const client = await service.server.clients.add(tool)
    const answer = await requestToken(service, { ...credentials(client), grant_type: MINT })
    expect(endsIn(bodyOf(answer))).toEqual([3600, 3600])
  })

  it('has them in a repeated answer too, for the same refresh token', async () => {
    const service = open(7 * DAY, 10 * DAY)
    const client = await register(service)
    const { refresh_token } = await tokensFor(service, client)
    const answer = async () => bodyOf<TokenAnswer>(await refresh(service, client, refresh_token))
    const first = await answer()
    service.clock.now += 20
    const repeated = await answer()
    expect(repeated.refresh_token).toBe(first.refresh_token)
    expect(endsIn(repeated)).toEqual([7 * DAY - 20, 10 * DAY - 20])
  })

  it('has them for a device', async () => {
    const server = { refreshTokenExpiration: true, lifetimes: { refreshToken: 7 * DAY } }
    const device = await openDeviceService({ server, grantLifetime: 5 * DAY })
    const started = await device.start()
    await device.approve(started)
    expect(endsIn(bodyOf(await device.poll(started)))).toEqual([5 * DAY, 5 * DAY])
  })

  it('has them for a confidential client that keeps its refresh token', async () => {
    const lifetimes = { refreshToken: 7 * DAY, grant: 10 * DAY }
    const options = { refreshTokenExpiration: true, refreshTokenRotation: 'public-clients' } as const
    const service = openService({ ...options, lifetimes })
    const client = await service.server.clients.add({ clientName: 'Portal', redirectUris: [REDIRECT_URI] })
    const { refresh_token } = await tokensFor(service, client)
    service.clock.now += DAY
    const kept = bodyOf<TokenAnswer>(await refresh(service, client, refresh_token))
    expect(kept.refresh_token).toBe(refresh_token)
    expect(endsIn(kept)).toEqual([7 * DAY, 9 * DAY])
  })
})

describe('the members', () => {
  const NONE = [undefined, undefined]

  it('are absent from a response without a refresh token', async () => {
    const service = open(7 * DAY, 10 * DAY, [tokenExchange()])
    const once = await register(service, { grant_types: ['authorization_code', TOKEN_EXCHANGE] })
    const tokens = await tokensFor(service, once)
    expect(tokens).not.toHaveProperty('refresh_token')
    expect(endsIn(tokens)).toEqual(NONE)
    const exchanged = await requestToken(service, {
      ...credentials(once),
      grant_type: TOKEN_EXCHANGE,
      subject_token: tokens.access_token,
      subject_token_type: ACCESS_TOKEN_TYPE,
    })
    expect(exchanged.status).toBe(200)
    expect(endsIn(bodyOf(exchanged))).toEqual(NONE)
  })

  it('are absent without the option, and so is the metadata', async () => {
    const service = openService()
    expect(endsIn(await tokensFor(service, await register(service)))).toEqual(NONE)
    expect(service.server.metadata).not.toHaveProperty('refresh_token_expiration_types_supported')
  })

  it('are announced in the metadata (8)', () => {
    expect(open(7 * DAY, 10 * DAY).server.metadata).toMatchObject({
      refresh_token_expiration_types_supported: ['authorization', 'token_timeout'],
    })
  })
})
