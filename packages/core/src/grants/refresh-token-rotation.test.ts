import { createHmac, hkdfSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Client, Grant, RefreshState } from '../kernel/records.ts'
import { type GrantId, type Secret, type SuccessorKeys, sha256, successorKeys } from '../kernel/secrets.ts'
import { redeemCode } from './authorization-code.ts'
import { keptUntil } from './change-grant.ts'
import { type Approval, type Outcome, openGrant, withoutAccessToken } from './grant.ts'
import { type RefreshRequest, rotateRefreshToken } from './refresh-token.ts'
import { belongsToFamily, isCurrentRefreshToken, type RefreshTokenSecret } from './refresh-token-state.ts'

const NOW = 1_000_000
const CODE = 'code' as Secret
const API = 'https://api.example'
const ACCESS_TOKEN = 'access' as Secret
const VERIFIER = 'v'.repeat(43)
const TIMES = {
  code: 60,
  grant: 30_000,
  accessToken: 300,
  refreshToken: 1000,
  refreshRetryWindow: 60,
  maxAccessTokens: 8,
}
const TOKEN: RefreshTokenSecret = { family: 'family', generation: 0, secret: 'refresh' as Secret }

const SECRET = 'a secret of the tests, long enough to pass'
const KEYS = successorKeys(SECRET)
const [NEXT_ACCESS_TOKEN, NEXT_SECRET] = KEYS.derive('refreshsalt')

const APPROVAL: Approval = {
  id: 'grant' as GrantId,
  subject: 'alice',
  clientId: 'owner',
  scopes: ['a', 'b'],
  resources: [],
  redirectUri: 'http://127.0.0.1/cb',
  authTime: 0,
  challenge: sha256(VERIFIER),
  code: CODE,
}
const OPEN = openGrant(APPROVAL, NOW, TIMES)

/** The grant after a client with these grant types redeemed its code. */
function redeemed(grantTypes: Client['grantTypes'], jkt?: string, method = 'none', nonce?: string): Grant {
  const grant: Grant = { ...OPEN, nonce }
  const client = { clientId: 'owner', grantTypes, tokenEndpointAuthMethod: method } as Client
  const fresh = { accessToken: ACCESS_TOKEN, family: TOKEN.family, refreshToken: TOKEN.secret }
  const request = { code: CODE, client, redirectUri: OPEN.redirectUri, verifier: VERIFIER, fresh }
  const presented = { ...request, resources: [], knownResources: [], jkt, arrivedAt: NOW }
  const outcome = redeemCode(grant, presented, NOW, TIMES)
  return grantOf(outcome)
}

const LIVE = redeemed(['authorization_code', 'refresh_token'])
const WITHOUT_REFRESH = redeemed(['authorization_code'])

function grantOf<Result>(outcome: Outcome<Result>): Grant {
  if (outcome.kind !== 'changed') throw new Error(`The outcome is ${outcome.kind}`)
  return outcome.grant
}

const PUBLIC = { clientId: 'owner', tokenEndpointAuthMethod: 'none' } as Client
const CONFIDENTIAL = { ...PUBLIC, tokenEndpointAuthMethod: 'client_secret_basic' }

/** A request for the whole scope with the first token. */
function requestOf(request: Partial<RefreshRequest> = {}): RefreshRequest {
  const whole = { client: PUBLIC, scope: undefined, resources: [], knownResources: [], salt: 'salt' }
  return { ...whole, token: TOKEN, arrivedAt: NOW, keys: KEYS, ...request }
}

function rotate(grant: Grant, now: number, token: Partial<RefreshTokenSecret> = {}, salt = 'salt') {
  const request = requestOf({ token: { ...TOKEN, ...token }, salt, arrivedAt: now })
  return rotateRefreshToken(grant, request, now, TIMES)
}

const refused = (reason: string) => expect.objectContaining({ reason })

describe('a rotation', () => {
  it('derives both successors from the presented secret, the salt and a key of the secret of the server', () => {
    const key = hkdfSync('sha256', SECRET, '', 'successors of tokens', 64)
    const hmac = createHmac('sha512', Buffer.from(key)).update('refreshsalt').digest('base64url')
    expect(rotate(LIVE, NOW)).toMatchObject({
      kind: 'changed',
      result: {
        accessToken: hmac.slice(0, 43),
        refreshToken: { family: 'family', generation: 1, secret: hmac.slice(43) },
      },
    })
  })

  it('is repeated with the key of a previous secret, and refused without an end once that is gone', () => {
    const rotated = grantOf(rotate(LIVE, NOW))
    const repeat = (keys: SuccessorKeys) => rotateRefreshToken(rotated, requestOf({ keys }), NOW + 1, TIMES)
    const other = 'another secret of the tests, long enough'
    expect(repeat(successorKeys([other, SECRET]))).toMatchObject({
      result: { accessToken: NEXT_ACCESS_TOKEN },
    })
    expect(() => repeat(successorKeys(other))).toThrow(refused('refresh_retry_key_gone'))
  })

  it('without a retry window, takes a replaced token for a copy, however early its request arrived', () => {
    const first = grantOf(rotate(LIVE, NOW + 10))
    const second = grantOf(rotate(first, NOW + 20, { generation: 1, secret: NEXT_SECRET }))
    const repeat = (refreshRetryWindow: number) =>
      rotateRefreshToken(second, requestOf({ arrivedAt: NOW + 15 }), NOW + 25, {
        ...TIMES,
        refreshRetryWindow,
      })
    expect(() => repeat(60)).toThrow(refused('refresh_token_replaced'))
    expect(repeat(0).kind).toBe('ended')
  })

  it('refuses a token from the second of its expiry', () => {
    expect(rotate(LIVE, NOW + 999).kind).toBe('changed')
    expect(() => rotate(LIVE, NOW + 1000)).toThrow(refused('refresh_token_expired'))
  })

  it('refuses a token in the hands of another client, or of the same one by another method', () => {
    const rotateBy = (client: object, refresh: object = {}) =>
      rotateRefreshToken(
        { ...LIVE, refresh: { ...(LIVE.refresh as RefreshState), ...refresh } },
        requestOf({ client: { ...PUBLIC, ...client } as Client }),
        NOW,
        TIMES,
      )
    expect(() => rotateBy({ clientId: 'thief' })).toThrow(refused('refresh_token_of_other_client'))
    const other = refused('refresh_token_of_other_method')
    expect(() => rotateBy({}, { authMethod: 'private_key_jwt' })).toThrow(other)
    const method = { tokenEndpointAuthMethod: 'private_key_jwt' }
    expect(rotateBy(method, { authMethod: 'private_key_jwt' }).kind).toBe('changed')
  })

  it('of a refresh token ends with its grant at the latest', () => {
    const lasting = { ...TIMES, refreshToken: 40_000 }
    const { refresh } = grantOf(rotateRefreshToken(LIVE, requestOf(), NOW, lasting))
    expect(refresh?.expiresAt).toBe(LIVE.expiresAt)
  })

  it('refuses a token of another family, and any token of a grant that has none', () => {
    const unknown = refused('refresh_token_unknown')
    expect(() => rotate(LIVE, NOW, { family: 'other' })).toThrow(unknown)
    expect(() => rotate(WITHOUT_REFRESH, NOW)).toThrow(unknown)
  })

  it('refuses a good secret under another family or generation', () => {
    expect(() => rotate(LIVE, NOW, { generation: 1 })).toThrow(refused('refresh_token_unknown'))
    expect(isCurrentRefreshToken(LIVE, { ...TOKEN, generation: 1 }, NOW)).toBe(false)
    expect(isCurrentRefreshToken(LIVE, { ...TOKEN, family: 'other' }, NOW)).toBe(false)
  })

  it('drops only expired access tokens', () => {
    const hashes = (now: number) => grantOf(rotate(LIVE, now)).accessTokens.map(({ hash }) => hash)
    const successor = sha256(NEXT_ACCESS_TOKEN)
    expect(hashes(NOW + 299)).toEqual([sha256('access'), successor])
    expect(hashes(NOW + 300)).toEqual([successor])
  })

  it('drops the oldest live access token when there are too many, and says so', () => {
    const hashes = (grant: Grant) => grant.accessTokens.map(({ hash }) => hash)
    const rotated = (maxAccessTokens: number) => {
      const outcome = rotateRefreshToken(LIVE, requestOf(), NOW, { ...TIMES, maxAccessTokens })
      return [hashes(grantOf(outcome)), outcome.kind === 'changed' && outcome.result.dropped]
    }
    const successor = sha256(NEXT_ACCESS_TOKEN)
    expect(rotated(2)).toEqual([[sha256('access'), successor], false])
    expect(rotated(1)).toEqual([[successor], true])
  })

  it('returns to a retry the remaining lifetime of that access token, and marks it as a retry', () => {
    const rotated = grantOf(rotate(LIVE, NOW + 100))
    expect(rotate(rotated, NOW + 110, {}, 'other salt')).toMatchObject({
      kind: 'unchanged',
      result: { accessToken: NEXT_ACCESS_TOKEN, expiresIn: 290, retried: 'in window' },
    })
  })

  it('returns expires_in 0 to a retry if the access token was revoked meanwhile', () => {
    const revoked = withoutAccessToken(grantOf(rotate(LIVE, NOW + 100)), sha256(NEXT_ACCESS_TOKEN))
    expect(rotate(revoked, NOW + 110)).toMatchObject({ kind: 'unchanged', result: { expiresIn: 0 } })
  })
})

describe('a repeat of the last rotation', () => {
  const terms = { ...TIMES, refreshToken: 9000 }
  const rotated = grantOf(rotateRefreshToken(LIVE, requestOf(), NOW, terms))

  it.each([
    ['that waited in a process which stood still, or whose clock is behind', -70, 60, 'in window'],
    ['in the last second of the window', 59, 60, 'in window'],
    ['after the window', 60, 60, 'late'],
    ['in the last second of fifteen minutes', 899, 60, 'late'],
    ['after fifteen minutes', 900, 60, 'ended'],
    ['after fifteen minutes of window', 900, 900, 'ended'],
    ['without a window', 0, 0, 'ended'],
    ['without a window, even if it waited', -70, 0, 'ended'],
  ] as const)('%s (%d s, window %d s): %s', (_, later, refreshRetryWindow, expected) => {
    const request = requestOf({ arrivedAt: NOW + later })
    const outcome = rotateRefreshToken(rotated, request, NOW + 1000, { ...terms, refreshRetryWindow })
    expect(outcome.kind === 'ended' ? 'ended' : outcome.result.retried).toBe(expected)
  })

  it.each([
    ['another scope', 'a', { scope: 'b' }],
    ['fewer scopes', 'a b', { scope: 'a' }],
    ['more scopes', 'a', { scope: 'a b' }],
    ['a resource', 'a b', { scope: 'a b', resources: [API] }],
  ])('is refused for %s, and ends nothing', (_, scope, changed) => {
    const request = { knownResources: [API], scope }
    const once = grantOf(rotateRefreshToken(LIVE, requestOf(request), NOW, terms))
    const repeat = (again: object) =>
      rotateRefreshToken(once, requestOf({ ...request, ...again }), NOW, terms)
    expect(repeat({}).kind).toBe('unchanged')
    expect(() => repeat(changed)).toThrow(refused('refresh_retry_differs'))
  })

  it('after the window marks the grant, and so does any repeat of the next rotation', () => {
    const rotateAt = (grant: Grant, later: number, token = TOKEN) =>
      rotateRefreshToken(grant, requestOf({ token, arrivedAt: NOW + later }), NOW + later, terms)
    const marked = grantOf(rotateAt(rotated, 60))
    expect(marked.refresh).toMatchObject({ generation: 1, shared: true })
    expect(rotateAt(marked, 61).kind, 'once').toBe('unchanged')
    const newest = { ...TOKEN, generation: 1, secret: NEXT_SECRET }
    const next = grantOf(rotateAt(marked, 62, newest))
    expect(next.refresh).toMatchObject({ generation: 2, previous: { ofShared: true } })
    expect(next.refresh).not.toHaveProperty('shared')
    expect(grantOf(rotateAt(next, 63, newest)).refresh).toMatchObject({ generation: 2, shared: true })
  })
})

describe('a refresh token', () => {
  it('is the current one until the second in which it expires', () => {
    expect(isCurrentRefreshToken(LIVE, TOKEN, NOW + 999)).toBe(true)
    expect(isCurrentRefreshToken(LIVE, TOKEN, NOW + 1000)).toBe(false)
  })

  it('is none of a grant that has none', () => {
    expect(isCurrentRefreshToken(WITHOUT_REFRESH, TOKEN, NOW)).toBe(false)
    expect(belongsToFamily(WITHOUT_REFRESH, TOKEN)).toBe(false)
  })
})

describe('withoutAccessToken', () => {
  it('removes one token and keeps the others', () => {
    const { accessTokens } = withoutAccessToken(grantOf(rotate(LIVE, NOW)), sha256(ACCESS_TOKEN))
    expect(accessTokens.map(({ hash }) => hash)).toEqual([sha256(NEXT_ACCESS_TOKEN)])
  })
})

describe('openGrant', () => {
  it('keeps what is known of the sign-in, and names nothing else', () => {
    const open = openGrant(APPROVAL, NOW, TIMES)
    for (const name of ['acr', 'amr', 'sid']) expect(open).not.toHaveProperty(name)
    expect([open.withheldScopes, 'jkt' in (open.code ?? {})]).toEqual([undefined, false])
    const known = { sid: 's', acr: 'high', amr: ['otp'], withheldScopes: ['c'] }
    const full = openGrant({ ...APPROVAL, ...known, jkt: 'key' }, NOW, TIMES)
    expect(full).toMatchObject({ ...known, code: { jkt: 'key', expiresAt: NOW + 60 }, createdAt: NOW })
  })

  it('stores no nonce if none was sent', () => {
    expect(JSON.stringify(OPEN)).not.toContain('nonce')
  })
})

describe('a redeemed grant', () => {
  it('keeps nothing that only the exchange of its code needed', () => {
    const stored = JSON.parse(JSON.stringify(redeemed(['authorization_code'], undefined, 'none', 'a nonce')))
    expect(stored).toMatchObject({ subject: 'alice', code: { redeemedAt: NOW } })
    expect(stored).not.toHaveProperty('nonce')
    expect(stored.code).not.toHaveProperty('challenge')
  })

  it('is used when its code is redeemed, and its tokens end with it at the latest', () => {
    const client = { ...PUBLIC, grantTypes: ['refresh_token'] } as Client
    const fresh = { accessToken: ACCESS_TOKEN, family: TOKEN.family, refreshToken: TOKEN.secret }
    const request = { code: CODE, client, redirectUri: OPEN.redirectUri, verifier: VERIFIER, fresh }
    const lasting = { ...TIMES, accessToken: 90_000, refreshToken: 90_000 }
    const later = NOW + 30
    const presented = { ...request, resources: [], knownResources: [], arrivedAt: later }
    const grant = grantOf(redeemCode(OPEN, presented, later, lasting))
    expect(grant.usedAt).toBe(later)
    expect([grant.refresh, ...grant.accessTokens].map((token) => token?.expiresAt)).toEqual([
      OPEN.expiresAt,
      OPEN.expiresAt,
    ])
  })

  it('without a refresh token is kept until its access token expires', () => {
    expect(keptUntil(WITHOUT_REFRESH)).toBe(NOW + TIMES.accessToken)
  })
})

describe('a refresh token that is bound to a key', () => {
  const BOUND = redeemed(['authorization_code', 'refresh_token'], 'key')
  const next = { generation: 1, secret: NEXT_SECRET }

  function rotateBy(grant: Grant, jkt?: string, later = 0, token: Partial<RefreshTokenSecret> = {}) {
    const proven = { token: { ...TOKEN, ...token }, jkt, arrivedAt: NOW + later }
    return rotateRefreshToken(grant, requestOf(proven), NOW + later, TIMES)
  }

  it('is refreshed by its key for ever, and binds each access token', () => {
    const once = grantOf(rotateBy(BOUND, 'key'))
    const twice = grantOf(rotateBy(once, 'key', 100, next))
    expect(twice.accessTokens.map(({ jkt }) => jkt)).toEqual(['key', 'key', 'key'])
    expect(twice.refresh?.jkt).toBe('key')
  })

  it.each([undefined, 'other'])('DP-08: is not refreshed by the key %s', (jkt) => {
    expect(() => rotateBy(BOUND, jkt)).toThrow(refused('refresh_token_of_other_key'))
  })

  it('DP-08: ends no grant in the hands of a thief without its key, even spent long ago', () => {
    const once = grantOf(rotateBy(BOUND, 'key'))
    for (const jkt of [undefined, 'other'])
      expect(() => rotateBy(once, jkt, 900)).toThrow(refused('refresh_token_of_other_key'))
    expect(rotateBy(once, 'key', 900), 'but with its key it is reuse').toMatchObject({ kind: 'ended' })
  })

  it('DP-09: gets the same answer again in the window, for the same key', () => {
    const { grant, result } = rotateBy(BOUND, 'key') as Extract<Outcome<object>, { kind: 'changed' }>
    expect(rotateBy(grant, 'key', 1)).toMatchObject({
      kind: 'unchanged',
      result: { ...result, retried: 'in window', expiresIn: 299 },
    })
  })

  it('is bound by the first proof, where it was not bound before', () => {
    expect(grantOf(rotateBy(LIVE, 'key')).refresh?.jkt).toBe('key')
  })

  it('DP-09: is not bound for a confidential client, whose retry needs the key of the rotation all the same', () => {
    const confidential = redeemed(['authorization_code', 'refresh_token'], 'key', 'client_secret_basic')
    expect(confidential.refresh).not.toHaveProperty('jkt')
    const rotateOf = (grant: Grant, jkt?: string, later = 0) =>
      rotateRefreshToken(
        grant,
        requestOf({ client: CONFIDENTIAL, jkt, arrivedAt: NOW + later }),
        NOW + later,
        TIMES,
      )
    const once = grantOf(rotateOf(confidential, 'other'))
    expect(once.accessTokens.at(-1)?.jkt).toBe('other')
    expect(rotateOf(once, 'other', 1)).toMatchObject({ kind: 'unchanged' })
    for (const jkt of [undefined, 'key'])
      expect(() => rotateOf(once, jkt, 1)).toThrow(refused('refresh_retry_differs'))
  })
})

describe('the grant of a hosted known client, whose servers refresh in parallel', () => {
  const HOSTED: Client = { ...PUBLIC, knownClient: 'claude' }
  const CALLBACK = 'https://claude.ai/api/mcp/auth_callback'
  const LAST_OF_A_BURST = 76

  /** Two bursts: in each, a second request comes with the same token, and both get one pair. */
  function afterTwoBursts(client: Client, redirectUri = CALLBACK, window = TIMES.refreshRetryWindow) {
    const terms = { ...TIMES, refreshRetryWindow: window }
    let grant: Grant = { ...LIVE, redirectUri }
    let token = TOKEN
    for (const start of [NOW, NOW + 500]) {
      const send = (now: number) => {
        const outcome = rotateRefreshToken(grant, requestOf({ client, token, arrivedAt: now }), now, terms)
        if (outcome.kind === 'changed') grant = outcome.grant
        return outcome
      }
      const first = send(start)
      const last = send(start + LAST_OF_A_BURST)
      if (first.kind === 'ended' || last.kind === 'ended') return 'ended'
      expect(last.result.refreshToken).toEqual(first.result.refreshToken)
      token = first.result.refreshToken
    }
    return 'live'
  }

  it('outlives bursts of 76 seconds, by the same pair for all', () => {
    expect(afterTwoBursts(HOSTED)).toBe('live')
  })

  it.each([
    ['of another client', PUBLIC, CALLBACK],
    ['at a loopback address, which has one user', HOSTED, 'http://127.0.0.1/cb'],
  ])('would end with the window %s', (_, client, redirectUri) => {
    expect(afterTwoBursts(client, redirectUri)).toBe('ended')
  })

  it('has no longer window than the operator allows, if that is none', () => {
    const first = rotateRefreshToken(
      { ...LIVE, redirectUri: CALLBACK },
      requestOf({ client: HOSTED }),
      NOW,
      TIMES,
    )
    const again = { ...requestOf({ client: HOSTED }), arrivedAt: NOW + 1 }
    const strict = { ...TIMES, refreshRetryWindow: 0 }
    expect(rotateRefreshToken(grantOf(first), again, NOW + 1, strict)).toMatchObject({ kind: 'ended' })
  })

  it('ends when a token is used again after 120 seconds, as any other after its window', () => {
    const send = (grant: Grant, token: RefreshTokenSecret, now: number) =>
      rotateRefreshToken(grant, requestOf({ client: HOSTED, token, arrivedAt: now }), now, TIMES)
    const first = send({ ...LIVE, redirectUri: CALLBACK }, TOKEN, NOW)
    if (first.kind !== 'changed') throw new Error('not rotated')
    const second = send(first.grant, first.result.refreshToken, NOW + 1)
    expect(send(grantOf(second), TOKEN, NOW + 120)).toMatchObject({ kind: 'ended' })
    expect(() => send(grantOf(second), TOKEN, NOW + 119)).toThrow(refused('refresh_token_replaced'))
    const repeated = send(grantOf(second), first.result.refreshToken, NOW + 120)
    expect(repeated, 'within its own window').toMatchObject({ kind: 'unchanged' })
  })
})
