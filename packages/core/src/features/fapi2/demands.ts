import type { Metadata } from '../../discovery/server-metadata.ts'
import { isLoopbackUrl } from '../../http/public-url.ts'
import type { AuthorizationServerOptions, Demand } from '../../options.ts'

/** The algorithms of all JWT signatures (5.4.1, item 1). `Ed25519` is a newer name of `EdDSA`. */
export const ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'PS256'] as const

/** Seconds (5.3.2.1, item 11). */
const MAX_CODE_LIFETIME = 60

type Options = AuthorizationServerOptions<string>

/** The requirements of the profile for options. The server meets its other sections with any options. */
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
    must: 'be false: clients that register themselves are not authenticated',
    holds: ({ registration = false }) => registration === false,
  },
  {
    section: '5.3.2.1, item 6',
    subject: 'clientAuthentication',
    must: 'be left out: private_key_jwt is the only method',
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

function isAllowed(algorithm: unknown): boolean {
  return ALGORITHMS.some((allowed) => allowed === algorithm)
}

/** The requirements for the metadata, to which other features may add. */
export const PUBLISHED: readonly Demand<Metadata>[] = [
  {
    section: '5.3.2.1, item 2',
    subject: 'features: grant_types_supported',
    must: 'not have password',
    holds: (metadata) => !listed(metadata, 'grant_types_supported').includes('password'),
  },
  {
    section: '5.3.2.1, item 6',
    subject: 'features: token_endpoint_auth_methods_supported',
    must: 'have only private_key_jwt',
    holds: (metadata) =>
      listed(metadata, 'token_endpoint_auth_methods_supported').every((name) => name === 'private_key_jwt'),
  },
  {
    section: '5.4.1, item 1',
    subject: 'features: the lists of signing algorithms',
    must: 'have only PS256, ES256 and EdDSA',
    holds: (metadata) =>
      Object.keys(metadata)
        .filter((member) => member.endsWith('_signing_alg_values_supported'))
        .every((member) => listed(metadata, member).every(isAllowed)),
  },
]

function listed(metadata: Metadata, member: string): readonly unknown[] {
  const list = metadata[member]
  return Array.isArray(list) ? list : []
}
