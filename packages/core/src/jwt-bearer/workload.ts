/**
 * Workload identity: a program presents the token that its platform gave it (GitHub Actions, GitLab, Kubernetes, SPIFFE), and needs
 * no secret (RFC 7523 2.1; MCP draft SEP-1933, Workload Identity Federation, as of June 2026).
 */
import * as z from 'zod'
import type { ServerContext } from '../feature.ts'
import { requireKeyFor } from '../grants/access-tokens.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import type { Transients } from '../kernel/store.ts'
import type { Assertion, AssertionClaims } from './assertion.ts'
import { verifySignature } from './assertion-signature.ts'
import { checkAudience, checkTimes } from './assertion-times.ts'
import type { CountAssertion } from './id-jag.ts'
import type { ApprovedGrant, GrantRequest } from './issued-grant.ts'
import { JWT_GRANT_ERRORS } from './jwt-grant-errors.ts'
import { resourcesWithin, scopesWithin } from './narrowing.ts'
import { assertionId, onceOnly, severalTimes } from './replay.ts'
import { differingClaims, isOfIssuer, matches, type ReadRule } from './workload-rule.ts'

const WorkloadClaims = z.looseObject({
  sub: z.string().min(1).max(2048),
  jti: z.string().min(1).max(512).optional(),
  cnf: z.object({ jkt: z.string() }).strict().optional(),
})

export interface WorkloadContext {
  readonly server: ServerContext
  readonly transients: Transients
  readonly rules: readonly ReadRule[]
  /** The values of `aud` where a rule has none. */
  readonly audiences: () => readonly string[]
  readonly count: CountAssertion
}

/**
 * The only rule for these claims. Nothing of them is verified yet, and nothing is fetched or stored.
 *
 * @param clientId of the request; absent if it names none
 * @throws OAuthError `invalid_grant`
 */
export function ruleFor(rules: readonly ReadRule[], { claims }: Assertion, clientId?: string): ReadRule {
  const ofClient = rules.filter(({ options }) => clientId === undefined || options.client === clientId)
  const [rule, ...others] = ofClient.filter(({ options }) => matches(options, claims))
  if (rule === undefined || others.length > 0)
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_rule, undefined, {
      facts: { fault: rule === undefined ? differenceOf(ofClient, claims) : 'several rules match' },
    })
  return rule
}

const MAX_SHOWN_RULES = 3

/** For the operator: the names of the claims, and no value but the issuer, which anybody may have made up. */
function differenceOf(rules: readonly ReadRule[], claims: AssertionClaims): string {
  const ofIssuer = rules.filter(({ options }) => isOfIssuer(options, claims))
  const iss = String(claims.iss)
    .slice(0, 200)
    .replace(/[^!-~]/g, '?')
  if (ofIssuer.length === 0) return `no rule for iss ${iss}`
  const shown = ofIssuer.slice(0, MAX_SHOWN_RULES).map(({ options }) => {
    return `${options.client}: ${differingClaims(options, claims).join(', ')}`
  })
  return `iss ${iss}; claims that differ from the rule of ${shown.join('; of ')}`
}

/** What the token of a workload gives. @throws OAuthError after which nothing is issued */
export async function approveWorkload(
  context: WorkloadContext,
  assertion: Assertion,
  request: GrantRequest,
): Promise<ApprovedGrant> {
  const { server, transients } = context
  const { client } = request
  const now = server.now()
  const rule = ruleFor(context.rules, assertion, client.clientId)
  requireWorkloadClient(client)
  await verifySignature(assertion, rule.keys, server)
  const { options, lifetime } = rule
  const claims = WorkloadClaims.safeParse(assertion.claims).data
  if (claims === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_claims)
  checkAudience(assertion.claims, options.audiences ?? context.audiences(), options.manyAudiences)
  const exp = checkTimes(assertion.claims, rule.maxAssertionLifetime, now)
  if (claims.cnf !== undefined && claims.cnf.jkt !== request.jkt)
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_key)
  const resources = resourcesWithin(rule.resources, request.resources)
  requireKeyFor(resources, server.boundResources, request.jkt)
  const scopes = scopesWithin(options.scopes, client, server.scopes, [request.scope])
  const issuer = options.issuer ?? `spiffe://${options.trustDomain}`
  const use =
    options.replay === 'window'
      ? severalTimes(transients, assertionId(assertion.profile, issuer, assertion.signed), exp, server)
      : onceOnly(transients, assertionId(assertion.profile, issuer, requiredJti(claims.jti)), exp)
  await use.require()
  await context.count({ issuer, subject: claims.sub }, client.clientId)
  return { authority: { issuer, subject: claims.sub }, scopes, resources, lifetime, use }
}

/** A client for workloads alone: its id proves nothing, so it must be good for nothing else. */
function requireWorkloadClient({ origin, grantTypes, redirectUris }: Client): void {
  if (origin !== 'integration' || grantTypes.length !== 1 || redirectUris.length > 0)
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_client)
}

function requiredJti(jti: string | undefined): string {
  if (jti === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_claims)
  return jti
}
