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

it('knows when a key was made if the key says it, and shows what is unreachable', async () => {
  const queried: number[] = []
  const counted = ['cursor', 'chatgpt', 'chatgpt'].map((label) => ({ label, start: 0, bucket: 0, count: 2 }))
  const events = ['refused', 'code_redeemed', 'refused'].map((label) => ({
    label,
    start: 0,
    bucket: 0,
    count: 2000,
  }))
  const overview = overviewOf({
    probes: { store: () => Promise.reject(new Error('gone')), database: async () => {} },
    keys: () => [{ ...key('a', undefined, 'RS256'), iat: NOW - 60 }, key('b')],
    statistics: {
      read: async ({ name, since }) => {
        queried.push(since)
        return name === 'known_client_off' ? counted : events
      },
    },
    now: () => NOW,
  })
  const { keys, health, lastDay, knownClientsRefused } = await overview()
  expect(keys.map(({ madeAt }) => madeAt)).toEqual([NOW - 60, undefined])
  expect([health.store.answers, health.database.answers]).toEqual([false, true])
  expect(lastDay).toMatchObject({ sign_in_succeeded: 0, refused: 4000 })
  expect(lastDay, 'a type that is not shown').not.toHaveProperty('code_redeemed')
  expect(Object.entries(knownClientsRefused)).toEqual([
    ['chatgpt', 4],
    ['cursor', 2],
  ])
  // The intervals of a day are of 20 minutes.
  expect(queried).toEqual(queried.map(() => NOW / 60 - (24 * 60 - 20)))
})
