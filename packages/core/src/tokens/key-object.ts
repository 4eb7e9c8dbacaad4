/** Keys of Node. Apart from jwk.ts, whose types are public: a project for Workers compiles them without the types of Node. */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/** In bits (RFC 7518 3.3). */
export const MIN_MODULUS = 2048

/** The key for `verify`, or `undefined` for a point that is not on its curve, and for an RSA key that is too short. */
export function verifyingKey(key: Readonly<JsonWebKey>): KeyObject | undefined {
  try {
    return importedKey(key)
  } catch {
    return undefined
  }
}

/**
 * The same, for callers that tell a bad key from a runtime that has no such keys.
 *
 * @throws Error of the runtime, for either
 */
export function importedKey(key: Readonly<JsonWebKey>): KeyObject | undefined {
  const imported = createPublicKey({ key: { ...key }, format: 'jwk' })
  const { modulusLength = MIN_MODULUS } = imported.asymmetricKeyDetails ?? {}
  return modulusLength < MIN_MODULUS ? undefined : imported
}
