import type { Grant, GrantId } from '@grantkit/core/feature'
import { describe, expect, it } from 'vitest'
import { grantFacts, identityIn, sentFacts } from './attempt-facts.ts'

describe('a URI among the facts', () => {
  it.each([
    ['https://app.example/callback/', 'https://app.example/callback/'],
    ['https://app.example/callback?code=1#top', 'https://app.example/callback'],
    ['https://app.example/#top?\nnext line', 'https://app.example/'],
    ['https://alice:password@app.example/callback', 'https://app.example/callback'],
    ['//alice@app.example/callback', '//app.example/callback'],
    ['app:alice@app.example', 'app:app.example'],
    ['alice@app.example/callback', 'app.example/callback'],
    ['https://app.example/@alice', 'https://app.example/@alice'],
    ['https://äpp.example/', 'https://?pp.example/'],
    [`https://${'a'.repeat(300)}`, `https://${'a'.repeat(292)}`],
  ])('%j is %j: without query, fragment and user information', (sent, fact) => {
    expect(sentFacts({ redirect_uri: sent }).redirectUri).toBe(fact)
  })

  it('is one of at most ten', () => {
    const resource = Array.from({ length: 11 }, (_, number) => `https://api.example/${number}`)
    expect(sentFacts({ resource }).resource).toBe(resource.slice(0, 10).join(' '))
  })

  it('is a text: other values are left out', () => {
    expect(sentFacts({ resource: [7, 'https://api.example', null, {}] }).resource).toBe('https://api.example')
    for (const resource of [7, {}, [], [null]]) expect(sentFacts({ resource }).resource).toBeUndefined()
  })
})

describe('the client and the scopes that a request names', () => {
  it('are clipped', () => {
    const { clientId, scopes } = sentFacts({ client_id: 'c'.repeat(600), scope: `a ${'s'.repeat(1200)}` })
    expect(clientId).toBe('c'.repeat(512))
    expect(scopes).toEqual(['a', 's'.repeat(998)])
  })

  it('are absent if they are repeated or no text', () => {
    for (const value of [['app', 'app'], 7, null, undefined]) {
      expect(sentFacts({ client_id: value, scope: value })).toEqual({})
      expect(
        identityIn({ client_id: value, code_challenge: value, code_verifier: value, state: value }),
      ).toEqual({})
    }
  })
})

it.each([
  ['app', 'app'],
  ['', undefined],
])('a grant of the client %j has the client %j: the id is empty once the grant has ended', (id, clientId) => {
  const times = { createdAt: 0, usedAt: 0, expiresAt: 0 }
  const record = { id: 'g' as GrantId, clientId: id, subject: 'alice', scopes: [], resources: [] }
  const grant: Grant = { ...record, ...times, accessTokens: [] }
  expect(grantFacts(grant)).toEqual({ grantId: 'g', clientId, subject: 'alice' })
})
