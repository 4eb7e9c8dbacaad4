import type { SigningAlgorithm } from '../kernel/records.ts'
import type { PrivateJwk } from './private-jwk.ts'

/** How long anybody may keep the key set, in seconds: the `max-age` of the JWKS endpoint. */
export const KEY_SET_MAX_AGE = 15 * 60
/** How far clocks may differ, and how late a replica may see that its keys changed. */
const MARGIN = 5 * 60
/** A new key is published for so long before it signs that every key set anybody kept has it. */
const PUBLISHED_BEFORE_SIGNING = KEY_SET_MAX_AGE + MARGIN

/** A key without `signsFrom` has signed for ever. */
const beginOf = ({ signsFrom = 0 }: PrivateJwk): number => signsFrom

/**
 * The key that signs: the last that has begun to, and of several with one beginning the first in the list. When none has
 * begun, the one that is to begin first, so that a server whose keys had to go still signs.
 */
export function signerAt(
  keys: readonly PrivateJwk[],
  alg: SigningAlgorithm,
  now: number,
): PrivateJwk | undefined {
  const able = keys.filter((key) => key.alg === alg)
  const begun = able.filter((key) => beginOf(key) <= now)
  if (begun.length > 0) return begun.reduce((last, key) => (beginOf(key) > beginOf(last) ? key : last))
  return able.toSorted((one, other) => beginOf(one) - beginOf(other))[0]
}

/**
 * The keys that tokens may have been signed by and will be (OpenID Connect Core 10.1.1): a key stays until the last ID
 * token has expired that was signed before its successor began.
 *
 * @param lifetime of an ID token, in seconds
 */
export function publishedAt(
  keys: readonly PrivateJwk[],
  now: number,
  lifetime: number,
): readonly PrivateJwk[] {
  return keys.filter((key) => now < successionOf(key, keys) + lifetime + MARGIN)
}

/** When a later key takes over, in epoch seconds; `Infinity` when none is to. */
function successionOf(key: PrivateJwk, keys: readonly PrivateJwk[]): number {
  const later = keys.filter(({ alg }) => alg === key.alg).map(beginOf)
  return Math.min(...later.filter((begin) => begin > beginOf(key)))
}

/**
 * The keys after a rotation: fresh ones, which are published now and sign in 20 minutes, and those of the earlier ones
 * that must still be published. What to do when is in the keys alone, so replicas that share them agree without a word.
 *
 * @param now in epoch seconds
 * @param lifetime of an ID token in seconds, which is that of an access token
 */
export function rotateSigningKeys(
  keys: readonly PrivateJwk[],
  fresh: readonly PrivateJwk[],
  now: number,
  lifetime: number,
): PrivateJwk[] {
  const signsFrom = now + PUBLISHED_BEFORE_SIGNING
  return [...fresh.map((key) => ({ ...key, signsFrom })), ...publishedAt(keys, now, lifetime)]
}
