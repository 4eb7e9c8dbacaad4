/**
 * JSON Web Keys (RFC 7517): the private keys of this server, the public keys of its clients and of DPoP proofs. What needs the keys
 * of Node is in jws-signature.ts: a project for Workers compiles these types without the types of Node.
 */
import type { JWK } from 'jose'
import * as z from 'zod'
import { text } from '../http/message.ts'
import { sha256 } from '../kernel/secrets.ts'

/** What each JWS algorithm signs with: the `crv` of its key, or the `kty` (RFC 7518 3.1, RFC 8037 3.1, RFC 9864 2.2). */
const KEY_TYPES = {
  ES256: 'P-256',
  EdDSA: 'Ed25519',
  Ed25519: 'Ed25519',
  PS256: 'RSA',
  RS256: 'RSA',
} as const
export type JwsAlgorithm = keyof typeof KEY_TYPES
export const JWS_ALGORITHMS = Object.keys(KEY_TYPES) as readonly JwsAlgorithm[]

const EDWARDS: readonly JwsAlgorithm[] = ['EdDSA', 'Ed25519']

/** `Ed25519` is a newer name of `EdDSA` (RFC 9864 2.2). Each library signs by the name that it knows, so each stands for both. */
function withBothNames(algorithms: readonly JwsAlgorithm[]): readonly JwsAlgorithm[] {
  return [...new Set(algorithms.flatMap((alg) => (EDWARDS.includes(alg) ? EDWARDS : alg)))]
}

/** The option `algorithms` of a feature, with both names. @throws Error unless it has some of `JWS_ALGORITHMS` alone */
export function acceptedAlgorithms(feature: string, named: readonly string[]): readonly JwsAlgorithm[] {
  const known = named.flatMap((name) => JWS_ALGORITHMS.find((alg) => alg === name) ?? [])
  if (named.length === 0 || known.length !== named.length)
    throw new Error(`${feature}: algorithms must be some of ${JWS_ALGORITHMS.join(', ')}`)
  return withBothNames(known)
}

/** Those of `offered` with which a client may sign: all, unless it registered one, by either name. */
export function registeredAlgorithms(
  offered: readonly JwsAlgorithm[],
  registered: unknown,
): readonly JwsAlgorithm[] {
  if (registered === undefined) return offered
  return offered.filter((alg) => withBothNames([alg]).some((name) => name === registered))
}

/** In bits (RFC 7518 3.3). */
export const MIN_MODULUS = 2048

/** RFC 7518 6.2.2 and 6.3.2, RFC 8037 2, and the member of symmetric keys. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

const coordinate = z.string().regex(/^[\w-]{43}$/, 'must be 32 octets in base64url')
/** A longer modulus or exponent would only take time to verify. */
const modulus = z.string().regex(/^[B-Za-z0-9_-][\w-]{341,1365}$/, `must have ${MIN_MODULUS} to 8192 bits`)
const exponent = z.string().regex(/^[\w-]{2,6}$/, 'must be a short exponent in base64url')

/** The members that make up a public key, in the order of RFC 7638 3.2. */
const PUBLIC_KEYS = {
  'P-256': z.object({
    crv: z.literal('P-256', 'must be P-256'),
    kty: z.literal('EC'),
    x: coordinate,
    y: coordinate,
  }),
  Ed25519: z.object({ crv: z.literal('Ed25519', 'must be Ed25519'), kty: z.literal('OKP'), x: coordinate }),
  RSA: z.object({ e: exponent, kty: z.literal('RSA'), n: modulus }),
}
export type PublicKeyMembers = z.infer<(typeof PUBLIC_KEYS)[keyof typeof PUBLIC_KEYS]>

/** The public key for an algorithm, or `undefined` for a private key, and for one of another type. */
export function publicKeyFor(alg: JwsAlgorithm, jwk: unknown): PublicKeyMembers | undefined {
  const schema: z.ZodType<PublicKeyMembers> = PUBLIC_KEYS[KEY_TYPES[alg]]
  return isPublic(jwk) ? schema.safeParse(jwk).data : undefined
}

/** Whether no member makes it a private or a symmetric key. */
export function isPublic(jwk: unknown): boolean {
  return !PRIVATE_MEMBERS.some((member) => Object.hasOwn(Object(jwk), member))
}

/** The JWK SHA-256 thumbprint (RFC 7638 3). */
export function thumbprint(key: PublicKeyMembers): string {
  return sha256(JSON.stringify(key))
}

const ABOUT = {
  kid: text(200).optional(),
  alg: text(20).optional(),
  use: z.literal('sig', 'must be sig').optional(),
}

/** The public key of a client. Its other members are dropped. */
export const PublicJwk = z
  .looseObject({})
  .refine(isPublic, 'must be a public key')
  .pipe(
    z.discriminatedUnion(
      'kty',
      [PUBLIC_KEYS['P-256'].extend(ABOUT), PUBLIC_KEYS.Ed25519.extend(ABOUT), PUBLIC_KEYS.RSA.extend(ABOUT)],
      'kty must be EC, OKP or RSA',
    ),
  )
export type PublicJwk = z.output<typeof PublicJwk>

/** Whether a key is made for an algorithm. */
export function isFor(alg: JwsAlgorithm, key: PublicJwk): boolean {
  const type = 'crv' in key ? key.crv : key.kty
  return (
    type === KEY_TYPES[alg] &&
    (key.alg === undefined || withBothNames([alg]).some((name) => name === key.alg))
  )
}

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
  /** Keys that Web Crypto exports have the newer name of EdDSA. */
  alg: z.preprocess((alg) => (alg === 'Ed25519' ? 'EdDSA' : alg), z.enum(['RS256', 'ES256', 'EdDSA'])),
  d: z.string().min(1),
  /** Our own member: the key takes over at this time, in epoch seconds. Without it the key has always been active. */
  signsFrom: z.number().int().nonnegative().optional(),
  /** When it was made, in epoch seconds (OpenID Federation 1.0, 8.7.3). Absent from keys of earlier releases. */
  iat: z.number().int().nonnegative().optional(),
})
export type PrivateJwk = z.infer<typeof PrivateJwk>

/** RFC 7518 6.2 and 6.3, RFC 8037 2. */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg'] as const

export function publicHalf(key: PrivateJwk): JWK {
  const members = PUBLIC_MEMBERS.filter((member) => key[member] !== undefined)
  return { ...Object.fromEntries(members.map((member) => [member, key[member]])), use: 'sig' }
}

/** The JSON in a part of a JWS; `undefined` for anything else. */
export function decodedJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** One load: `import()` takes 4 µs every time, and signing an ID token by ES256 takes 80. */
let loading: Promise<typeof import('./jose.ts')> | undefined

/** The library of signatures. It is 46 files, and a server without OpenID Connect needs none of them. */
export function jose(): Promise<typeof import('./jose.ts')> {
  loading ??= import('./jose.ts')
  return loading
}
