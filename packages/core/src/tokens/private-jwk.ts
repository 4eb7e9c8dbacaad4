import { z } from 'zod'

/** A private signing key as a JWK (RFC 7517) with its `kid` and `alg`. */
export const PrivateJwk = z.looseObject({
  kty: z.enum(['RSA', 'EC', 'OKP']),
  kid: z.string().min(1).max(200),
  alg: z.enum(['RS256', 'ES256', 'EdDSA']),
  d: z.string().min(1),
  /** A member of our own: when this key takes over from earlier ones, in epoch seconds. Without it: since ever. */
  signsFrom: z.number().int().nonnegative().optional(),
})
export type PrivateJwk = z.infer<typeof PrivateJwk>
