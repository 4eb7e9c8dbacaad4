import { createPrivateKey } from 'node:crypto'
import type { JWK } from 'jose'
import { z } from 'zod'
import type { SigningAlgorithm } from '../store.ts'

/** A private signing key as a JWK (RFC 7517) with its `kid` and `alg`. */
export const PrivateJwk = z.looseObject({
  kty: z.enum(['RSA', 'EC', 'OKP']),
  kid: z.string().min(1).max(200),
  alg: z.enum(['RS256', 'ES256', 'EdDSA']),
  d: z.string().min(1),
})
export type PrivateJwk = z.infer<typeof PrivateJwk>

/** What of a key may be seen (RFC 7518 6.2 and 6.3, RFC 8037 2). */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg'] as const

export interface SigningKeys {
  /** The key that signs: the first of its algorithm. */
  signer(alg: SigningAlgorithm): PrivateJwk | undefined
  /** The document at the JWKS endpoint (RFC 7517 5). */
  readonly publicKeys: { readonly keys: readonly JWK[] }
  readonly algorithms: readonly SigningAlgorithm[]
}

/** @throws Error that says which key cannot be used, and why */
export function loadSigningKeys(keys: readonly PrivateJwk[]): SigningKeys {
  for (const [index, key] of keys.entries()) checkKey(key, index)
  if (new Set(keys.map((key) => key.kid)).size !== keys.length)
    throw new Error('keys: each kid must be unique')
  return {
    signer: (alg) => keys.find((key) => key.alg === alg),
    publicKeys: { keys: keys.map(publicKey) },
    algorithms: [...new Set(keys.map((key) => key.alg))],
  }
}

function checkKey(key: PrivateJwk, index: number): void {
  const parsed = PrivateJwk.safeParse(key)
  if (!parsed.success)
    throw new Error(`keys[${index}] is not a private signing key: ${z.prettifyError(parsed.error)}`)
  try {
    createPrivateKey({ key: { ...parsed.data }, format: 'jwk' })
  } catch (cause) {
    throw new Error(`keys[${index}] (kid ${key.kid}) cannot be read`, { cause })
  }
}

function publicKey(key: PrivateJwk): JWK {
  const visible = PUBLIC_MEMBERS.filter((member) => key[member] !== undefined).map((member) => [
    member,
    key[member],
  ])
  return { ...Object.fromEntries(visible), use: 'sig' }
}
