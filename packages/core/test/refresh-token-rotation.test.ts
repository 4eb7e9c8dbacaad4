import { describe, expect, it } from 'vitest'
import { bodyOf, type ClientAnswer, refresh, register, type TokenAnswer, tokensFor } from './client.ts'
import { openSchool, type School } from './school.ts'

/** The option `refreshTokenRotation`: which refresh tokens are rotated at each use. */

const POST = { token_endpoint_auth_method: 'client_secret_post' }

async function withClient(metadata: object, rotation?: 'always' | 'public-clients') {
  const school = openSchool(rotation === undefined ? {} : { refreshTokenRotation: rotation })
  const client = await register(school, metadata)
  return { school, client, tokens: await tokensFor(school, client) }
}

async function refreshed(school: School, client: ClientAnswer, token: string, overrides = {}) {
  const answer = await refresh(school, client, token, overrides)
  expect(answer.status, answer.body).toBe(200)
  return bodyOf<TokenAnswer>(answer)
}

const works = async (school: School, token: string) => (await school.callApi(token)).kind === 'authorized'

describe('refreshTokenRotation: public-clients', () => {
  it('lets a confidential client keep its refresh token, and issues a new access token each time', async () => {
    const { school, client, tokens } = await withClient(POST, 'public-clients')
    const answers = [tokens]
    for (let n = 0; n < 5; n++) {
      school.clock.now += 600
      answers.push(await refreshed(school, client, tokens.refresh_token))
    }
    expect(new Set(answers.map(({ refresh_token }) => refresh_token))).toEqual(
      new Set([tokens.refresh_token]),
    )
    expect(new Set(answers.map(({ access_token }) => access_token)).size).toBe(6)
    for (const { access_token } of answers.slice(1)) expect(await works(school, access_token)).toBe(true)
    expect(school.events.filter(({ type }) => type === 'refresh_token_kept')).toHaveLength(5)
  })

  it('rotates the refresh token of a public client, as without the option', async () => {
    const { school, client, tokens } = await withClient({}, 'public-clients')
    const next = await refreshed(school, client, tokens.refresh_token)
    expect(next.refresh_token).not.toBe(tokens.refresh_token)
    expect(await refreshed(school, client, tokens.refresh_token)).toMatchObject({
      refresh_token: next.refresh_token,
    })
    school.clock.now += 900
    expect((await refresh(school, client, tokens.refresh_token)).status).toBe(400)
    expect(await works(school, next.access_token)).toBe(false)
  })

  it('extends the refresh token at each use, and never past the end of the grant', async () => {
    const { school, client, tokens } = await withClient(POST, 'public-clients')
    const day = 24 * 60 * 60
    for (let n = 0; n < 7; n++) {
      school.clock.now += 25 * day
      await refreshed(school, client, tokens.refresh_token)
    }
    school.clock.now += 5 * day
    expect((await refresh(school, client, tokens.refresh_token)).status).not.toBe(200)
  })

  it('ends a token that was not used for its lifetime', async () => {
    const { school, client, tokens } = await withClient(POST, 'public-clients')
    school.clock.now += 30 * 24 * 60 * 60
    const answer = await refresh(school, client, tokens.refresh_token)
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_grant'])
  })

  it('narrows each access token by itself', async () => {
    const { school, client, tokens } = await withClient(POST, 'public-clients')
    const narrow = await refreshed(school, client, tokens.refresh_token, { scope: 'courses:read' })
    expect(narrow.scope).toBe('courses:read')
    expect((await refreshed(school, client, tokens.refresh_token)).scope).toBe(tokens.scope)
  })

  it('is rejected for another client, and its revocation revokes the grant', async () => {
    const { school, client, tokens } = await withClient(POST, 'public-clients')
    const thief = await register(school, POST)
    expect((await refresh(school, thief, tokens.refresh_token)).status).toBe(400)
    const { access_token } = await refreshed(school, client, tokens.refresh_token)
    const form = {
      client_id: client.clientId,
      client_secret: String(client.clientSecret),
      token: tokens.refresh_token,
    }
    expect((await school.send('POST', '/api/oauth/revoke', { form })).status).toBe(200)
    expect(await works(school, access_token)).toBe(false)
    expect((await refresh(school, client, tokens.refresh_token)).status).toBe(400)
  })

  it('issues ten access tokens for ten concurrent requests, of which the newest eight are valid', async () => {
    const { school, client, tokens } = await withClient(POST, 'public-clients')
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => refreshed(school, client, tokens.refresh_token)),
    )
    const live = await Promise.all(answers.map(({ access_token }) => works(school, access_token)))
    expect(live.filter(Boolean)).toHaveLength(8)
  })
})

describe('refreshTokenRotation', () => {
  it.each([undefined, 'always'] as const)(
    '%s rotates those of confidential clients too',
    async (rotation) => {
      const { school, client, tokens } = await withClient(POST, rotation)
      const next = await refreshed(school, client, tokens.refresh_token)
      expect(next.refresh_token).not.toBe(tokens.refresh_token)
    },
  )

  it('rejects an unknown value', () => {
    expect(() => openSchool({ refreshTokenRotation: 'never' as never })).toThrow(
      'refreshTokenRotation must be always or public-clients',
    )
  })
})
