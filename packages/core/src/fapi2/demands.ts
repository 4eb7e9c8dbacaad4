import { isLoopbackUrl } from '../http/public-url.ts'
import type { AuthorizationServerOptions, Demand } from '../options.ts'

/** Signatures of JWTs, whoever makes them (5.4.1, item 1). `Ed25519` is a newer name of `EdDSA`. */
export const ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'PS256'] as const

/** In seconds (5.3.2.1, item 11). */
const MAX_CODE_LIFETIME = 60

type Options = AuthorizationServerOptions<string>

/** The options that the profile is about. The rooms of the server keep its other sections whatever the options are. */
export const DEMANDS: readonly Demand<Options>[] = [
  {
    section: '5.2.1',
    subject: 'issuer',
    must: 'be an https URL, or of a loopback address to try it',
    holds: ({ issuer }) => issuer.startsWith('https:') || isLoopbackUrl(issuer),
  },
  {
    section: '5.3.2.1, item 3',
    subject: 'registration',
    must: 'be false: a client that registers itself proves to nobody who it is',
    holds: ({ registration = false }) => registration === false,
  },
  {
    section: '5.3.2.1, item 6',
    subject: 'clientAuthentication',
    must: 'be left out: private_key_jwt is the only way',
    holds: ({ clientAuthentication = [] }) => clientAuthentication.length === 0,
  },
  {
    section: '5.3.2.1, item 9',
    subject: 'refreshTokenRotation',
    must: 'be public-clients',
    holds: ({ refreshTokenRotation }) => refreshTokenRotation !== 'always',
  },
  {
    section: '5.3.2.1, item 11',
    subject: 'lifetimes.code',
    must: `be at most ${MAX_CODE_LIFETIME}`,
    holds: ({ lifetimes }) => (lifetimes?.code ?? MAX_CODE_LIFETIME) <= MAX_CODE_LIFETIME,
  },
  {
    section: '5.4.1, item 1',
    subject: 'keys',
    must: 'be for ES256 or EdDSA',
    holds: ({ keys = [] }) => (typeof keys === 'function' ? keys() : keys).every(({ alg }) => isAllowed(alg)),
  },
  {
    section: '5.4.1, item 1',
    subject: 'idTokenAlgorithm',
    must: 'be ES256 or EdDSA',
    holds: ({ idTokenAlgorithm = 'ES256' }) => isAllowed(idTokenAlgorithm),
  },
]

export function isAllowed(algorithm: unknown): boolean {
  return ALGORITHMS.some((allowed) => allowed === algorithm)
}
