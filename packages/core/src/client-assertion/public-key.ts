/** The public keys of a client (RFC 7517). What is kept of a key is what verifies a signature. */
import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { z } from 'zod'
import { text } from '../http/message.ts'
import { type AssertionHeader, KEY_TYPES } from './assertion-header.ts'

/** In bits (RFC 7518 3.3). */
const MIN_MODULUS = 2048
/** In base64url: 8192 bits. More would only take time to verify. */
const MAX_MEMBER_LENGTH = 1366
/** Parameters of private and symmetric keys (RFC 7518 6). */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

const member = text(MAX_MEMBER_LENGTH).optional()
const Members = z.object({
  kty: z.enum(['EC', 'OKP', 'RSA'], 'must be EC, OKP or RSA'),
  crv: z.enum(['P-256', 'Ed25519'], 'must be P-256 or Ed25519').optional(),
  ...{ x: member, y: member, n: member, e: text(8).optional() },
  kid: text(200).optional(),
  alg: text(20).optional(),
  use: z.literal('sig', 'must be sig').optional(),
})

export const PublicKey = z
  .looseObject({})
  .refine((key) => SECRET_MEMBERS.every((name) => !(name in key)), 'must be a public key')
  .pipe(Members)
  .refine(isUsable, `must be a key that verifies signatures, RSA with at least ${MIN_MODULUS} bits`)
export type PublicKey = z.output<typeof PublicKey>

/** Of a set of keys those that verify assertions. The others are for others (RFC 7517 5). */
export function usableKeys(keys: readonly unknown[]): PublicKey[] {
  return keys.flatMap((key) => PublicKey.safeParse(key).data ?? [])
}

function isUsable(key: z.output<typeof Members>): boolean {
  try {
    const { modulusLength = MIN_MODULUS } = keyObject(key).asymmetricKeyDetails ?? {}
    return modulusLength >= MIN_MODULUS
  } catch {
    return false
  }
}

export function keyObject(key: z.output<typeof Members>) {
  return createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
}

/** Whether an assertion with this header may be signed by this key. One without a `kid` may be signed by any. */
export function fits({ alg, kid }: AssertionHeader, key: PublicKey): boolean {
  const type = key.crv ?? key.kty
  const named = kid === undefined || kid === key.kid
  return named && type === KEY_TYPES[alg] && (key.alg === undefined || key.alg === alg)
}
