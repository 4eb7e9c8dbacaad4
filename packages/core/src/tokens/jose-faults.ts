import { decodedJson, JWS_ALGORITHMS, jose } from './jwk.ts'
import { knownSignature } from './known-signatures.ts'

/**
 * Requires that the signature is at fault if jose refuses it: jose does that too when the runtime throws.
 *
 * @param error of `jwtVerify`. Errors other than a refused signature are ignored
 * @throws Error if this runtime cannot verify a valid signature either
 */
export async function requireWrongSignature(error: unknown, jwt: string): Promise<void> {
  const { code, cause } = Object(error)
  if (code !== 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' || cause === undefined) return
  const { alg } = Object(decodedJson(jwt.split('.', 1)[0] ?? ''))
  const known = JWS_ALGORITHMS.find((name) => name === alg)
  if (known === undefined) return
  const { jwk, signed, signature } = knownSignature(known)
  const { jwtVerify } = await jose()
  try {
    await jwtVerify(`${signed}.${signature}`, { ...jwk })
  } catch {
    throw new Error(`This runtime cannot verify signatures by ${known}`, { cause })
  }
}
