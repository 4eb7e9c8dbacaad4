import { OAuthError } from '@grantkit/core'
import { describe, expect, it } from 'vitest'
import { hashOf, type ProvingKey, provingKey } from '../../../test/dpop-key.ts'
import { JWS_ALGORITHMS } from '../../tokens/jwk.ts'
import { comparableUri, dpopNonces, type ProofVerifier, presentedKey } from './dpop-proof.ts'

const NOW = 1_800_000_000
const ORIGIN = 'https://notes.example'
const TOKEN = 'gka_token'
const SECRET = 'a secret of the tests, long enough to pass'
const nonces = dpopNonces([SECRET], ORIGIN)
const request = { method: 'POST', path: '/token', query: 'a=b', headers: {}, body: '' }

const verifier: ProofVerifier = {
  algorithms: ['ES256', 'EdDSA', 'Ed25519'],
  nonces,
  nonceRequired: false,
  uriOf: ({ path }) => ORIGIN + path,
  now: () => NOW,
}

const ec = provingKey()
const edwards = provingKey('EdDSA')
const rsa = provingKey('RS256')
const CLAIMS = { jti: 'once', htm: 'POST', htu: `${ORIGIN}/token`, iat: NOW }
const AT_API = { ...CLAIMS, ath: hashOf(TOKEN) }

interface Presented {
  readonly verifier?: Partial<ProofVerifier>
  readonly token?: string
}

/** The thumbprint of a valid proof, or the reason of its error. */
function validated(
  dpop: string | string[],
  { verifier: changed = {}, token }: Presented = {},
): string | undefined {
  try {
    const key = presentedKey({ ...verifier, ...changed }, { ...request, headers: { dpop } })
    key?.verify(token)
    return key?.thumbprint
  } catch (thrown) {
    return thrown instanceof OAuthError ? thrown.reason : String(thrown)
  }
}

const proofOf = (claims: object, header: object = {}, key: ProvingKey = ec) =>
  key.proof({ ...CLAIMS, ...claims }, header)

describe('a proof', () => {
  it.each([
    ['by ES256', ec, {}],
    ['by EdDSA', edwards, {}],
    ['by EdDSA under its newer name', edwards, { alg: 'Ed25519' }],
  ])('%s names its key', (_, key, header) => {
    expect(validated(key.proof(CLAIMS, header))).toBe(key.thumbprint)
  })

  it.each(['RS256', 'PS256'] as const)('by %s is taken where the operator offers it', (alg) => {
    const key = provingKey(alg)
    expect(validated(key.proof(CLAIMS), { verifier: { algorithms: JWS_ALGORITHMS } })).toBe(key.thumbprint)
    expect(validated(key.proof(CLAIMS))).toBe('dpop_proof_algorithm')
  })

  it('is no matter of a request without one', () => {
    expect(presentedKey(verifier, request)).toBeUndefined()
  })

  it.each([
    ['another writing of the same URI', { htu: 'HTTPS://Notes.Example:443/a/../%74oken?x=y#z' }],
    ['the oldest time', { iat: NOW - 300 }],
    ['a clock ahead', { iat: NOW + 60 }],
    ['the longest jti', { jti: 'j'.repeat(256) }],
    ['any time, with a nonce', { iat: 0, nonce: nonces.newest(NOW) }],
    ['an end that lies ahead', { exp: NOW + 10, nbf: NOW - 10 }],
    ['a beginning that clocks may explain', { nbf: NOW + 60 }],
    ['a hash, where the request has no token', { ath: hashOf(TOKEN) }],
    ['unknown members', { sub: 'alice' }],
  ])('holds with %s', (_, claims) => {
    expect(validated(proofOf(claims))).toBe(ec.thumbprint)
  })

  it.each<[string, string, string | string[]]>([
    ['is empty', 'dpop_proof_malformed', ''],
    ['is no JWS', 'dpop_proof_malformed', 'x'],
    ['has no signature', 'dpop_proof_malformed', `${proofOf({}).split('.', 2).join('.')}.`],
    ['comes twice in one header', 'dpop_proof_malformed', `${proofOf({})}, ${proofOf({})}`],
    ['comes in two headers', 'dpop_proof_malformed', [proofOf({}), proofOf({})]],
    ['is longer than 4096 characters', 'dpop_proof_malformed', proofOf({ pad: 'x'.repeat(4000) })],
    ['has a header that is no JSON', 'dpop_proof_malformed', proofOf({}).replace(/^\w/, '%')],
    ['has a critical header', 'dpop_proof_malformed', proofOf({}, { crit: ['b64'], b64: false })],
    ['has no typ', 'dpop_proof_type', proofOf({}, { typ: undefined })],
    ['is an ID token', 'dpop_proof_type', proofOf({}, { typ: 'JWT' })],
    ['is an access token', 'dpop_proof_type', proofOf({}, { typ: 'at+jwt' })],
    ['is a logout token', 'dpop_proof_type', proofOf({}, { typ: 'logout+jwt' })],
    ['has no alg', 'dpop_proof_algorithm', proofOf({}, { alg: undefined })],
    ['is unsigned', 'dpop_proof_algorithm', proofOf({}, { alg: 'none' })],
    ['is signed by a shared secret', 'dpop_proof_algorithm', proofOf({}, { alg: 'HS256' })],
    ['is of an algorithm that is not offered', 'dpop_proof_algorithm', rsa.proof(CLAIMS)],
    ['has no jwk', 'dpop_proof_key', proofOf({}, { jwk: undefined })],
    ['has a private jwk', 'dpop_proof_key', proofOf({}, { jwk: ec.privateJwk })],
    ['has a symmetric jwk', 'dpop_proof_key', proofOf({}, { jwk: { kty: 'oct', k: 'c2VjcmV0' } })],
    ['hides a shared secret in its jwk', 'dpop_proof_key', proofOf({}, { jwk: { ...ec.jwk, k: 'x' } })],
    ['has a jwk of another type', 'dpop_proof_key', proofOf({}, { jwk: edwards.jwk })],
    ['has a jwk of another curve', 'dpop_proof_key', proofOf({}, { jwk: { ...ec.jwk, crv: 'P-384' } })],
    ['has a jwk that is a list', 'dpop_proof_key', proofOf({}, { jwk: [ec.jwk] })],
    ['has no jti', 'dpop_proof_claims', proofOf({ jti: undefined })],
    ['has an empty jti', 'dpop_proof_claims', proofOf({ jti: '' })],
    ['has a jti that is too long', 'dpop_proof_claims', proofOf({ jti: 'j'.repeat(257) })],
    ['has a jti that is a number', 'dpop_proof_claims', proofOf({ jti: 1 })],
    ['has no htm', 'dpop_proof_claims', proofOf({ htm: undefined })],
    ['has no htu', 'dpop_proof_claims', proofOf({ htu: undefined })],
    ['has no iat', 'dpop_proof_claims', proofOf({ iat: undefined })],
    ['has an iat that is no whole number', 'dpop_proof_claims', proofOf({ iat: NOW + 0.5 })],
    ['has a nonce that is no text', 'dpop_proof_claims', proofOf({ nonce: 1 })],
    ['is for another method', 'dpop_proof_method', proofOf({ htm: 'GET' })],
    ['writes its method in lower case', 'dpop_proof_method', proofOf({ htm: 'post' })],
    ['is for another path', 'dpop_proof_uri', proofOf({ htu: `${ORIGIN}/other` })],
    ['has one slash more', 'dpop_proof_uri', proofOf({ htu: `${ORIGIN}/token/` })],
    ['is for another host', 'dpop_proof_uri', proofOf({ htu: 'https://evil.example/token' })],
    ['is for another port', 'dpop_proof_uri', proofOf({ htu: 'https://notes.example:8443/token' })],
    ['is for another scheme', 'dpop_proof_uri', proofOf({ htu: 'http://notes.example/token' })],
    ['names a user in its URI', 'dpop_proof_uri', proofOf({ htu: 'https://a@notes.example/token' })],
    ['has a URI that is none', 'dpop_proof_uri', proofOf({ htu: '/token' })],
    ['is over', 'dpop_proof_expired', proofOf({ exp: NOW - 60 })],
    ['has not begun', 'dpop_proof_expired', proofOf({ nbf: NOW + 61 })],
    ['is too old', 'dpop_nonce_needed', proofOf({ iat: NOW - 301 })],
    ['is too far ahead', 'dpop_nonce_needed', proofOf({ iat: NOW + 61 })],
    ['has an unknown nonce', 'dpop_nonce_needed', proofOf({ nonce: 'x' })],
    ['has an old nonce', 'dpop_nonce_needed', proofOf({ nonce: nonces.newest(NOW - 180) })],
    [
      'has the nonce of another origin',
      'dpop_nonce_needed',
      proofOf({ nonce: dpopNonces([SECRET], 'https://api.example').newest(NOW) }),
    ],
    ['is signed by another key', 'dpop_proof_signature', proofOf({}, { jwk: provingKey().jwk })],
    [
      'has other claims than were signed',
      'dpop_proof_signature',
      proofOf({}).replace(/\.[\w-]+\./, `.${proofOf({ jti: 'other' }).split('.')[1]}.`),
    ],
    [
      'has a key that is no point of its curve',
      'dpop_proof_signature',
      proofOf({}, { jwk: { ...ec.jwk, x: 'A'.repeat(43) } }),
    ],
  ])('DP-12: that %s is refused: %s', (_, reason, proof) => {
    expect(validated(proof)).toBe(reason)
  })

  it('of an RSA key of less than 2048 bits, or of more than 4096, is refused', () => {
    const small = provingKey('RS256', 1024)
    const long = rsa.proof(CLAIMS, { jwk: { ...rsa.jwk, n: 'x'.repeat(684) } })
    for (const proof of [small.proof(CLAIMS), long])
      expect(validated(proof, { verifier: { algorithms: ['RS256'] } })).toBe('dpop_proof_key')
    const longest = rsa.proof(CLAIMS, { jwk: { ...rsa.jwk, n: 'x'.repeat(683) } })
    expect(validated(longest, { verifier: { algorithms: ['RS256'] } })).toBe('dpop_proof_signature')
  })

  it.each([
    ['for its token', AT_API, ec.thumbprint],
    ['for another token', { ...AT_API, ath: hashOf('another') }, 'dpop_proof_token'],
    ['for no token', CLAIMS, 'dpop_proof_token'],
  ])('made %s is validated so at an API', (_, claims, judgement) => {
    expect(validated(ec.proof(claims), { token: TOKEN })).toBe(judgement)
  })
})

describe('a request whose path a URL parser rewrites', () => {
  const at = (path: string): Presented => ({ verifier: { uriOf: () => ORIGIN + path } })

  it.each([
    '/b/../token',
    '/b/%2e%2E/token',
    '/./token',
    '/%2e/token',
    '/token/.',
    '/token/x/..',
    '/b\\..\\token',
    '\\token',
    '/token#x',
  ])('%s needs a proof for this very path', (path) => {
    for (const htu of [`${ORIGIN}/token`, `${ORIGIN}/token/`])
      expect(validated(proofOf({ htu }), at(path))).toBe('dpop_proof_uri')
    expect(validated(proofOf({ htu: ORIGIN + path }), at(path))).toBe(ec.thumbprint)
  })

  it.each(['/token/..x', '/token/.well-known', '/token/%2e%2ex', '/to%6ben/%7e'])(
    '%s is not one of them',
    (path) => {
      expect(validated(proofOf({ htu: new URL(ORIGIN + path).href }), at(path))).toBe(ec.thumbprint)
    },
  )
})

describe('where a nonce is demanded', () => {
  const demanding = { ...verifier, nonceRequired: true }
  const nonceOf = (claims: object) => {
    try {
      return presentedKey(demanding, { ...request, headers: { dpop: proofOf(claims) } })?.verify()
    } catch (thrown) {
      return (thrown as OAuthError).headers
    }
  }

  it('the response to a proof without one has the newest nonce', () => {
    expect(validated(proofOf({}), { verifier: demanding })).toBe('dpop_nonce_needed')
    expect(nonceOf({})).toEqual({ 'dpop-nonce': nonces.newest(NOW) })
  })

  it.each([
    ['the newest', 0, {}],
    ['one of the last minute', -60, { 'dpop-nonce': nonces.newest(NOW) }],
    ['one of the minute before', -120, { 'dpop-nonce': nonces.newest(NOW) }],
    ['one of a replica whose clock is ahead', 60, {}],
  ])('%s is taken, and a newer one comes only if there is one', (_, shift, headers) => {
    expect(nonceOf({ nonce: nonces.newest(NOW + shift) })).toEqual(headers)
  })

  it('a nonce by the secret before is taken', () => {
    const both = dpopNonces(['a newer secret of the tests, long enough', SECRET], ORIGIN)
    const changed = { verifier: { nonceRequired: true, nonces: both } }
    for (const { newest } of [nonces, both])
      expect(validated(proofOf({ nonce: newest(NOW) }), changed)).toBe(ec.thumbprint)
  })

  it('a proof for another place learns no nonce', () => {
    expect(validated(proofOf({ htu: 'https://evil.example/token' }), { verifier: demanding })).toBe(
      'dpop_proof_uri',
    )
  })
})

describe('the URI of a request', () => {
  it.each([
    ['HTTPS://API.example/a', 'https://api.example/a'],
    ['https://api.example:443/a', 'https://api.example/a'],
    ['http://api.example:80/a', 'http://api.example/a'],
    ['https://api.example:8443/a', 'https://api.example:8443/a'],
    ['https://api.example', 'https://api.example/'],
    ['https://api.example/a/./b/../c', 'https://api.example/a/c'],
    ['https://api.example/%7ea%2d%5A', 'https://api.example/~a-Z'],
    ['https://api.example/a%2fb', 'https://api.example/a%2Fb'],
    ['https://api.example/a?b=c#d', 'https://api.example/a'],
    ['https://api.example/a/', 'https://api.example/a/'],
  ])('%s is compared as %s', (uri, comparable) => {
    expect(comparableUri(uri)).toBe(comparable)
  })

  it.each([
    '',
    '/a',
    'api.example/a',
    'ftp://api.example/a',
    'https://',
    'https://u@api.example/',
    'https://:p@api.example/',
    'javascript:1',
    'blob:https://api.example/a',
  ])('%j is no URI of a request', (uri) => {
    expect(comparableUri(uri)).toBeUndefined()
  })
})
