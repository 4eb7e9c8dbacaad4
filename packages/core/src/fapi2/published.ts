import type { Metadata } from '../discovery/server-metadata.ts'
import type { Demand } from '../options.ts'
import { isAllowed } from './demands.ts'

/** What features may offer beside those of the profile, as the metadata says it. */
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
    must: 'have private_key_jwt alone',
    holds: (metadata) =>
      listed(metadata, 'token_endpoint_auth_methods_supported').every((name) => name === 'private_key_jwt'),
  },
  {
    section: '5.4.1, item 1',
    subject: 'features: the lists of signing algorithms',
    must: 'have PS256, ES256 and EdDSA alone',
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
