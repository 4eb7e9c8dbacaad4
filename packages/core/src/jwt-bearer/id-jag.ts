/**
 * Identity Assertion JWT Authorization Grant (draft-ietf-oauth-identity-assertion-authz-grant-04, ID-JAG), as Enterprise-Managed
 * Authorization of MCP profiles it (extension `io.modelcontextprotocol/enterprise-managed-authorization`, stable, June 2026): the
 * identity provider of an organization decides that a client may act for a user, and no consent page is shown.
 */
import type { ServerContext } from '../feature.ts'
import { requireKeyFor } from '../grants/access-tokens.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { canonicalResource } from '../kernel/resource-indicator.ts'
import { includesAll, partOf } from '../kernel/scope.ts'
import type { Transients } from '../kernel/store.ts'
import type { Assertion } from './assertion.ts'
import { verifySignature } from './assertion-signature.ts'
import { checkAudience, checkTimes } from './assertion-times.ts'
import { type AssertedUser, assertedUser, type IdJagClaims, readIdJagClaims } from './id-jag-claims.ts'
import { admits, type IdJagTrust, type ReadTrust } from './id-jag-trust.ts'
import type { ApprovedGrant, GrantRequest } from './issued-grant.ts'
import { JWT_GRANT_ERRORS } from './jwt-grant-errors.ts'
import { resourcesWithin, scopesWithin } from './narrowing.ts'
import { assertionId, onceOnly, UNCOUNTED } from './replay.ts'

/** Finds the user of an ID-JAG. @returns the subject of an active user; `undefined` if there is none, and nothing is issued */
export type SubjectOf = (user: AssertedUser, trust: IdJagTrust) => Promise<string | undefined>

/** Counts a token for this user or workload of its issuer. @throws OAuthError 429 */
export type CountAssertion = (
  asserted: Pick<AssertedUser, 'issuer' | 'subject' | 'tenant'>,
  clientId: string,
) => Promise<void>

export interface IdJagContext {
  readonly server: ServerContext
  readonly transients: Transients
  /** The trust of this issuer; it has the same issuer. */
  readonly trustOf: (issuer: string, clientId: string) => Promise<ReadTrust | undefined>
  readonly subjectOf: SubjectOf
  readonly count: CountAssertion
}

/**
 * What an ID-JAG gives (4.4.1). It writes nothing: the mark of the `jti` comes last, when the response is prepared.
 *
 * @throws OAuthError after which nothing is issued
 */
export async function approveIdJag(
  context: IdJagContext,
  assertion: Assertion,
  request: GrantRequest,
): Promise<ApprovedGrant> {
  const { server, transients } = context
  const { client } = request
  const now = server.now()
  const trust = await trustFor(context, assertion, client)
  requireClient(trust.options, client)
  await verifySignature(assertion, trust.keys, server)
  const claims = readIdJagClaims(assertion.claims, trust.options, now)
  checkAudience(claims, [server.issuer])
  const exp = checkTimes(claims, trust.maxAssertionLifetime, now)
  // 4.4.1: the client that the issuer has issued it to, and no other.
  if (claims.client_id !== client.clientId) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_client)
  if (claims.cnf !== undefined && claims.cnf.jkt !== request.jkt)
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_key)
  const resources = resourcesOf(claims, trust, request)
  requireKeyFor(resources, server.boundResources, request.jkt)
  // EMA 7.2.1.
  const scopes = scopesWithin(trust.options.scopes, client, server.scopes, [claims.scope, request.scope])
  const user = assertedUser(claims, trust.options)
  const subject = await context.subjectOf(user, trust.options)
  if (subject === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_subject)
  const id = assertionId(assertion.profile, claims.iss, claims.jti)
  const use = trust.options.replay === 'until-exp' ? UNCOUNTED : onceOnly(transients, id, exp)
  await use.require()
  await context.count(user, client.clientId)
  const approved = approvedBy(claims, user, { trustAcr: trust.options.trustAcr, now })
  return { ...approved, subject, scopes, resources, lifetime: trust.lifetime, use }
}

/** `iss` only names the trust: nothing is fetched or stored for an issuer that is not trusted. */
async function trustFor(
  { server, trustOf }: IdJagContext,
  { claims: { iss } }: Assertion,
  { clientId }: Client,
): Promise<ReadTrust> {
  const trust = typeof iss === 'string' && iss !== server.issuer ? await trustOf(iss, clientId) : undefined
  if (trust === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_issuer)
  return trust
}

/** 8.1: a public client proves nothing, so whoever reads an ID-JAG could use it. */
function requireClient(trust: IdJagTrust, client: Client): void {
  if (client.origin === 'registered' || !admits(trust, client))
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_client)
  if (client.tokenEndpointAuthMethod === 'none' && trust.publicClients !== true)
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_client_public)
}

/** The token is always bound to resources (EMA 5.1). An ID-JAG without `resource` is for the only one of its trust. */
function resourcesOf(
  { resource }: IdJagClaims,
  { resources: trusted }: ReadTrust,
  { resources: requested }: GrantRequest,
): readonly string[] {
  if (resource === undefined) {
    if (requested.length === 0 && trusted.length > 1) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_target)
    return resourcesWithin(trusted, requested)
  }
  const claimed = [resource].flat().map(canonicalResource)
  // Not narrowed: it is for another server too (EMA 7.6.2).
  if (!includesAll(trusted, claimed)) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_resource)
  return resourcesWithin(partOf(trusted, claimed), requested)
}

/** What the issuer says about the sign-in of the user. */
function approvedBy(
  { auth_time, acr, amr, act }: IdJagClaims,
  { issuer, subject, tenant }: AssertedUser,
  { trustAcr = false, now }: { readonly trustAcr: boolean | undefined; readonly now: number },
) {
  return {
    authTime: auth_time && Math.min(auth_time, now),
    ...(trustAcr && { acr }),
    amr,
    authority: {
      ...{ issuer, subject },
      ...(tenant !== undefined && { tenant }),
      ...(act?.sub && { actor: act.sub }),
    },
  }
}
