import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { TEST_KEYS } from '../../test/signing-keys.ts'
import type { PrivateJwk } from './jwk.ts'
import { signingKeys } from './signing-keys.ts'

const NOW = 1_800_000_000
const [RS256, ES256] = TEST_KEYS

const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' })
const SHORT = { ...short, kid: 'short', alg: 'RS256' } as PrivateJwk

/** Keys that change, and the events. */
function keysOf(...first: PrivateJwk[]) {
  const source = { now: NOW, keys: first as readonly PrivateJwk[] }
  const events: object[] = []
  const emit = (event: object) => void events.push(event)
  const keys = signingKeys(() => source.keys, { now: () => source.now, lifetime: 3600, emit } as never)
  return { source, keys, events, shown: () => keys.published().keys.map(({ kid }) => kid) }
}

describe('the published key set', () => {
  it('is empty without keys', () => {
    expect(keysOf().keys.published()).toEqual({ keys: [] })
  })

  it('is the same object until its keys change, also when the source returns another array', () => {
    const { source, keys, shown } = keysOf(RS256, ES256)
    const before = keys.published()
    source.keys = [RS256, ES256]
    expect(keys.published()).toBe(before)
    source.keys = [ES256, RS256]
    expect(keys.published()).not.toBe(before)
    expect(shown()).toEqual([ES256.kid, RS256.kid])
  })

  it('loses a key whose successor has signed for longer than its tokens live, but the whole set keeps it', () => {
    const { source, keys, shown } = keysOf({ ...ES256, kid: 'new', signsFrom: NOW }, ES256)
    expect(shown()).toEqual(['new', ES256.kid])
    source.now = NOW + 3600 + 300
    expect(shown()).toEqual(['new'])
    expect(keys.all().keys.map(({ kid }) => kid)).toEqual(['new', ES256.kid])
  })
})

it('a signing key with the newer name of EdDSA is published and used by the older one', () => {
  const [, , EDWARDS] = TEST_KEYS
  const { keys } = keysOf({ ...EDWARDS, alg: 'Ed25519' } as never)
  expect([keys.algorithms, keys.signer('EdDSA', NOW)?.alg]).toEqual([['EdDSA'], 'EdDSA'])
  expect(keys.published().keys).toMatchObject([{ alg: 'EdDSA' }])
})

describe('changed keys', () => {
  it.each([
    ['without an algorithm of the metadata', [ES256], 'RS256'],
    ['of which none is left', [], 'none is left for RS256, ES256, which'],
    ['with one name for two keys', [RS256, { ...ES256, kid: RS256.kid }], 'unique'],
    ['that are no keys', [{ ...RS256, d: '' }], 'keys[0] is not a private signing key'],
    ['that are too short', [SHORT], 'fewer than 2048 bits'],
    ['that cannot be read', [{ ...RS256, n: '!' }, ES256], 'keys[0] (kid'],
  ])('%s are refused, and the earlier ones stay', (_, changed, why) => {
    const { source, keys, events } = keysOf(RS256, ES256)
    source.keys = changed
    expect(keys.signer('RS256', NOW)).toBe(RS256)
    const cause = expect.objectContaining({ message: expect.stringContaining(why) })
    expect(events).toEqual([{ type: 'signing_keys_refused', cause }])
  })

  it('that cannot be read are refused with the error of the runtime', () => {
    const cause = expect.objectContaining({ code: expect.stringContaining('ERR_') })
    expect(() => keysOf({ ...RS256, n: '!' })).toThrow(expect.objectContaining({ cause }))
  })

  it('sign at once, for the algorithms of the metadata alone', () => {
    const { source, keys, events } = keysOf(RS256)
    source.keys = [{ ...RS256, kid: 'new' }, ES256]
    expect([keys.signer('RS256', NOW)?.kid, keys.signer('ES256', NOW), keys.algorithms]).toEqual([
      'new',
      undefined,
      ['RS256'],
    ])
    expect(events).toEqual([{ type: 'signing_keys_changed', keyIds: ['new', ES256.kid] }])
  })
})
