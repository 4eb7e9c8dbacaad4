import type { OAuthError } from '@grantkit/core'
import { ERRORS, type Reason } from '@grantkit/core/errors'
import { describe, expect, it } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  type ClientAnswer,
  codeFor,
  credentials,
  decide,
  redeem,
  redirectOf,
  refresh,
  register,
  requestToken,
  tokensFor,
} from './client.ts'
import { openService, type Service } from './service.ts'

/** How to provoke an error, and the expected answer: the rows of the service's error table. */
interface Row {
  readonly situation: string
  readonly status: number
  readonly error: OAuthError['error']
  readonly challenge?: string
  provoke(service: Service, client: ClientAnswer): Promise<{ status: number; headers: object; body: string }>
}

const bearer = (service: Service, authorization: string, path = '/api/oauth/userinfo') =>
  service.send('GET', path, { headers: { authorization } })

const ROWS: readonly Row[] = [
  {
    situation: 'registration with a fixed https redirect URI',
    status: 400,
    error: 'invalid_redirect_uri',
    provoke: (service) =>
      service.send('POST', '/api/oauth/register', { json: { redirect_uris: ['https://app.example/cb'] } }),
  },
  {
    situation: 'a malformed OAuth request',
    status: 400,
    error: 'invalid_request',
    provoke: (service, client) => requestToken(service, credentials(client)),
  },
  {
    situation: 'a bad code',
    status: 400,
    error: 'invalid_grant',
    provoke: (service, client) => redeem(service, client, 'bad'),
  },
  {
    situation: 'an expired code',
    status: 400,
    error: 'invalid_grant',
    provoke: async (service, client) => {
      const code = await codeFor(service, client.clientId)
      service.clock.now += 60
      return redeem(service, client, code)
    },
  },
  {
    situation: 'a bad refresh token',
    status: 400,
    error: 'invalid_grant',
    provoke: (service, client) => refresh(service, client, 'bad'),
  },
  {
    situation: 'client authentication failed',
    status: 401,
    error: 'invalid_client',
    provoke: (service, client) => redeem(service, { ...client, clientSecret: 'wrong' }, 'code'),
  },
  {
    situation: 'a bad scope',
    status: 400,
    error: 'invalid_scope',
    provoke: async (service, client) => {
      const { refresh_token } = await tokensFor(service, client)
      return refresh(service, client, refresh_token, { scope: 'nope' })
    },
  },
  {
    situation: 'an unknown grant type',
    status: 400,
    error: 'unsupported_grant_type',
    provoke: (service, client) => requestToken(service, { ...credentials(client), grant_type: 'password' }),
  },
  {
    situation: 'an invalid access token',
    status: 401,
    error: 'invalid_token',
    challenge: 'error="invalid_token"',
    provoke: (service) => bearer(service, `Bearer gka_${'x'.repeat(22)}.${'y'.repeat(43)}`),
  },
  {
    situation: 'a malformed access token',
    status: 401,
    error: 'invalid_token',
    challenge: 'error="invalid_token"',
    provoke: (service) => bearer(service, 'Bearer'),
  },
  {
    situation: 'a valid token that lacks a scope',
    status: 403,
    error: 'insufficient_scope',
    challenge: 'error="insufficient_scope"',
    provoke: async (service, client) => {
      const { access_token } = await tokensFor(service, client, { scope: 'courses:read' })
      return bearer(service, `Bearer ${access_token}`)
    },
  },
]

describe('the error table', () => {
  it.each(ROWS)('$situation: $status $error', async ({ status, error, challenge, provoke }) => {
    const service = openService()
    const response = await provoke(service, await register(service))
    expect(response.status).toBe(status)
    expect(JSON.parse(response.body)).toEqual({
      error,
      error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
    })
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    const header = (response.headers as Record<string, string>)['www-authenticate']
    if (challenge === undefined) expect(header).toBeUndefined()
    else
      expect(header).toMatch(new RegExp(`^Bearer .*${challenge}.*resource_metadata="https://server.example/`))
  })

  it('sends a bad scope at the authorization endpoint back to the client', async () => {
    const service = openService()
    const { clientId: client_id } = await register(service)
    expect(redirectOf(await authorize(service, authorizationQuery(client_id, { scope: 'nope' }))).error).toBe(
      'invalid_scope',
    )
  })

  it('logs the reason that the response does not contain', async () => {
    const service = openService()
    const client = await register(service)
    const code = await codeFor(service, client.clientId)
    const thief = await register(service)
    const response = await redeem(service, thief, code)
    expect(response.body).not.toContain('client')
    expect(service.events.at(-1)).toMatchObject({
      type: 'refused',
      reason: 'code_of_other_client',
      error: 'invalid_grant',
    })
  })

  it('describes every error in characters that RFC 6749 allows', () => {
    for (const [reason, { description }] of Object.entries(ERRORS)) {
      expect(description, reason satisfies string as Reason).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
    }
  })

  it('ends no description with a full stop, because a reference or a hint follows it', () => {
    expect(Object.values(ERRORS).filter(({ description }) => description.endsWith('.'))).toEqual([])
  })
})

describe('a denial', () => {
  it('is sent to the client, and emitted as an event', async () => {
    const service = openService()
    const client = await register(service)
    await authorize(service, authorizationQuery(client.clientId))
    expect(redirectOf(await decide(service, { decision: 'deny' })).error).toBe('access_denied')
    expect(service.events).toContainEqual({
      type: 'consent_denied',
      clientId: client.clientId,
      subject: 'alice',
    })
    expect(bodyOf(await redeem(service, client, 'none')).error).toBe('invalid_grant')
  })
})
