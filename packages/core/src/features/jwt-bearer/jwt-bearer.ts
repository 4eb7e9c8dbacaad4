/**
 * JWT authorization grants (RFC 7523 2.1, and RFC 7523bis as in draft 11): a client presents an assertion of an issuer that
 * the operator trusts, and gets an access token. Two profiles: ID-JAG, for users of an organization, and workload identity, for
 * programs without a user.
 *
 * @module
 */

import * as z from 'zod'
import { AUTHENTICATION_ERRORS } from '../../clients/authentication/client-authentication.ts'
import type { Feature, ServerContext } from '../../feature.ts'
import type { ExchangePlan, GrantType, TokenRequest } from '../../grants/grant-type.ts'
import { type Parameters, ResourceParameter, readMessage, text } from '../../http/message.ts'
import type { DocumentFetch } from '../../http/outbound.ts'
import { terminalText } from '../../kernel/display-text.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import { type Hash, sha256, withoutSecrets } from '../../kernel/secrets.ts'
import type { Transients } from '../../kernel/store.ts'
import { LIMIT_ERRORS } from '../../limits/rate-limits.ts'
import type { JwtClaims } from '../../tokens/compact-jws.ts'
import { type Assertion, assertionId, JWT_GRANT_ERRORS, readAssertion, requireUnused } from './assertion.ts'
import {
  approveIdJag,
  type IdJagRules,
  type IdJagTrust,
  type ReadTrust,
  readTrust,
  type SubjectOf,
} from './id-jag.ts'
import { plannedGrant } from './issued-grant.ts'
import { MAX_LIFETIME, type ReadIssuer, trustedIssuers } from './trusted-issuer.ts'
import { approveWorkload, type ReadRule, readRule, ruleFor, type WorkloadRule } from './workload.ts'

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

/**
 * Accepts JWT authorization grants (RFC 7523 2.1). A static client needs the grant type
 * `urn:ietf:params:oauth:grant-type:jwt-bearer`. Needs a store with transients. No consent page: the operator's trust decides.
 * `grants.endOf` of the server ends what an issuer has allowed.
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
export function jwtBearer({ idJag, workloads = [], fetch }: JwtBearerOptions): Feature {
  return (server) => {
    const { transients } = server.store
    if (transients === undefined) throw new Error('jwtBearer: the store has no transients')
    const hasTrusts = idJag?.trustOf !== undefined || (idJag?.trusts ?? []).length > 0
    if (!hasTrusts && workloads.length === 0)
      throw new Error('jwtBearer needs idJag with trusts or trustOf, or workloads')
    if (idJag !== undefined && !hasTrusts) throw new Error('jwtBearer: idJag needs trusts or trustOf')
    const audiences = [server.issuer]
    const read = trustedIssuers(server, fetch)
    const accepted: AcceptedAssertions = {
      transients,
      idJag: idJag && { trustOf: trusts(server, read, idJag), subjectOf: idJag.subjectOf },
      rules: workloads.map((rule) => readRule(server, read, audiences, rule)),
    }
    const grantType: GrantType = {
      name: JWT_BEARER,
      message: JwtBearerRequest,
      lifetimes: { accessToken: MAX_LIFETIME },
      clientOf: (form) => clientOf(accepted.rules, form),
      exchange: (request) => exchangeAssertion(server, accepted, request),
    }
    return {
      grantTypes: [grantType],
      // The draft, 7.2. The trusted issuers are nowhere: they would tell who the customers are.
      metadata: idJag ? { authorization_grant_profiles_supported: [ID_JAG_PROFILE] } : {},
      rateLimits: {
        jwt_bearer: { points: 60, seconds: 3600 },
        jwt_bearer_failure: { points: 1000, seconds: 600 },
      },
      errors: JWT_GRANT_ERRORS,
      checkMounted({ metadata, clientAuthMethods }) {
        audiences.push(String(metadata.token_endpoint))
        // A workload has no credentials but its assertion.
        if (workloads.length > 0 && !clientAuthMethods.some(({ name }) => name === 'none'))
          throw new Error('jwtBearer: workloads need the authentication method none')
      },
    }
  }
}

const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag'

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

/**
 * The grant type (RFC 7523 2.1).
 *
 * @example
 * ```ts
 * import { JWT_BEARER } from '@grantkit/core/jwt-bearer'
 *
 * export const exchangeOf = (assertion: string) => new URLSearchParams({ grant_type: JWT_BEARER, assertion })
 * ```
 */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** RFC 7523 2.1, RFC 8707 2.2. */
const JwtBearerRequest = z.object({
  assertion: text(16 * 1024),
  scope: text().optional(),
  resource: ResourceParameter,
})

/** An assertion was refused. It is not in the event. */
export interface AssertionRefused {
  readonly type: 'assertion_refused'
  readonly reason: string
  readonly clientId: string
  /** As the assertion names it, which may be wrong. */
  readonly issuer?: string | undefined
  /** SHA-256 of its `jti`. */
  readonly jtiHash?: Hash | undefined
}

interface AcceptedAssertions {
  readonly transients: Transients
  readonly idJag: IdJagRules | undefined
  /** For workloads. */
  readonly rules: readonly ReadRule[]
}

/** The client of a request without one: the one that the only matching rule names. @throws OAuthError */
async function clientOf(rules: readonly ReadRule[], form: Parameters): Promise<string> {
  const assertion = readAssertion(readMessage(JwtBearerRequest, form).assertion)
  if (assertion.profile === 'id-jag') throw new OAuthError(AUTHENTICATION_ERRORS.client_not_identified)
  return ruleFor(rules, assertion).options.client
}

async function exchangeAssertion(
  server: ServerContext,
  { transients, idJag, rules }: AcceptedAssertions,
  request: TokenRequest,
): Promise<ExchangePlan> {
  const { assertion: jwt, scope, resource: resources } = readMessage(JwtBearerRequest, request.form)
  const { client, jkt } = request
  const asked = { client, jkt, scope, resources }
  let assertion: Assertion | undefined
  const counted = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    try {
      return await step()
    } catch (thrown) {
      throw await refused(server, thrown, client.clientId, assertion?.claims)
    }
  }
  const plan = await counted(async () => {
    assertion = readAssertion(jwt)
    const approved =
      assertion.profile === 'workload'
        ? await approveWorkload(server, rules, assertion, asked)
        : await approveIdJag(server, idJag, assertion, asked)
    await requireUnused(transients, approved.use)
    const { issuer, subject, tenant } = approved.authority
    const user = [issuer, subject, client.clientId, ...(tenant === undefined ? [] : [tenant])]
    const { too_many_jwt_grants } = JWT_GRANT_ERRORS
    await server.limiter.limit('jwt_bearer', sha256(JSON.stringify(user)), too_many_jwt_grants)
    return plannedGrant(server, transients, approved, request)
  })
  // Of several requests at once, all but one find their assertion used up.
  return { ...plan, commit: () => counted(plan.commit) }
}

/** All untrusted issuers share one counter; otherwise callers could fill the memory of the limiter with them. */
const UNTRUSTED = ['jwt_grant_malformed', 'jwt_grant_typ', 'jwt_grant_issuer', 'jwt_grant_rule']

/**
 * Logs an error of the caller, and counts it for its issuer: core counts it for the client and the network. Above the limit the
 * answer is a 429. A valid assertion is never counted here.
 */
async function refused(
  server: ServerContext,
  thrown: unknown,
  clientId: string,
  { iss, jti }: JwtClaims = {},
): Promise<unknown> {
  if (!(thrown instanceof OAuthError) || thrown.status >= 500) return thrown
  const { reason } = thrown
  const issuer = typeof iss === 'string' ? terminalText(withoutSecrets(iss).slice(0, 512)) : undefined
  const jtiHash = typeof jti === 'string' ? assertionId(jti) : undefined
  server.emit({ type: 'assertion_refused', reason, clientId, issuer, jtiHash } satisfies AssertionRefused)
  const key = UNTRUSTED.includes(reason) ? 'unknown' : sha256(String(issuer))
  const retryAfter = await server.limiter.take('jwt_bearer_failure', key)
  return retryAfter === 0
    ? thrown
    : new OAuthError(LIMIT_ERRORS.too_many_failures, undefined, { cause: thrown, retryAfter })
}
