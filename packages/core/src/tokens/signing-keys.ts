import { createPrivateKey } from 'node:crypto'
import type { JWK } from 'jose'
import * as z from 'zod'
import { type Endpoint, endpointPath, type PathOptions } from '../http/endpoint.ts'
import { publicDocument } from '../http/http.ts'
import type { Emit } from '../kernel/events.ts'
import type { SigningAlgorithm } from '../kernel/records.ts'
import { PrivateJwk, publicHalf } from './jwk.ts'
import { KEY_SET_MAX_AGE, publishedAt, signerAt } from './key-rotation.ts'

/**
 * The keys, or a synchronous function that returns them. It returns the same array until they change, and never throws.
 */
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

interface SigningKeysContext {
  readonly now: () => number
  /** How long an ID token lives, in seconds. */
  readonly lifetime: number
  readonly emit: Emit
}

/** @throws Error that names the unusable key and the reason */
export function signingKeys(
  source: SigningKeySource,
  { now, lifetime, emit }: SigningKeysContext,
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

/** The latest keys that passed the checks. */
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
    const same = keys.length === shown.length && keys.every((key, index) => key === shown[index])
    if (!same) {
      shown = keys
      set = { keys: keys.map(publicHalf) }
    }
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
  if (modulusBits(parsed.data, name) < MIN_RSA_BITS)
    throw new Error(`${name} has fewer than ${MIN_RSA_BITS} bits (RFC 7518 3.3)`)
  return parsed.data.alg === key.alg ? key : parsed.data
}

/** Before 24.20 Node also reads a broken modulus, as a number of few bits. */
const MIN_RSA_BITS = 2048

/** Keys of other types have no modulus and no minimum. */
function modulusBits(key: PrivateJwk, name: string): number {
  try {
    const { asymmetricKeyDetails } = createPrivateKey({ key: { ...key }, format: 'jwk' })
    return asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS
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
