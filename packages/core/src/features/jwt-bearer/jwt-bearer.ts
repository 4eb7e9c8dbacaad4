/**
 * JWT authorization grants (RFC 7523 2.1, and RFC 7523bis as in draft 11): a client presents an assertion of an issuer that
 * the operator trusts, and gets an access token. Two profiles: ID-JAG, for users of an organization, and workload identity, for
 * programs without a user.
 *
 * @module
 */
import type { Feature, MountedFeatures, ServerContext } from '../../feature.ts'
import type { GrantType } from '../../grants/grant-type.ts'
import { type EndGrantsOf, endGrantsOf } from '../../grants/user-grants.ts'
import type { DocumentFetch } from '../../http/outbound.ts'
import type { Transients } from '../../kernel/store.ts'
import {
  clientOf,
  type ExchangeContext,
  exchangeAssertion,
  JWT_BEARER,
  JwtBearerRequest,
} from './exchange.ts'
import { type IdJagTrust, type ReadTrust, readTrust, type SubjectOf } from './id-jag.ts'
import { JWT_GRANT_ERRORS } from './jwt-grant-errors.ts'
import { MAX_LIFETIME, type ReadIssuer, trustedIssuers } from './trusted-issuer.ts'
import { readRule, type WorkloadRule } from './workload.ts'

export { type AssertionRefused, JWT_BEARER } from './exchange.ts'
export type { AssertedUser, IdJagTrust, SubjectOf } from './id-jag.ts'
export type { AssertionExchanged } from './issued-grant.ts'
export type { IssuerOptions } from './trusted-issuer.ts'
export type { WorkloadRule } from './workload.ts'

export interface IdJagOptions {
  /** The identity providers whose ID-JAGs are accepted. */
  readonly trusts?: readonly IdJagTrust[] | undefined
  /**
   * Looks a trust up instead, for example in the table of organizations. What it returns must have this issuer, byte for byte.
   *
   * @param issuer as the ID-JAG names it; nothing is verified yet
   */
  readonly trustOf?:
    | ((issuer: string, clientId: string) => Promise<IdJagTrust | undefined> | IdJagTrust | undefined)
    | undefined
  /** Finds the user. Look it up by issuer and subject, and by tenant if there is one, and refuse users that are not active. */
  readonly subjectOf: SubjectOf
}

export interface JwtBearerOptions {
  /** Accepts ID-JAGs (Enterprise-Managed Authorization). Default: none. */
  readonly idJag?: IdJagOptions | undefined
  /** Accepts tokens of workload platforms. Default: none. */
  readonly workloads?: readonly WorkloadRule[] | undefined
  /** Fetches the keys of issuers: `safeFetch` of `@grantkit/safe-fetch`. Not needed if every issuer has `jwks`. */
  readonly fetch?: DocumentFetch | undefined
}

/** The feature, and what the operator does with its grants. */
export interface JwtBearer extends Feature {
  /** The same as `grants.endOf` of the server. */
  endGrants(of: EndGrantsOf): Promise<number>
}

/**
 * Accepts JWT authorization grants (RFC 7523 2.1). A static client needs the grant type
 * `urn:ietf:params:oauth:grant-type:jwt-bearer`. Needs a store with transients. No consent page: the operator's trust decides.
 *
 * @throws Error that names the option at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { jwtBearer, type SubjectOf } from '@grantkit/core/jwt-bearer'
 * import { safeFetch } from '@grantkit/safe-fetch'
 *
 * declare const subjectOf: SubjectOf
 *
 * const trust = { issuer: 'https://acme.okta.com', clients: ['claude'], scopes: ['notes:read'] }
 * const idJag = { trusts: [trust], subjectOf }
 * const features = [jwtBearer({ idJag, fetch: safeFetch({ issuer }) })]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function jwtBearer(options: JwtBearerOptions): JwtBearer {
  let mounted: ServerContext | undefined
  const feature: Feature = (server) => {
    mounted = server
    return partsOf(server, options)
  }
  return Object.assign(feature, {
    async endGrants(of: EndGrantsOf) {
      if (mounted === undefined) throw new Error('jwtBearer: endGrants needs a server with this feature')
      return endGrantsOf(mounted, of)
    },
  })
}

const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag'

function partsOf(server: ServerContext, options: JwtBearerOptions): ReturnType<Feature> {
  const { transients } = server.store
  if (transients === undefined) throw new Error('jwtBearer: the store has no transients')
  const audiences = [server.issuer]
  const context = contextOf(server, transients, options, audiences)
  const grantType: GrantType = {
    name: JWT_BEARER,
    message: JwtBearerRequest,
    lifetimes: { accessToken: MAX_LIFETIME },
    clientOf: (form) => clientOf(context, form),
    exchange: (request) => exchangeAssertion(context, request),
  }
  return {
    grantTypes: [grantType],
    // The draft, 7.2. The trusted issuers are nowhere: they would tell who the customers are.
    metadata: context.idJag ? { authorization_grant_profiles_supported: [ID_JAG_PROFILE] } : {},
    rateLimits: {
      jwt_bearer: { points: 60, seconds: 3600 },
      jwt_bearer_failure: { points: 1000, seconds: 600 },
    },
    errors: JWT_GRANT_ERRORS,
    checkMounted: (features) => {
      audiences.push(String(features.metadata.token_endpoint))
      if (context.workloads.length > 0) checkPublicClients(features)
    },
  }
}

function contextOf(
  server: ServerContext,
  transients: Transients,
  { idJag, workloads = [], fetch }: JwtBearerOptions,
  audiences: readonly string[],
): ExchangeContext {
  const hasTrusts = idJag?.trustOf !== undefined || (idJag?.trusts ?? []).length > 0
  if (!hasTrusts && workloads.length === 0)
    throw new Error('jwtBearer needs idJag with trusts or trustOf, or workloads')
  if (idJag !== undefined && !hasTrusts) throw new Error('jwtBearer: idJag needs trusts or trustOf')
  const read = trustedIssuers(server, fetch)
  return {
    ...{ server, transients, audiences },
    idJag: idJag && { trustOf: trusts(server, read, idJag), subjectOf: idJag.subjectOf },
    workloads: workloads.map((rule) => readRule(server, read, rule)),
  }
}

/** A trust that is looked up is checked each time: it may have changed. */
function trusts(server: ServerContext, read: ReadIssuer, { trusts = [], trustOf }: IdJagOptions) {
  const listed = new Map<string, ReadTrust>()
  for (const trust of trusts) {
    if (listed.has(trust.issuer)) throw new Error(`jwtBearer: two trusts of ${trust.issuer}`)
    listed.set(trust.issuer, readTrust(server, read, trust))
  }
  return async (issuer: string, clientId: string): Promise<ReadTrust | undefined> => {
    if (trustOf === undefined) return listed.get(issuer)
    const found = await trustOf(issuer, clientId)
    if (found !== undefined && found.issuer !== issuer)
      throw new Error(`jwtBearer: trustOf returned a trust of ${found.issuer} for ${issuer}`)
    return found && readTrust(server, read, found)
  }
}

/** A workload has no credentials but its assertion. */
function checkPublicClients({ clientAuthMethods }: MountedFeatures): void {
  if (!clientAuthMethods.some(({ name }) => name === 'none'))
    throw new Error('jwtBearer: workloads need the authentication method none')
}
