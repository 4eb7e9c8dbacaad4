import type { Feature } from '@grantkit/core'
import { jwtBearer, type SubjectOf } from '@grantkit/core/jwt-bearer'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import type { PagesOptions } from '../pages/routes.ts'
import { outboundFetch } from './client-documents.ts'

/** @throws ConfigError when a file cannot be used, or if no account can be linked to a provider */
export async function jwtBearerOf(config: Config, pages: PagesOptions): Promise<Feature> {
  const { trusts, workloads } = config.features.jwtBearer
  if (trusts.length > 0 && !pages.ways.builtIn)
    throw new ConfigError([
      'features.jwtBearer.trusts needs the accounts of the server, so users must not be set',
    ])
  const idJag = trusts.length === 0 ? undefined : { trusts, subjectOf: linkedAccount(pages) }
  return jwtBearer({ idJag, workloads, fetch: await outboundFetch(config) })
}

/** The active account that is linked to the identity. An account is never linked here. */
function linkedAccount({ ways: { identities, accounts } }: PagesOptions): SubjectOf {
  return async ({ issuer, subject }) => {
    const known = await identities.find(issuer, subject)
    return known && (await accounts.find(known.subject))?.id
  }
}
