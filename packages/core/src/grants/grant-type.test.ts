import { describe, expect, it } from 'vitest'
import type { AccessTokenState, Client, Grant } from '../kernel/records.ts'
import { type Secret, sha256 } from '../kernel/secrets.ts'
import type { IssuedTokens } from './grant.ts'
import { type GrantType, requireWithinTerms, type TokenRequest } from './grant-type.ts'

const NOW = 1_000_000
const TYPE = { name: 'urn:example:type' } as GrantType
const LIFETIMES = { accessToken: 300, refreshToken: 1000, grant: 5000 }
const CATALOGUE = { read: { description: 'Read' }, write: { description: 'Write' } }
const INTEGRATION = { clientId: 'app', origin: 'integration', scopes: ['read'] } as Partial<Client>

interface Changes {
  readonly grant?: Partial<Grant>
  readonly issued?: Partial<IssuedTokens>
  readonly token?: Partial<AccessTokenState>
  readonly now?: number
}

/** Checks what a feature issued: tokens that live as long as they may, with these changes. */
function check({ grant, issued, token, now = NOW }: Changes, type = TYPE): void {
  const state = { hash: sha256('a'), scopes: ['read'], resources: [], issuedAt: NOW, expiresAt: NOW + 300 }
  const stored = {
    ...{ clientId: 'app', subject: 'alice', scopes: ['read'], createdAt: NOW, usedAt: NOW },
    ...{ expiresAt: NOW + 5000, refresh: { expiresAt: NOW + 1000 }, accessTokens: [{ ...state, ...token }] },
    ...grant,
  } as unknown as Grant
  const refreshToken = { family: 'f', generation: 0, secret: 's' as Secret }
  const tokens = { accessToken: 'a' as Secret, refreshToken, scopes: ['read'], resources: [], expiresIn: 300 }
  const terms = { grantTypes: [], scopes: CATALOGUE, lifetimes: LIFETIMES }
  const request = { client: INTEGRATION, now } as TokenRequest
  requireWithinTerms(type, request, { grant: stored, issued: { ...tokens, ...issued } }, terms)
}

describe('what the grant type of a feature issues', () => {
  const later = { refresh: { expiresAt: NOW + 1001 }, expiresAt: NOW + 5001 } as Partial<Grant>

  it.each<[string, Changes]>([
    ['as long as the server allows', {}],
    ['as long, if the clock of this replica is behind', { now: NOW - 60 }],
    ['any time, without a refresh token', { grant: later, issued: { refreshToken: undefined } }],
    ['as long, if its token is not stored', { grant: { accessTokens: [], refresh: undefined } }],
  ])('may live %s', (_, changes) => {
    expect(() => check(changes)).not.toThrow()
  })

  it.each<[string, Changes]>([
    ['accessToken', { issued: { expiresIn: 301 } }],
    ['accessToken', { issued: { expiresIn: Number.NaN, refreshToken: undefined } }],
    ['accessToken', { token: { expiresAt: NOW + 301 }, issued: { expiresIn: 1 } }],
    ['accessToken', { now: NOW - 60, token: { expiresAt: NOW + 301 } }],
    ['refreshToken', { grant: { ...later, expiresAt: NOW } }],
    ['grant', { grant: { expiresAt: NOW + 5001 } }],
  ])('may not live longer: %s, %j', (name, changes) => {
    expect(() => check(changes)).toThrow(`${TYPE.name}: ${name} lives`)
  })

  it('may live longer if the feature declares it', () => {
    expect(() =>
      check({ grant: { expiresAt: NOW + 9000 } }, { ...TYPE, lifetimes: { grant: 9000 } }),
    ).not.toThrow()
  })

  const write = ['read', 'write']
  it.each<[string, Changes, string | undefined]>([
    ['an unknown one of the grant', { grant: { scopes: ['admin'] } }, 'scope_unknown'],
    ['an unknown one of the answer', { issued: { scopes: ['read', 'admin'] } }, 'scope_unknown'],
    ['an unknown one of the stored token', { token: { scopes: ['toString'] } }, 'scope_unknown'],
    ['one that its client may not have', { issued: { scopes: write } }, 'scope_not_registered'],
    ['one of the user of another client', { grant: { scopes: write, clientId: 'other' } }, undefined],
    ['one of no user', { grant: { scopes: write, subject: undefined } }, undefined],
  ])('has no scope beyond the terms: %s', (_, changes, reason) => {
    if (reason === undefined) expect(() => check(changes)).not.toThrow()
    else expect(() => check(changes)).toThrow(expect.objectContaining({ reason }))
  })
})
