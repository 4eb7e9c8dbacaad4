import { describe, expect, it } from 'vitest'
import { OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import { BEARER_ERRORS, bearerToken, challenge, tokenError } from './challenge.ts'
import { type Deciding, decide, resourceServer } from './guard.ts'

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln'

describe('bearerToken', () => {
  // The fifth is `{"a":1}:secret`, whose base64 begins like a JWT.
  it.each([undefined, '', 'Basic eDp5', 'Bearertoken', 'Basic eyJhIjoxfTpzZWNyZXQ=', 'DPoP abc', 'gka_x'])(
    'PR-01, REQ-53: another scheme is no token at all: %j',
    (authorization) => {
      expect(bearerToken(authorization)).toBeUndefined()
    },
  )

  it('reads a token of at most 8192 characters', () => {
    expect(bearerToken(`Bearer ${'a'.repeat(8192)}`)).toHaveLength(8192)
    expect(() => bearerToken(`Bearer ${'a'.repeat(8193)}`)).toThrow()
  })

  it.each(['Bearer abc', 'bearer abc', 'BEARER abc', 'bEaReR abc'])(
    'REQ-57: the scheme may have any case: %j',
    (authorization) => {
      expect(bearerToken(authorization)).toBe('abc')
    },
  )

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer  abc',
    'Bearer\tabc',
    'Bearer a b',
    'Bearer a,b',
    'Bearer abc, Bearer def',
    'Basic eDp5, Bearer abc',
    'Basic eDp5,Bearer abc',
    'Bearer ä',
    'Bearer "abc"',
    // Our token under another scheme is a mistake of the sender, not an anonymous request.
    `DPoP gka_${'g'.repeat(22)}.${'s'.repeat(43)}`,
    `gka_${'g'.repeat(22)}.${'s'.repeat(43)}`,
    ...['gkb', 'gkc'].map((prefix) => `Token ${prefix}_${'g'.repeat(22)}.${'s'.repeat(43)}`),
    ...['DPoP ', 'Token ', 'Basic ', 'JWT ', '', 'Token token="', 'Basic eDp5, DPoP '].map(
      (scheme) => scheme + JWT,
    ),
    `Bearer ${'a'.repeat(9000)}`,
  ])('PR-02, REQ-54, REQ-57: a malformed token is a fault, and never anonymous: %j', (authorization) => {
    const reason = 'bearer_malformed'
    expect(() => bearerToken(authorization)).toThrow(expect.objectContaining({ reason }))
  })
})

describe('a guard that takes proofs', () => {
  /** The reason of the error, or the headers of the response to an authorized request. @param jkt of the token */
  async function decided(scheme: string, jkt?: string, { required = false, key = 'key' } = {}) {
    const reasons: unknown[] = []
    const present = () => ({ thumbprint: key, verify: () => ({ 'dpop-nonce': 'newer' }) })
    const proofs = { required, present, algorithms: ['ES256'], corsHeaders: {} }
    const emit = (event: object) => void reasons.push('reason' in event && event.reason)
    const guard = { proofs, emit, anonymous: 'refuse', metadataUrl: 'https://x' } as unknown as Deciding
    const request = { method: 'GET', path: '/', query: '', body: '', headers: { authorization: scheme } }
    const token = { scopes: [], jkt } as never
    const access = await decide(guard, request, { required: [], route: {} }, async () => token)
    return access.kind === 'authorized' ? access.headers : reasons[0]
  }

  it('accepts a bound token with a proof of its key, and returns the headers of the proof', async () => {
    const headers = { 'dpop-nonce': 'newer' }
    expect(await decided('DPoP token', 'key')).toEqual(headers)
    expect(await decided('DPoP token', 'key', { required: true })).toEqual(headers)
  })

  it('accepts an unbound token as Bearer', async () => {
    expect(await decided('Bearer token')).toBeUndefined()
  })

  it.each([
    ['a bound token as Bearer', 'token_without_proof', 'Bearer token', 'key', {}],
    ['an unbound token as DPoP', 'token_not_bound', 'DPoP token', undefined, {}],
    ['a proof of another key', 'token_of_other_key', 'DPoP token', 'key', { key: 'other' }],
    [
      'an unbound token where they must be bound',
      'token_must_be_bound',
      'Bearer token',
      undefined,
      { required: true },
    ],
    ['tokens of two schemes', 'token_schemes_mixed', 'DPoP token, Bearer token', 'key', {}],
    ['a malformed token', 'bearer_malformed', 'DPoP to ken', 'key', {}],
  ] as const)('rejects %s: %s', async (_, reason, scheme, jkt, options) => {
    expect(await decided(scheme, jkt, options)).toBe(reason)
  })
})

describe('the challenge to a token that is refused', () => {
  const METADATA = 'resource_metadata="https://x"'
  const SAID = `error="invalid_token", error_description="${BEARER_ERRORS.bearer_unknown.description}", ${METADATA}`
  const DPOP = 'algs="ES256 RS256"'

  it.each([
    ['Bearer alone where no proofs are taken', undefined, 'Bearer', `Bearer ${SAID}`],
    ['Bearer, and offers DPoP', false, 'Bearer', `Bearer ${SAID}, DPoP ${METADATA}, ${DPOP}`],
    ['DPoP, and offers Bearer', false, 'DPoP', `DPoP ${SAID}, ${DPOP}, Bearer ${METADATA}`],
    ['DPoP alone where tokens must be bound', true, 'DPoP', `DPoP ${SAID}, ${DPOP}`],
  ] as const)('names the scheme that was tried: %s', (_, required, tried, expected) => {
    const proofs = required === undefined ? undefined : { required, algorithms: ['ES256', 'RS256'] }
    const guard = { metadataUrl: 'https://x', proofs } as unknown as Parameters<typeof tokenError>[0]
    const { headers } = tokenError(guard, new OAuthError(BEARER_ERRORS.bearer_unknown), { scopes: [] }, tried)
    expect(headers['www-authenticate']).toBe(expected)
  })
})

it('a failure of the server has no challenge: the client must keep its token', () => {
  const guard = { metadataUrl: 'https://x' } as Parameters<typeof tokenError>[0]
  for (const failure of [SERVER_ERRORS.store_unavailable, SERVER_ERRORS.unexpected]) {
    const { status, headers } = tokenError(guard, new OAuthError(failure), { scopes: [] })
    expect([status, headers['www-authenticate']]).toEqual([failure.status, undefined])
  }
})

describe('the CORS headers of a guard', () => {
  const proofs = { corsHeaders: { allowed: ['dpop'], exposed: ['DPoP-Nonce'] } }

  it.each([
    ['neither', {}, undefined],
    ['proofs', { proofs }, proofs.corsHeaders],
    ['references', { observer: {} }, { allowed: [], exposed: ['Grantkit-Reference'] }],
    ['both', { proofs, observer: {} }, { allowed: ['dpop'], exposed: ['DPoP-Nonce', 'Grantkit-Reference'] }],
  ])('with %s are %j, %j', (_, parts, headers) => {
    const guard = { metadataUrl: 'https://x', ...parts } as unknown as Deciding
    expect(resourceServer(guard, () => Promise.reject(new Error())).corsHeaders).toEqual(headers)
  })
})

it('no token is anonymous where that is allowed, and another scheme is no token', async () => {
  const decided = async (anonymous: string, headers: object) => {
    const guard = { anonymous, emit: () => {}, metadataUrl: 'https://x' } as unknown as Deciding
    const request = { method: 'GET', path: '/', query: '', body: '', headers } as never
    const noToken = () => Promise.reject(new Error('no token was sent'))
    return (await decide(guard, request, { required: [], route: {} }, noToken)).kind
  }
  for (const headers of [{}, { authorization: 'Basic eDp5' }]) {
    expect(await decided('allow', headers)).toBe('anonymous')
    expect(await decided('refuse', headers)).toBe('refused')
  }
})

describe('challenge', () => {
  it('leaves out what has no value', () => {
    expect(
      challenge('Bearer', { error: 'invalid_token', scope: undefined, resource_metadata: 'https://x' }),
    ).toBe('Bearer error="invalid_token", resource_metadata="https://x"')
  })

  it('is the bare scheme when there is nothing to say', () => {
    expect(challenge('Bearer', {})).toBe('Bearer')
  })
})
