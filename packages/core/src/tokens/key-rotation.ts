import { randomUUID } from 'node:crypto'
import type { SigningAlgorithm } from '../kernel/records.ts'
import { jose, PrivateJwk } from './jwk.ts'

/** The `max-age` of the JWKS endpoint in seconds: how long the key set may be cached. */
export const KEY_SET_MAX_AGE = 15 * 60
/** Tolerance for clock differences, and for replicas that see changed keys late. */
const MARGIN = 5 * 60
/** A new key is published this long before it signs, so that every cached key set has it. */
const PUBLISHED_BEFORE_SIGNING = KEY_SET_MAX_AGE + MARGIN

/** A key without `signsFrom` has always signed. */
const beginOf = ({ signsFrom = 0 }: PrivateJwk): number => signsFrom

/**
 * The key that signs: the most recent one that has begun. If several begin at the same time, the first in the list. If
 * none has begun, the one that begins first: the server must be able to sign even if all older keys were removed.
 *
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
 * The keys of past and future signatures (OpenID Connect Core 10.1.1). A key stays until the last ID token has expired
 * that was signed before its successor began.
 *
 * @param lifetime of an ID token, in seconds
 */
export function publishedAt(
  keys: readonly PrivateJwk[],
  now: number,
  lifetime: number,
): readonly PrivateJwk[] {
  return keys.filter((key) => now < successionTime(key, keys) + lifetime + MARGIN)
}

/** The time when a later key takes over, in epoch seconds; `Infinity` if there is none. */
function successionTime(key: PrivateJwk, keys: readonly PrivateJwk[]): number {
  const later = keys.filter(({ alg }) => alg === key.alg).map(beginOf)
  return Math.min(...later.filter((begin) => begin > beginOf(key)))
}

/**
 * The keys after a rotation: new ones, published now and signing in 20 minutes, and older ones that must still be
 * published. The schedule is in the keys themselves, so replicas that share them agree without messages.
 *
 * @param now in epoch seconds
 * @param lifetime of an ID token in seconds, the same as of an access token
 *
 * @example
 * ```ts
 * import { newSigningKeys, type PrivateJwk, rotateSigningKeys } from '@grantkit/core'
 *
 * export async function rotated(keys: PrivateJwk[]): Promise<PrivateJwk[]> {
 *   const now = Math.floor(Date.now() / 1000)
 *   return rotateSigningKeys(keys, await newSigningKeys(), now, 3600)
 * }
 * ```
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

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const

/**
 * Fresh signing keys for `keys` or `rotateSigningKeys`, as private JWKs (RFC 7517). Make them once and keep them as a
 * secret: an ID token of a key that is gone cannot be verified.
 *
 * @param algorithms one key for each. `openid` needs RS256 (OpenID Connect Core 15.1)
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { newSigningKeys } from '@grantkit/core'
 *
 * await writeFile('keys.json', JSON.stringify(await newSigningKeys()), { mode: 0o600 })
 * ```
 */
export function newSigningKeys(algorithms: readonly SigningAlgorithm[] = ALGORITHMS): Promise<PrivateJwk[]> {
  return Promise.all(algorithms.map(newSigningKey))
}

async function newSigningKey(alg: SigningAlgorithm): Promise<PrivateJwk> {
  const { exportJWK, generateKeyPair } = await jose()
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  const iat = Math.floor(Date.now() / 1000)
  return PrivateJwk.parse({ ...(await exportJWK(privateKey)), alg, use: 'sig', kid: randomUUID(), iat })
}
