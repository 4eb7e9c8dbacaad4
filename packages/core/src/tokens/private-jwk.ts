import { z } from 'zod'

/**
 * A private signing key as a JWK (RFC 7517) with its `kid` and `alg`.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { PrivateJwk } from '@grantkit/core'
 *
 * const keys = PrivateJwk.array().parse(JSON.parse(await readFile('keys.json', 'utf8')))
 * ```
 */
export const PrivateJwk = z.looseObject({
  kty: z.enum(['RSA', 'EC', 'OKP']),
  kid: z.string().min(1).max(200),
  alg: z.enum(['RS256', 'ES256', 'EdDSA']),
  d: z.string().min(1),
  /** Our own member: the key takes over at this time, in epoch seconds. Without it the key has always been active. */
  signsFrom: z.number().int().nonnegative().optional(),
})
export type PrivateJwk = z.infer<typeof PrivateJwk>
