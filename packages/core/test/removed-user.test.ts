import type { AuthorizationServerOptions } from '@grantkit/core'
import { describe, expect, it } from 'vitest'
import { bodyOf, refresh, register, type TokenAnswer, tokensFor } from './client.ts'
import { openService, type Service, type ServiceScope } from './service.ts'

interface Enrolment {
  readonly service: Service
  /** Removes users, or makes the lookup fail. */
  readonly users: { gone: Set<string>; fault?: Error }
  readonly tokens: TokenAnswer
  again(token?: string): ReturnType<typeof refresh>
}

async function aliceHasTokens(scope = 'courses:read'): Promise<Enrolment> {
  const users: Enrolment['users'] = { gone: new Set() }
  const claims: AuthorizationServerOptions<ServiceScope>['claims'] = async (subject) => {
    if (users.fault !== undefined) throw users.fault
    return users.gone.has(subject) ? undefined : { name: subject }
  }
  const service = openService({ claims })
  const client = await register(service)
  const tokens = await tokensFor(service, client, { scope })
  return { service, users, tokens, again: (token = tokens.refresh_token) => refresh(service, client, token) }
}

function reasons({ events }: Service): unknown[] {
  return events.flatMap((event) => ('reason' in event ? [`${event.type} ${event.reason}`] : []))
}

describe('a removed user', () => {
  it.each(['courses:read', 'openid courses:read'])(
    'gets no more tokens for %s: the grant ends',
    async (scope) => {
      const { service, users, tokens, again } = await aliceHasTokens(scope)
      users.gone.add('alice')
      const refused = await again()
      expect([refused.status, bodyOf(refused).error]).toEqual([400, 'invalid_grant'])
      expect((await service.callApi(tokens.access_token, 'courses:read')).kind).toBe('refused')
      expect(reasons(service)).toContain('grant_ended subject_gone')
      users.gone.clear()
      expect((await again()).status).toBe(400)
    },
  )

  it('does not get the response of an earlier refresh again', async () => {
    const { service, users, again } = await aliceHasTokens()
    expect((await again()).status).toBe(200)
    users.gone.add('alice')
    expect((await again()).status).toBe(400)
    expect(reasons(service)).toContain('grant_ended subject_gone')
  })

  it('is not looked up if the refresh token is wrong, so that an unauthenticated caller revokes nothing', async () => {
    const { service, users, tokens, again } = await aliceHasTokens()
    users.gone.add('alice')
    const guess = tokens.refresh_token.replace(/.{43}$/, 'x'.repeat(43))
    expect((await again(guess)).status).toBe(400)
    expect((await service.callApi(tokens.access_token, 'courses:read')).kind).toBe('authorized')
  })

  it('is not assumed when the lookup fails: 503, and nothing is consumed', async () => {
    const { service, users, again } = await aliceHasTokens()
    users.fault = new Error('the user database is down')
    const refused = await again()
    expect([refused.status, bodyOf(refused).error]).toEqual([503, 'temporarily_unavailable'])
    delete users.fault
    expect((await again()).status).toBe(200)
    expect(service.events.at(-1)?.type).toBe('refresh_token_rotated')
  })

  it('is not looked up for a stolen refresh token, which ends the grant even while the lookup fails', async () => {
    const { service, users, again } = await aliceHasTokens()
    expect((await again()).status).toBe(200)
    service.clock.now += 900
    users.fault = new Error('the user database is down')
    expect((await again()).status).toBe(400)
    expect(reasons(service)).toContain('grant_ended refresh_token_reused')
  })
})

describe('grants.revokeAll', () => {
  it('revokes every grant of this user, with all tokens, and returns their number', async () => {
    const service = openService()
    const client = await register(service)
    const ofAlice = [await tokensFor(service, client), await tokensFor(service, client)]
    expect(await service.server.grants.revokeAll('bob')).toBe(0)
    expect(await service.server.grants.revokeAll('alice')).toBe(2)
    for (const tokens of ofAlice) {
      expect((await refresh(service, client, tokens.refresh_token)).status).toBe(400)
      expect((await service.callApi(tokens.access_token)).kind).toBe('refused')
    }
    const ended = { subject: 'alice', by: 'operator', reason: 'subject_gone' }
    expect(service.events.filter(({ type }) => type === 'grant_revoked')).toMatchObject([ended, ended])
    expect(await service.server.grants.revokeAll('alice')).toBe(0)
  })
})
