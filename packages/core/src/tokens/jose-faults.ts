import { decodedJson, jose } from './jwk.ts'
import { knownSignature } from './known-signatures.ts'

/**
 * Requires that the signature is at fault if jose refuses it: jose does that too when the runtime throws.
 *
 * @param error of `jwtVerify`. Errors other than a refused signature are ignored
 * @param jwt by one of `JWS_ALGORITHMS`, as callers demand of jose
 * @throws Error if this runtime cannot verify a valid signature either
 */
export async function requireWrongSignature(error: unknown, jwt: string): Promise<void> {
  const { code, cause } = Object(error)
  if (code !== 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' || cause === undefined) return
  const { alg } = Object(decodedJson(jwt.slice(0, jwt.indexOf('.'))))
  const { jwk, signed, signature } = knownSignature(alg)
  const { jwtVerify } = await jose()
  try {
    await jwtVerify(`${signed}.${signature}`, { ...jwk })
  } catch {
    throw new Error(`This runtime cannot verify signatures by ${alg}`, { cause })
  }
}
