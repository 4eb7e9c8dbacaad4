import { isOnByDefault, KNOWN_CLIENTS } from '@grantkit/known-clients'
import { describe, expect, it } from 'vitest'
import { problemsOf } from '../../test/problems-of.ts'
import { parseConfig } from './config.ts'
import type { ServerConfig } from './schema.ts'

const idsWith = (environment: Record<string, string>, config?: ServerConfig) =>
  parseConfig({ config, environment }).features.knownClients
const usual = KNOWN_CLIENTS.filter(isOnByDefault).map(({ id }) => id)
const EVERY = KNOWN_CLIENTS.map(({ id }) => id)

describe('KNOWN_CLIENTS', () => {
  it('lets in none by default, and the default set with on', () => {
    expect(idsWith({})).toEqual([])
    expect(idsWith({ KNOWN_CLIENTS: 'off' })).toEqual([])
    expect(idsWith({ KNOWN_CLIENTS: 'on' })).toEqual(usual)
    expect(usual).toEqual(expect.arrayContaining(['claude', 'chatgpt', 'cursor']))
  })

  it('adds names to the default set, and removes those with a hyphen', () => {
    expect(usual).not.toContain('antigravity')
    expect(idsWith({ KNOWN_CLIENTS: 'on, antigravity, -cursor' })).toEqual(
      EVERY.filter((id) => id === 'antigravity' || (usual.includes(id) && id !== 'cursor')),
    )
    expect(idsWith({ KNOWN_CLIENTS: 'cursor' })).toEqual(['cursor'])
  })

  it('means the same in a file', () => {
    expect(idsWith({}, { features: { knownClients: 'on' } })).toEqual(usual)
    expect(idsWith({}, { features: { knownClients: ['claude', 'cursor'] } })).toHaveLength(2)
    expect(() => idsWith({}, { features: { knownClients: 'claude,cursor' as never } })).toThrow(
      "features.knownClients must be off, on, or known clients such as on,cursor,-make in the variable and ['on', 'cursor', '-make'] in a file;",
    )
  })

  it.each(['cursr', 'yes', 'off,cursor', '-make', 'on,,cursor'])('is no %s, and lists the names', (given) => {
    expect(() => idsWith({ KNOWN_CLIENTS: given })).toThrow(
      new RegExp(`KNOWN_CLIENTS must be off, on, or .* they are ${EVERY.join(', ')}, not "${given}"`),
    )
  })

  it('needs registration', () => {
    const closed = { REGISTRATION: 'off' }
    expect(() => idsWith({ ...closed, KNOWN_CLIENTS: 'cursor' })).toThrow(
      'KNOWN_CLIENTS needs REGISTRATION, which is off: add each client, as with "clients add --known cursor"',
    )
    expect(idsWith({ ...closed, KNOWN_CLIENTS: 'off' })).toEqual([])
  })

  it('is off with FAPI 2.0', () => {
    expect(() => idsWith({ PROFILE: 'fapi2', KNOWN_CLIENTS: 'on' })).toThrow(
      'KNOWN_CLIENTS must be off or left out with PROFILE=fapi2',
    )
    expect(idsWith({ PROFILE: 'fapi2', KNOWN_CLIENTS: 'off' })).toEqual([])
  })
})

const SCOPES = { 'notes:read': { description: 'Read notes', personal: true } }

describe('the configuration of personal access tokens', () => {
  it('is off, with 30 and 366 days', () => {
    expect(parseConfig({}).features.personalTokens).toEqual({ enabled: false, days: 30, maxDays: 366 })
  })

  it('accepts the option with a personal scope', () => {
    const environment = { PERSONAL_TOKENS: 'on', PERSONAL_TOKEN_DAYS: '7', PERSONAL_TOKEN_MAX_DAYS: '30' }
    expect(problemsOf(environment, { scopes: SCOPES })).toEqual([])
  })

  it.each([
    [
      'no scope is personal',
      { PERSONAL_TOKENS: 'on' },
      { 'notes:read': { description: 'Read notes' } },
      'PERSONAL_TOKENS needs a scope with "personal: true": no token could have any',
    ],
    [
      'every token must be bound',
      { PERSONAL_TOKENS: 'on', DPOP: 'required' },
      SCOPES,
      'PERSONAL_TOKENS does not go with DPOP required: personal access tokens are bearer tokens',
    ],
    [
      'the default is longer than the maximum',
      { PERSONAL_TOKENS: 'on', PERSONAL_TOKEN_DAYS: '60', PERSONAL_TOKEN_MAX_DAYS: '30' },
      SCOPES,
      'PERSONAL_TOKEN_DAYS must be at most 30, the value of PERSONAL_TOKEN_MAX_DAYS',
    ],
    [
      'the profile demands bound tokens',
      { PERSONAL_TOKENS: 'on', PROFILE: 'fapi2' },
      SCOPES,
      'PERSONAL_TOKENS must be off or left out with PROFILE=fapi2, not "on" (FAPI 2.0 Security Profile 5.3.2.1, item 4)',
    ],
  ])('is refused when %s', (_, environment, scopes, problem) => {
    expect(problemsOf(environment, { scopes })).toEqual([problem])
  })
})
