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

it('knows the age of every key from itself, the trail or its file, and shows what is unreachable', async () => {
  const entry = { id: '1', at: '2026-01-01T00:00:00.000Z', type: 'signing_keys_rotated', added: ['a'] }
  const queried: string[] = []
  const counted = ['cursor', 'chatgpt', 'chatgpt'].map((label) => ({ label, start: 0, bucket: 0, count: 2 }))
  const overview = overviewOf({
    probes: { store: () => Promise.reject(new Error('gone')), database: async () => {} },
    keys: () => [key('a'), { ...key('b', undefined, 'RS256'), iat: NOW - 60 }, key('c')],
    keysWrittenAt: async () => NOW - 1,
    trail: {
      page: async () => ({ entries: [entry] }),
      count: async (type, since) => {
        queried.push(since)
        return type === 'refused' ? 1000 : 3
      },
    },
    statistics: { read: async ({ name }) => (name === 'known_client_off' ? counted : []) },
    now: () => NOW,
  })
  const { keys, health, lastDay, knownClientsRefused } = await overview()
  expect(keys.map(({ madeAt, mayBeOlder }) => [madeAt, mayBeOlder])).toEqual([
    [Date.parse(entry.at) / 1000, false],
    [NOW - 60, false],
    [NOW - 1, true],
  ])
  expect([health.store.answers, health.database.answers]).toEqual([false, true])
  expect(lastDay).toMatchObject({ sign_in_succeeded: 3, refused: 1000 })
  expect(Object.entries(knownClientsRefused)).toEqual([
    ['chatgpt', 4],
    ['cursor', 2],
  ])
  expect(new Set(queried)).toEqual(new Set([new Date((NOW - 24 * 3600) * 1000).toISOString()]))
})
