import { describe, expect, it } from 'vitest'
import type { Client, Grant, RefreshState } from '../kernel/records.ts'
import type { Secret } from '../kernel/secrets.ts'
import type { GrantTerms } from './grant-terms.ts'
import {
  firstRefreshState,
  type RefreshTokenSecret,
  rotatedState,
  tokenState,
} from './refresh-token-state.ts'

const NOW = 1_000_000
const WINDOW = 60
const ROTATIONS = 80
const CLIENT = { clientId: 'owner', tokenEndpointAuthMethod: 'none' } as Client

const tokenOf = (generation: number, secret = `secret ${generation}`): RefreshTokenSecret => ({
  family: 'family',
  generation,
  secret: secret as Secret,
})

interface Rotated {
  readonly refresh: RefreshState
  /** When the token of each generation was rotated. */
  readonly rotatedAt: readonly number[]
}

function rotatedEvery(seconds: number): Rotated {
  const rotatedAt = Array.from({ length: ROTATIONS }, (_, rotations) => NOW + rotations * seconds)
  const expiresAt = NOW + 100_000
  const rotation = { client: CLIENT, salt: 'salt', keyId: 'key', scopes: [], resources: [] }
  let refresh = firstRefreshState(tokenOf(0), CLIENT, expiresAt, undefined)
  for (const [generation, now] of rotatedAt.entries()) {
    const next = rotatedState(refresh, tokenOf(generation + 1), { ...rotation, rotatedAt: now }, WINDOW)
    refresh = { ...next, expiresAt }
    expect(refresh.recent?.length ?? 0, 'what the grant keeps').toBeLessThanOrEqual(8)
  }
  return { refresh, rotatedAt }
}

function verdict(
  { refresh, rotatedAt }: Rotated,
  token: RefreshTokenSecret,
  arrivedAt: number,
  usedAt = rotatedAt.at(-1),
): unknown {
  const grant = { refresh, usedAt } as Grant
  return tokenState(grant, { token, arrivedAt }, { refreshRetryWindow: WINDOW } as GrantTerms)
}

describe.each([1, 7, 8, 9, 10, 25, 59, 60, 61])('of a client that refreshes every %i seconds', (seconds) => {
  // In each test: what runs before the tests is measured with none of them.
  const history = () => {
    const rotated = rotatedEvery(seconds)
    return { rotated, last: Number(rotated.rotatedAt.at(-1)) }
  }

  it('a grant remembers only rotations inside the window', () => {
    const { refresh } = history().rotated
    if (seconds >= WINDOW) expect(refresh).not.toHaveProperty('recent')
    else expect(refresh.recent?.at(-1)?.generation).toBeLessThan(ROTATIONS - 1)
  })

  it.each([0, 1, 30, 59])(
    'a replaced token is spent after its window, and not before (%i s later)',
    (later) => {
      const { rotated, last } = history()
      for (let generation = 0; generation < ROTATIONS - 1; generation++) {
        const age = last + later - Number(rotated.rotatedAt[generation])
        const state = verdict(rotated, tokenOf(generation), last + later)
        if (age < WINDOW) expect(state, `${age} s after its rotation`).toBe('replaced')
        // A rotation may be taken for a later one by a seventh of the window.
        if (age >= WINDOW + 9) expect(state, `${age} s after its rotation`).toBe('spent')
      }
    },
  )

  it('a token whose request arrived before the last rotation is replaced, not spent', () => {
    const { rotated, last } = history()
    expect(verdict(rotated, tokenOf(0), last - 1)).toBe('replaced')
  })

  it('a guess at the generation before the newest does not end the grant inside the window', () => {
    const { rotated, last } = history()
    expect(verdict(rotated, tokenOf(ROTATIONS - 1, 'a guess'), last + 59)).toBe('replaced')
  })
})

it.each([0, 1, 2, 3])(
  'a guess at the family is no token of the grant, whatever its generation: %i',
  (generation) => {
    const rotated = rotatedEvery(61)
    const last = Number(rotated.rotatedAt.at(-1))
    expect(verdict(rotated, { ...tokenOf(generation), family: 'a guess' }, last + 1000)).toBe('unknown')
  },
)

it('a token of a grant without refresh tokens, or a guess at the newest one, is unknown', () => {
  const rotated = rotatedEvery(61)
  const last = Number(rotated.rotatedAt.at(-1))
  expect(verdict(rotated, tokenOf(ROTATIONS, 'a guess'), last + 1000)).toBe('unknown')
  const { refresh: _, ...without } = rotated
  expect(verdict(without as never, tokenOf(0), last)).toBe('unknown')
})

it.each([
  ['a public client: its key', 'integration', 'none', { jkt: 'key' }],
  ['a public client with a document: its key', 'document', 'none', { jkt: 'key' }],
  ['a client with a secret: nothing', 'integration', 'client_secret_basic', {}],
  ['a document with keys: its method', 'document', 'private_key_jwt', { authMethod: 'private_key_jwt' }],
] as const)('binds every refresh token of %s', (_, origin, tokenEndpointAuthMethod, expected) => {
  const client = { ...CLIENT, origin, tokenEndpointAuthMethod } as Client
  const first = firstRefreshState(tokenOf(0), client, NOW + 100, 'key')
  const rotation = { client, salt: 'salt', keyId: 'key', scopes: [], resources: [], rotatedAt: NOW }
  const second = rotatedState(first, tokenOf(1), rotation, WINDOW)
  for (const { jkt, authMethod } of [first, second])
    expect({ ...(jkt && { jkt }), ...(authMethod && { authMethod }) }).toEqual(expected)
  expect('authMethod' in second, 'no empty member').toBe('authMethod' in expected)
})

describe('the token before the newest, after its window', () => {
  const rotated = rotatedEvery(61)
  const last = Number(rotated.rotatedAt.at(-1))
  const before = tokenOf(ROTATIONS - 1)

  it('is repeated while nobody used the newest', () => {
    expect(verdict(rotated, before, last + WINDOW)).toMatchObject({ retried: 'late' })
  })

  it('is spent once a client that keeps its refresh token used the newest', () => {
    expect(verdict(rotated, before, last + WINDOW, last + 1)).toBe('spent')
  })

  it('is spent if two callers may hold it', () => {
    const { previous, ...refresh } = rotated.refresh
    const ofShared = { ...refresh, ...(previous && { previous: { ...previous, ofShared: true as const } }) }
    expect(verdict({ ...rotated, refresh: ofShared }, before, last + WINDOW)).toBe('spent')
  })
})
