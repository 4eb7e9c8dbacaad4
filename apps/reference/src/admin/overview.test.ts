import type { PrivateJwk } from '@grantkit/core'
import { expect, it } from 'vitest'
import { keysAt, overviewOf } from './overview.ts'

const NOW = 1_800_000_000
const key = (kid: string, signsFrom?: number, alg: PrivateJwk['alg'] = 'ES256'): PrivateJwk => ({
  kty: 'EC',
  kid,
  alg,
  d: 'd',
  ...(signsFrom === undefined ? {} : { signsFrom }),
})

it('shows of each key whether it signs, will sign, or has signed', () => {
  const keys = [key('new', NOW + 60), key('middle', NOW - 60), key('old'), key('other', undefined, 'RS256')]
  expect(keysAt(keys, NOW).map(({ kid, role }) => `${kid} ${role}`)).toEqual([
    'new next',
    'middle signs',
    'old earlier',
    'other signs',
  ])
})

it('shows no private part of a key', () => {
  expect(JSON.stringify(keysAt([{ ...key('a'), d: 'very secret' }], NOW))).not.toContain('very secret')
})

it('reads the age of a key from the trail, and shows what is unreachable', async () => {
  const entry = { id: '1', at: '2026-01-01T00:00:00.000Z', type: 'signing_keys_rotated', added: ['a'] }
  const queried: string[] = []
  const overview = overviewOf({
    probes: { store: () => Promise.reject(new Error('gone')), database: async () => {} },
    keys: () => [key('a'), key('b', undefined, 'RS256')],
    trail: {
      page: async () => ({ entries: [entry] }),
      count: async (type, since) => {
        queried.push(since)
        return type === 'refused' ? 1000 : 3
      },
    },
    now: () => NOW,
  })
  const { keys, health, lastDay } = await overview()
  expect(keys.map(({ madeAt }) => madeAt)).toEqual([Date.parse(entry.at) / 1000, undefined])
  expect([health.store.answers, health.database.answers]).toEqual([false, true])
  expect(lastDay).toMatchObject({ sign_in_succeeded: 3, refused: 1000 })
  expect(new Set(queried)).toEqual(new Set([new Date((NOW - 24 * 3600) * 1000).toISOString()]))
})
