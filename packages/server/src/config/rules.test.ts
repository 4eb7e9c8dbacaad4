import { expect, it } from 'vitest'
import { problemsOf } from '../../test/problems-of.ts'
import { parseConfig } from './config.ts'

const POSTGRES = 'postgres://127.0.0.1/grantkit'

it('one worker is the default, and needs no database that processes share', () => {
  expect(parseConfig({ environment: {} }).workers).toBe(1)
})

it.each([
  ['memory', { DATABASE_URL: 'memory:' }, 'needs a postgres:// DATABASE_URL, not memory:'],
  ['a SQLite file', {}, 'needs a postgres:// DATABASE_URL, not sqlite:'],
  [
    'Postgres and clients in memory',
    { DATABASE_URL: POSTGRES, STORE_URL: 'memory:' },
    'STORE_URL, not memory:',
  ],
  [
    'Postgres and clients in a file',
    { DATABASE_URL: POSTGRES, STORE_URL: 'sqlite:x' },
    'STORE_URL, not sqlite:',
  ],
])('two workers on %s are refused, since each would count for itself', (_, places, problem) => {
  expect(problemsOf({ WORKERS: '2', ...places })).toEqual([expect.stringContaining(problem)])
})

it.each([
  ['Postgres', {}],
  ['Postgres and Redis', { STORE_URL: 'redis://127.0.0.1' }],
])('two workers share %s', (_, places) => {
  expect(problemsOf({ WORKERS: '2', DATABASE_URL: POSTGRES, ...places })).toEqual([])
})
