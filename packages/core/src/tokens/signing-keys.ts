import { createPrivateKey, randomUUID } from 'node:crypto'
import type { JWK } from 'jose'
import * as z from 'zod'
import { type Endpoint, endpointPath, type PathOptions } from '../http/endpoint.ts'
import { publicDocument } from '../http/http.ts'
import type { Emit } from '../kernel/events.ts'
import type { SigningAlgorithm } from '../kernel/records.ts'
import { systemClock } from '../kernel/time.ts'
import { jose, MIN_MODULUS, PrivateJwk, publicHalf } from './jwk.ts'

/** Or a synchronous function, which never throws and returns the same array until the keys change. */
export type SigningKeySource = readonly PrivateJwk[] | (() => readonly PrivateJwk[])

/** The document at the JWKS endpoint (RFC 7517 5). */
interface PublicKeySet {
  readonly keys: readonly JWK[]
}

/** The current keys. */
export interface SigningKeys {
  /** The key that signs at this time, in epoch seconds. */
  signer(alg: SigningAlgorithm, now: number): PrivateJwk | undefined
  /** The same object until the set of published keys changes. */
  published(): PublicKeySet
  /** The published keys, and retired ones that the source still has. */
  all(): PublicKeySet
  /** The algorithms in the metadata; changed keys must still support them. */
  readonly algorithms: readonly SigningAlgorithm[]
}

export interface SigningKeyOptions {
  /**
   * The private signing keys, newest first for each algorithm; `openid` needs at least one for RS256. A function is
   * called at every use, so keys can rotate while the server runs (`rotateSigningKeys`).
   */
  readonly keys?: SigningKeySource | undefined
}

export type SigningKeyEvent =
  /** The signing keys have changed. */
  | { readonly type: 'signing_keys_changed'; readonly keyIds: readonly string[] }
  /** The changed signing keys are unusable, so the old ones stay in use. `cause` has the reason. */
  | { readonly type: 'signing_keys_refused'; readonly cause: unknown }

/** @param lifetime of an ID token, in seconds @throws Error that names the unusable key and the reason */
export function signingKeys(
  source: SigningKeySource,
  { now, lifetime, emit }: { readonly now: () => number; readonly lifetime: number; readonly emit: Emit },
): SigningKeys {
  const { current, algorithms } = usableKeys(source, emit)
  const [published, all] = [publicKeySets(), publicKeySets()]
  return {
    // Only the algorithms of the metadata: changed keys may have one more.
    signer: (alg, at) => (algorithms.includes(alg) ? signerAt(current(), alg, at) : undefined),
    published: () => published(publishedAt(current(), now(), lifetime)),
    all: () => all(current()),
    algorithms,
  }
}

function usableKeys(source: SigningKeySource, emit: Emit) {
  const read = typeof source === 'function' ? source : () => source
  let seen = read()
  let keys = checkedKeys(seen)
  const algorithms = [...new Set(keys.map(({ alg }) => alg))]

  function current(): readonly PrivateJwk[] {
    const latest = read()
    if (latest === seen) return keys
    seen = latest
    try {
      keys = checkedKeys(latest, algorithms)
      emit({ type: 'signing_keys_changed', keyIds: keys.map(({ kid }) => kid) } satisfies SigningKeyEvent)
    } catch (cause) {
      emit({ type: 'signing_keys_refused', cause } satisfies SigningKeyEvent)
    }
    return keys
  }
  return { current, algorithms }
}

/** Serializes each key set only once. */
function publicKeySets(): (keys: readonly PrivateJwk[]) => PublicKeySet {
  let shown: readonly PrivateJwk[] = []
  let set: PublicKeySet = { keys: [] }
  return (keys) => {
    if (keys.length === shown.length && keys.every((key, index) => key === shown[index])) return set
    shown = keys
    set = { keys: keys.map(publicHalf) }
    return set
  }
}

function checkedKeys(
  keys: readonly PrivateJwk[],
  needed: readonly SigningAlgorithm[] = [],
): readonly PrivateJwk[] {
  const checked = keys.map(checkedKey)
  if (new Set(keys.map((key) => key.kid)).size !== keys.length)
    throw new Error('keys: each kid must be unique')
  const missing = needed.filter((alg) => !checked.some((key) => key.alg === alg))
  if (missing.length > 0)
    throw new Error(`keys: none is left for ${missing.join(', ')}, which the metadata offers`)
  return checked
}

function checkedKey(key: PrivateJwk, index: number): PrivateJwk {
  const parsed = PrivateJwk.safeParse(key)
  if (!parsed.success)
    throw new Error(`keys[${index}] is not a private signing key: ${z.prettifyError(parsed.error)}`)
  const name = `keys[${index}] (kid ${key.kid})`
  // Before 24.20 Node also reads a broken modulus, as a number of few bits.
  if (modulusBits(parsed.data, name) < MIN_MODULUS)
    throw new Error(`${name} has fewer than ${MIN_MODULUS} bits (RFC 7518 3.3)`)
  return parsed.data.alg === key.alg ? key : parsed.data
}

/** Keys of other types have no modulus and no minimum. */
function modulusBits(key: PrivateJwk, name: string): number {
  try {
    const { asymmetricKeyDetails } = createPrivateKey({ key: { ...key }, format: 'jwk' })
    return asymmetricKeyDetails?.modulusLength ?? MIN_MODULUS
  } catch (cause) {
    throw new Error(`${name} cannot be read`, { cause })
  }
}

export type KeySetOptions = PathOptions<'jwks'>

/** The current public signing keys (RFC 7517). */
export function keySet(keys: SigningKeys, { paths }: KeySetOptions): { endpoints: Endpoint[] } {
  let shown = keys.published()
  let document = publicDocument(shown, KEY_SET_MAX_AGE)
  return {
    endpoints: [
      {
        path: endpointPath('jwks', paths?.jwks, '/api/oauth/jwks'),
        metadataName: 'jwks_uri',
        summary: 'The public signing keys (RFC 7517)',
        methods: ['GET'],
        cors: true,
        answer(request) {
          const latest = keys.published()
          if (latest !== shown) {
            shown = latest
            document = publicDocument(latest, KEY_SET_MAX_AGE)
          }
          return document(request)
        },
      },
    ],
  }
}

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
export async function newSigningKeys(
  algorithms: readonly SigningAlgorithm[] = ['RS256', 'ES256', 'EdDSA'],
): Promise<PrivateJwk[]> {
  const { exportJWK, generateKeyPair } = await jose()
  const newKey = async (alg: SigningAlgorithm) => {
    const { privateKey } = await generateKeyPair(alg, { extractable: true })
    const iat = systemClock()
    return PrivateJwk.parse({ ...(await exportJWK(privateKey)), alg, use: 'sig', kid: randomUUID(), iat })
  }
  return Promise.all(algorithms.map(newKey))
}
