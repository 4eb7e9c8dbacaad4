import type { Feature } from '@grantkit/core'
import { jwtBearer, type SubjectOf } from '@grantkit/core/jwt-bearer'
import type { StoredAccount } from '../accounts/accounts.ts'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { outboundFetch } from '../http/outbound.ts'
import { linkByAddress } from '../upstream/account-for.ts'
import type { Authentication } from './authentication.ts'

/** @throws ConfigError when a file cannot be used, or if no account can be linked to a provider */
export async function jwtBearerOf(config: Config, authentication: Authentication): Promise<Feature> {
  const { trusts, workloads } = config.features.jwtBearer
  if (trusts.length > 0 && !authentication.ways.builtIn)
    throw new ConfigError([
      'features.jwtBearer.trusts needs the accounts of the server, so users must not be set',
    ])
  const idJag = trusts.length === 0 ? undefined : { trusts, subjectOf: linkedAccount(authentication) }
  return jwtBearer({ idJag, workloads, fetch: await outboundFetch(config) })
}

/** The active account that is linked to the identity, or that its address links now. */
function linkedAccount({ ways, onEvent }: Authentication): SubjectOf {
  const { identities, accounts } = ways
  const onLinked = ({ id: subject }: StoredAccount, issuer: string) =>
    onEvent({ type: 'identity_linked', subject, issuer })
  return async ({ issuer, subject, linkableEmail: email }) => {
    const known = await identities.find(issuer, subject)
    // From now on only the link counts, whatever address the issuer asserts.
    if (known !== undefined) return (await accounts.find(known.subject))?.id
    const id = email === undefined ? undefined : await accounts.idOf(email)
    const holder = id === undefined ? undefined : await accounts.find(id)
    if (holder === undefined) return undefined
    if (await linkByAddress({ ...ways, onLinked }, { issuer, subject, email }, holder)) return holder.id
    // Another request may have linked it meanwhile.
    return (await identities.find(issuer, subject))?.subject === holder.id ? holder.id : undefined
  }
}
