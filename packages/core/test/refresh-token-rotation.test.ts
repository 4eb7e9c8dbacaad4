import { describe, expect, it } from 'vitest'
import { bodyOf, type ClientAnswer, refresh, register, type TokenAnswer, tokensFor } from './client.ts'
import { openService, type Service } from './service.ts'

/** The option `refreshTokenRotation`: which refresh tokens are rotated at each use. */

const POST = { token_endpoint_auth_method: 'client_secret_post' }

async function withClient(metadata: object, rotation?: 'always' | 'public-clients') {
  const service = openService(rotation === undefined ? {} : { refreshTokenRotation: rotation })
  const client = await register(service, metadata)
  return { service, client, tokens: await tokensFor(service, client) }
}

async function refreshed(service: Service, client: ClientAnswer, token: string, overrides = {}) {
  const answer = await refresh(service, client, token, overrides)
  expect(answer.status, answer.body).toBe(200)
  return bodyOf<TokenAnswer>(answer)
}

const works = async (service: Service, token: string) => (await service.callApi(token)).kind === 'authorized'

describe('refreshTokenRotation: public-clients', () => {
  it('lets a confidential client keep its refresh token, and issues a new access token each time', async () => {
    const { service, client, tokens } = await withClient(POST, 'public-clients')
    const answers = [tokens]
    for (let n = 0; n < 5; n++) {
      service.clock.now += 600
      answers.push(await refreshed(service, client, tokens.refresh_token))
    }
    expect(new Set(answers.map(({ refresh_token }) => refresh_token))).toEqual(
      new Set([tokens.refresh_token]),
    )
    expect(new Set(answers.map(({ access_token }) => access_token)).size).toBe(6)
    for (const { access_token } of answers.slice(1)) expect(await works(service, access_token)).toBe(true)
    expect(service.events.filter(({ type }) => type === 'refresh_token_kept')).toHaveLength(5)
  })

  it('rotates the refresh token of a public client, as without the option', async () => {
    const { service, client, tokens } = await withClient({}, 'public-clients')
    const next = await refreshed(service, client, tokens.refresh_token)
    expect(next.refresh_token).not.toBe(tokens.refresh_token)
    expect(await refreshed(service, client, tokens.refresh_token)).toMatchObject({
      refresh_token: next.refresh_token,
    })
    service.clock.now += 900
    expect((await refresh(service, client, tokens.refresh_token)).status).toBe(400)
    expect(await works(service, next.access_token)).toBe(false)
  })

  it('extends the refresh token at each use, and never past the end of the grant', async () => {
    const { service, client, tokens } = await withClient(POST, 'public-clients')
    const day = 24 * 60 * 60
    for (let n = 0; n < 7; n++) {
      service.clock.now += 25 * day
      await refreshed(service, client, tokens.refresh_token)
    }
    service.clock.now += 5 * day
    expect((await refresh(service, client, tokens.refresh_token)).status).not.toBe(200)
  })

  it('ends a token that was not used for its lifetime', async () => {
    const { service, client, tokens } = await withClient(POST, 'public-clients')
    service.clock.now += 30 * 24 * 60 * 60
    const answer = await refresh(service, client, tokens.refresh_token)
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_grant'])
  })

  it('narrows each access token by itself', async () => {
    const { service, client, tokens } = await withClient(POST, 'public-clients')
    const narrow = await refreshed(service, client, tokens.refresh_token, { scope: 'courses:read' })
    expect(narrow.scope).toBe('courses:read')
    expect((await refreshed(service, client, tokens.refresh_token)).scope).toBe(tokens.scope)
  })

  it('is rejected for another client, and its revocation revokes the grant', async () => {
    const { service, client, tokens } = await withClient(POST, 'public-clients')
    const thief = await register(service, POST)
    expect((await refresh(service, thief, tokens.refresh_token)).status).toBe(400)
    const { access_token } = await refreshed(service, client, tokens.refresh_token)
    const form = {
      client_id: client.clientId,
      client_secret: String(client.clientSecret),
      token: tokens.refresh_token,
    }
    expect((await service.send('POST', '/api/oauth/revoke', { form })).status).toBe(200)
    expect(await works(service, access_token)).toBe(false)
    expect((await refresh(service, client, tokens.refresh_token)).status).toBe(400)
  })

  it('issues ten access tokens for ten concurrent requests, of which the newest eight are valid', async () => {
    const { service, client, tokens } = await withClient(POST, 'public-clients')
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => refreshed(service, client, tokens.refresh_token)),
    )
    const live = await Promise.all(answers.map(({ access_token }) => works(service, access_token)))
    expect(live.filter(Boolean)).toHaveLength(8)
  })
})

describe('refreshTokenRotation', () => {
  it.each([undefined, 'always'] as const)(
    '%s rotates refresh tokens of confidential clients too',
    async (rotation) => {
      const { service, client, tokens } = await withClient(POST, rotation)
      const next = await refreshed(service, client, tokens.refresh_token)
      expect(next.refresh_token).not.toBe(tokens.refresh_token)
    },
  )

  it('rejects an unknown value', () => {
    expect(() => openService({ refreshTokenRotation: 'never' as never })).toThrow(
      'refreshTokenRotation must be always or public-clients',
    )
  })
})
