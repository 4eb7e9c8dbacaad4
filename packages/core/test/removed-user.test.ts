import type { AuthorizationServerOptions } from '@grantkit/core'
import { describe, expect, it } from 'vitest'
import { bodyOf, refresh, register, type TokenAnswer, tokensFor } from './client.ts'
import { openSchool, type School, type SchoolScope } from './school.ts'

interface Enrolment {
  readonly school: School
  /** Removes users, or makes the lookup fail. */
  readonly users: { gone: Set<string>; fault?: Error }
  readonly tokens: TokenAnswer
  again(token?: string): ReturnType<typeof refresh>
}

async function aliceHasTokens(scope = 'courses:read'): Promise<Enrolment> {
  const users: Enrolment['users'] = { gone: new Set() }
  const claims: AuthorizationServerOptions<SchoolScope>['claims'] = async (subject) => {
    if (users.fault !== undefined) throw users.fault
    return users.gone.has(subject) ? undefined : { name: subject }
  }
  const school = openSchool({ claims })
  const client = await register(school)
  const tokens = await tokensFor(school, client, { scope })
  return { school, users, tokens, again: (token = tokens.refresh_token) => refresh(school, client, token) }
}

function reasons({ events }: School): unknown[] {
  return events.flatMap((event) => ('reason' in event ? [`${event.type} ${event.reason}`] : []))
}

describe('a removed user', () => {
  it.each(['courses:read', 'openid courses:read'])(
    'gets no more tokens for %s: the grant ends',
    async (scope) => {
      const { school, users, tokens, again } = await aliceHasTokens(scope)
      users.gone.add('alice')
      const refused = await again()
      expect([refused.status, bodyOf(refused).error]).toEqual([400, 'invalid_grant'])
      expect((await school.callApi(tokens.access_token, 'courses:read')).kind).toBe('refused')
      expect(reasons(school)).toContain('grant_ended subject_gone')
      users.gone.clear()
      expect((await again()).status).toBe(400)
    },
  )

  it('does not get the response of an earlier refresh again', async () => {
    const { school, users, again } = await aliceHasTokens()
    expect((await again()).status).toBe(200)
    users.gone.add('alice')
    expect((await again()).status).toBe(400)
    expect(reasons(school)).toContain('grant_ended subject_gone')
  })

  it('is not looked up if the refresh token is wrong, so that an unauthenticated caller revokes nothing', async () => {
    const { school, users, tokens, again } = await aliceHasTokens()
    users.gone.add('alice')
    const guess = tokens.refresh_token.replace(/.{43}$/, 'x'.repeat(43))
    expect((await again(guess)).status).toBe(400)
    expect((await school.callApi(tokens.access_token, 'courses:read')).kind).toBe('authorized')
  })

  it('is not assumed when the lookup fails: 503, and nothing is consumed', async () => {
    const { school, users, again } = await aliceHasTokens()
    users.fault = new Error('the user database is down')
    const refused = await again()
    expect([refused.status, bodyOf(refused).error]).toEqual([503, 'temporarily_unavailable'])
    delete users.fault
    expect((await again()).status).toBe(200)
    expect(school.events.at(-1)?.type).toBe('refresh_token_rotated')
  })
})

describe('grants.revokeAll', () => {
  it('revokes every grant of this user, with all tokens, and returns their number', async () => {
    const school = openSchool()
    const client = await register(school)
    const ofAlice = [await tokensFor(school, client), await tokensFor(school, client)]
    expect(await school.server.grants.revokeAll('bob')).toBe(0)
    expect(await school.server.grants.revokeAll('alice')).toBe(2)
    for (const tokens of ofAlice) {
      expect((await refresh(school, client, tokens.refresh_token)).status).toBe(400)
      expect((await school.callApi(tokens.access_token)).kind).toBe('refused')
    }
    const told = { subject: 'alice', by: 'operator', reason: 'subject_gone' }
    expect(school.events.filter(({ type }) => type === 'grant_revoked')).toMatchObject([told, told])
    expect(await school.server.grants.revokeAll('alice')).toBe(0)
  })
})
