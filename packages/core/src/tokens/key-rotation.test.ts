import { createPrivateKey } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PrivateJwk } from './jwk.ts'
import { KEY_SET_MAX_AGE, newSigningKeys, publishedAt, rotateSigningKeys, signerAt } from './signing-keys.ts'

/** The choice of keys never depends on their key material. */
function key(kid: string, signsFrom?: number, alg: PrivateJwk['alg'] = 'RS256'): PrivateJwk {
  return { kty: 'RSA', kid, alg, d: 'd', ...(signsFrom === undefined ? {} : { signsFrom }) }
}

const NOON = 1_800_000_000
const MINUTE = 60
const HOUR = 3600
const kids = (keys: readonly PrivateJwk[]) => keys.map(({ kid }) => kid).join(' ')

describe('a rotation at noon, of ID tokens that live an hour', () => {
  const keys = rotateSigningKeys([key('old')], [key('new')], NOON, HOUR)

  it.each([
    ['before it', -1, 'old', 'new old'],
    ['at once', 0, 'old', 'new old'],
    ['a second before the new key signs', 20 * MINUTE - 1, 'old', 'new old'],
    ['when the new key signs', 20 * MINUTE, 'new', 'new old'],
    ['while tokens of the old key live', 80 * MINUTE - 1, 'new', 'new old'],
    ['while some clock may think that they live', 85 * MINUTE - 1, 'new', 'new old'],
    ['when none of them lives', 85 * MINUTE, 'new', 'new'],
    ['for ever after', 1e9, 'new', 'new'],
  ])('%s', (_, later, signer, published) => {
    expect(signerAt(keys, 'RS256', NOON + later)?.kid).toBe(signer)
    expect(kids(publishedAt(keys, NOON + later, HOUR))).toBe(published)
  })

  it('publishes the new key for longer than clients cache the key set', () => {
    expect(20 * MINUTE).toBeGreaterThan(KEY_SET_MAX_AGE + 2 * MINUTE)
  })

  it('drops the leftovers of the previous rotation, and nothing that is still needed', () => {
    expect(kids(rotateSigningKeys(keys, [key('next')], NOON + 85 * MINUTE, HOUR))).toBe('next new')
    expect(kids(rotateSigningKeys(keys, [key('next')], NOON + 84 * MINUTE, HOUR))).toBe('next new old')
  })

  it('leaves the keys of another algorithm alone', () => {
    const both = [...keys, key('curve', undefined, 'ES256')]
    expect(signerAt(both, 'ES256', NOON + HOUR)?.kid).toBe('curve')
    expect(kids(publishedAt(both, NOON + 24 * HOUR, HOUR))).toBe('new curve')
    expect(signerAt(both, 'EdDSA', NOON)).toBeUndefined()
  })
})

describe('keys that the operator arranged', () => {
  it.each([
    ['that name no beginning: the first signs, all are published', [key('a'), key('b')], 'a', 'a b'],
    ['in any order: the last that began signs', [key('a', 1), key('c', NOON + 1), key('b', 2)], 'b', 'c b'],
    ['of which none has begun: the next one signs', [key('b', NOON + 9), key('a', NOON + 1)], 'a', 'b a'],
    ['that begin together: the first signs', [key('a', 5), key('b', 5)], 'a', 'a b'],
  ])('%s', (_, keys, signer, published) => {
    expect(signerAt(keys, 'RS256', NOON)?.kid).toBe(signer)
    expect(kids(publishedAt(keys, NOON, HOUR))).toBe(published)
  })
})

/** Replicas with clocks up to a minute off, which see a rotation up to a minute late. */
const skew = fc.integer({ min: -MINUTE, max: MINUTE })
const replica = fc.record({ skew, lag: fc.nat(MINUTE) })
const history = fc.record({
  gaps: fc.array(fc.integer({ min: 1, max: 6 * HOUR }), { minLength: 1, maxLength: 6 }),
  lifetime: fc.integer({ min: MINUTE, max: 3 * HOUR }),
  operatorSkew: skew,
})
/** Around a rotation or a takeover, where something could go wrong. */
const moment = fc.record({
  rotation: fc.nat(5),
  after: fc.constantFrom(0, 20 * MINUTE),
  offset: fc.integer({ min: -3 * MINUTE, max: 3 * MINUTE }),
})
/** Time of fetching the key set: before signing, or during the token's life. */
const fetched = fc.oneof(
  fc.record({ before: fc.constantFrom(0, KEY_SET_MAX_AGE - 1, KEY_SET_MAX_AGE) }),
  fc.record({ part: fc.constantFrom(0, 0.5, 1) }),
)

describe('replicas that share their keys', () => {
  it("verify each other's tokens for their whole life, also with a cached key set", () => {
    fc.assert(
      fc.property(history, moment, replica, replica, fetched, (story, when, signing, publishing, fetch) => {
        const keysAt = versionsOf(story)
        const now = momentOf(story.gaps, when)
        const clock = now + signing.skew
        const signer = signerAt(keysAt(now - signing.lag), 'RS256', clock)
        const life = Math.max(0, clock + story.lifetime - 1 - now)
        const seen = 'before' in fetch ? now - fetch.before : Math.floor(now + fetch.part * life)
        const keys = keysAt(seen - publishing.lag)
        expect(kids(publishedAt(keys, seen + publishing.skew, story.lifetime)).split(' ')).toContain(
          signer?.kid,
        )
      }),
      { numRuns: 20_000 },
    )
  })
})

interface History {
  readonly gaps: readonly number[]
  readonly lifetime: number
  readonly operatorSkew: number
}

/** The content of the file over time, with a rotation after each gap. */
function versionsOf({ gaps, lifetime, operatorSkew }: History) {
  let at = NOON
  const versions = [{ from: 0, keys: [key('first')] }]
  for (const [index, gap] of gaps.entries()) {
    at += gap
    const fresh = [key(`key-${index}`)]
    const earlier = versions.at(-1)?.keys ?? []
    versions.push({ from: at, keys: rotateSigningKeys(earlier, fresh, at + operatorSkew, lifetime) })
  }
  return (time: number) => versions.findLast(({ from }) => from <= time)?.keys ?? []
}

function momentOf(
  gaps: readonly number[],
  { rotation, after, offset }: { rotation: number; after: number; offset: number },
): number {
  return gaps.slice(0, rotation + 1).reduce((at, gap) => at + gap, NOON) + after + offset
}

it('makes a key for each algorithm, every one of another kid', async () => {
  const keys = await newSigningKeys()
  expect(keys.map(({ alg, kty }) => `${alg} ${kty}`)).toEqual(['RS256 RSA', 'ES256 EC', 'EdDSA OKP'])
  const others = await newSigningKeys(['RS256', 'RS256'])
  expect(new Set([...keys, ...others].map(({ kid }) => kid)).size).toBe(5)
  for (const key of JSON.parse(JSON.stringify(keys))) {
    expect(createPrivateKey({ key, format: 'jwk' }).type, 'it survives a file').toBe('private')
    expect(key.use).toBe('sig')
    expect(Math.abs(Date.now() / 1000 - key.iat), 'it was made now').toBeLessThan(600)
  }
})
