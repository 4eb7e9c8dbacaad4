import { isOnByDefault, KNOWN_CLIENTS } from '@grantkit/known-clients'
import { describe, expect, it } from 'vitest'
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
