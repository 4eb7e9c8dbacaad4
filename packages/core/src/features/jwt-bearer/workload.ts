/**
 * Workload identity: a program presents the token that its platform gave it (GitHub Actions, GitLab, Kubernetes, SPIFFE), and needs
 * no secret (RFC 7523 2.1; MCP draft SEP-1933, Workload Identity Federation, as of June 2026).
 */
import * as z from 'zod'
import type { ServerContext } from '../../feature.ts'
import { requireKeyFor } from '../../grants/grant.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { scopesWithoutUser } from '../../kernel/scope.ts'
import { type JwtClaims, requireAudience, requireSignature } from '../../tokens/compact-jws.ts'
import { type Assertion, assertionId, endOf, JWT_ERRORS, JWT_GRANT_ERRORS } from './assertion.ts'
import { type ApprovedGrant, type GrantRequest, resourcesWithin, scopesWithin } from './issued-grant.ts'
import type { IssuerOptions, IssuerTerms, ReadIssuer } from './trusted-issuer.ts'

const WorkloadClaims = z.looseObject({
  sub: z.string().min(1).max(2048),
  jti: z.string().min(1).max(512).optional(),
  cnf: z.object({ jkt: z.string() }).strict().optional(),
})

/**
 * The only rule for these claims. Nothing of them is verified yet, and nothing is fetched or stored.
 *
 * @param clientId of the request; absent if it names none
 * @throws OAuthError `invalid_grant`
 */
export function ruleFor(rules: readonly ReadRule[], { claims }: Assertion, clientId?: string): ReadRule {
  const ofClient = rules.filter(({ options }) => clientId === undefined || options.client === clientId)
  const [rule, ...others] = ofClient.filter(
    ({ options }) => isOfIssuer(options, claims) && differingClaims(options, claims).length === 0,
  )
  if (rule === undefined || others.length > 0)
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_rule, undefined, {
      facts: { fault: rule === undefined ? differenceOf(ofClient, claims) : 'several rules match' },
    })
  return rule
}

const MAX_SHOWN_RULES = 3

/** For the operator: the names of the claims, and no value but the issuer: the caller chooses them. */
function differenceOf(rules: readonly ReadRule[], claims: JwtClaims): string {
  const ofIssuer = rules.filter(({ options }) => isOfIssuer(options, claims))
  const iss = String(claims.iss)
    .slice(0, 200)
    .replace(/[^!-~]/g, '?')
  if (ofIssuer.length === 0) return `no rule for iss ${iss}`
  const differing = ({ options }: ReadRule) =>
    `${options.client}: ${differingClaims(options, claims).join(', ')}`
  const shown = ofIssuer.slice(0, MAX_SHOWN_RULES).map(differing)
  return `iss ${iss}; claims that differ from the rule of ${shown.join('; of ')}`
}

/** Platforms reuse a token for most of its life: one for each restart of a program is enough. */
const MAX_USES = 20

/** What the token of a workload gives. @throws OAuthError after which nothing is issued */
export async function approveWorkload(
  server: ServerContext,
  rules: readonly ReadRule[],
  assertion: Assertion,
  request: GrantRequest,
): Promise<ApprovedGrant> {
  const { client } = request
  const now = server.now()
  const rule = ruleFor(rules, assertion, client.clientId)
  requireWorkloadClient(client)
  await requireSignature(assertion.jws, rule.keys, now, JWT_ERRORS)
  const { options, lifetime } = rule
  const claims = WorkloadClaims.safeParse(assertion.claims).data
  if (claims === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_claims)
  requireAudience(assertion.claims, rule.audiences, JWT_ERRORS, options.manyAudiences)
  const exp = endOf(assertion.claims, rule.maxAssertionLifetime, now)
  if (claims.cnf !== undefined && claims.cnf.jkt !== request.jkt)
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_key)
  const resources = resourcesWithin(rule.resources, request.resources)
  requireKeyFor(resources, server.boundResources, request.jkt)
  const scopes = scopesWithin(options.scopes, client, server.scopes, [request.scope])
  const issuer = options.issuer ?? `spiffe://${options.trustDomain}`
  const reused = options.replay === 'window'
  const name = reused ? assertion.jws.signed : claims.jti
  if (name === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_claims)
  const id = assertionId(assertion.profile, issuer, name)
  const use = { id, exp, atMost: reused ? MAX_USES : 1 }
  return { authority: { issuer, subject: claims.sub }, scopes, resources, lifetime, use }
}

/** A client for workloads alone: its id proves nothing, so it must be good for nothing else. */
function requireWorkloadClient({ origin, grantTypes, redirectUris }: Client): void {
  if (origin !== 'integration' || grantTypes.length !== 1 || redirectUris.length > 0)
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_client)
}

/** Which tokens of a platform are accepted, and what they give. */
export interface WorkloadRule extends IssuerOptions {
  /** The issuer of the platform, byte for byte as in its tokens. Absent for a SPIFFE trust domain whose SVIDs have no `iss`. */
  readonly issuer?: string | undefined
  /** A SPIFFE trust domain, such as `prod.example`: `sub` must be a SPIFFE ID of it. Needs `jwks` or `jwksUri`. */
  readonly trustDomain?: string | undefined
  /** The accepted values of `aud`. Default: the issuer of this server and its token endpoint. */
  readonly audiences?: readonly string[] | undefined
  /** Whether `aud` may name other servers too, which could replay the token here. Default false. */
  readonly manyAudiences?: boolean | undefined
  /**
   * What the claims must be: a value, or a list of them. A value may end in `/*` or `:*`. A name with slashes is a path:
   * `kubernetes.io/namespace`. At least one.
   */
  readonly claims: Readonly<Record<string, string | readonly string[]>>
  /** The id of the client that its tokens are for. */
  readonly client: string
  /** The scopes of the tokens: they must make sense without a user. */
  readonly scopes: readonly string[]
  /** The maximum lifetime of an assertion, in seconds, at most 3600. Default 3600. */
  readonly maxAssertionLifetime?: number | undefined
  /**
   * `once`: an assertion is accepted once, and needs a `jti`. `window`: up to 20 times until it expires, for Kubernetes and SPIFFE,
   * which reuse theirs. Default `once`.
   */
  readonly replay?: 'once' | 'window' | undefined
  /**
   * Whether other owners have tokens of this issuer too: a rule must then name its owner. Always so for GitHub Actions and
   * gitlab.com. Default true, and false with `jwks` or `trustDomain`.
   */
  readonly shared?: boolean | undefined
}

/** A checked rule. */
export interface ReadRule extends IssuerTerms {
  readonly options: WorkloadRule
  readonly audiences: readonly string[]
}

/** @param audiences the values of `aud` where the rule has none @throws Error that names the option at fault */
export function readRule(
  server: ServerContext,
  read: ReadIssuer,
  audiences: readonly string[],
  options: WorkloadRule,
): ReadRule {
  const { issuer, trustDomain, scopes, client } = options
  const option = `jwtBearer: the workload rule of ${client}`
  if (issuer === undefined && trustDomain === undefined)
    throw new Error(`${option} needs issuer or trustDomain`)
  checkConditions(option, options)
  const allowed = scopesWithoutUser(server.scopes)
  const wrong = scopes.find((name) => !allowed.includes(name))
  if (wrong !== undefined) throw new Error(`${option}: scopes: ${wrong} is no scope for client credentials`)
  if (scopes.length === 0) throw new Error(`${option}: scopes: must not be empty`)
  const terms = read(option, { ...options, svid: trustDomain !== undefined })
  return { options, audiences: options.audiences ?? audiences, ...terms }
}

/** Every user of the platform can get a token of these. */
const SHARED_ISSUERS = ['https://token.actions.githubusercontent.com', 'https://gitlab.com']
/** Claims that name an owner, and are never given to another one. */
const OWNER_ID = /^(repository|repository_owner|project|namespace|enterprise|organization|workspace)_id$/
const WILDCARD = /[/:]\*$/

/** @throws Error for a condition that lets other owners in */
function checkConditions(option: string, rule: WorkloadRule): void {
  const { claims, issuer = '', jwks, trustDomain } = rule
  const { shared = jwks === undefined && trustDomain === undefined } = rule
  const conditions = Object.entries(claims).map(([name, value]) => [name, [value].flat()] as const)
  const values = conditions.flatMap(([, list]) => list)
  if (values.length === 0 || conditions.some(([, list]) => list.length === 0))
    throw new Error(`${option}: claims must not be empty`)
  const wrong = values.find((value) => value.replace(WILDCARD, '').includes('*'))
  if (wrong !== undefined) throw new Error(`${option}: * may only end a value, after / or :, not ${wrong}`)
  if (!shared && !SHARED_ISSUERS.includes(issuer)) return
  if (!conditions.some(namesOwner))
    throw new Error(
      `${option}: others have tokens of ${issuer} too, so claims must name sub or an owner's id. If it is yours alone, set shared: false`,
    )
}

function namesOwner([name, values]: readonly [string, readonly string[]]): boolean {
  if (OWNER_ID.test(name)) return values.every((value) => !value.includes('*'))
  // `repo:*` is every repository of the platform.
  return name === 'sub' && values.every((value) => !value.endsWith('*') || value.includes('/'))
}

/** SPIFFE ID 2.1 to 2.3: no dot segment, no empty one, nothing percent-encoded. `/ns/prod/../dev` would meet `/ns/prod/*`. */
const SPIFFE_ID = /^spiffe:\/\/[a-z0-9._-]{1,255}(\/(?!\.{1,2}(\/|$))[\w.-]+)+$/
const MAX_SPIFFE_ID = 2048

/** Whether a rule is about the issuer of these claims, and about its trust domain. */
function isOfIssuer({ issuer, trustDomain }: WorkloadRule, { iss, sub }: JwtClaims): boolean {
  if (issuer !== undefined && iss !== issuer) return false
  const name = String(sub)
  if (name.startsWith('spiffe:') && !(name.length <= MAX_SPIFFE_ID && SPIFFE_ID.test(name))) return false
  return trustDomain === undefined || name.startsWith(`spiffe://${trustDomain}/`)
}

function differingClaims({ claims: required }: WorkloadRule, claims: JwtClaims): string[] {
  return Object.entries(required)
    .filter(([name, value]) => !holds([value].flat(), claimAt(claims, name)))
    .map(([name]) => name)
}

function holds(accepted: readonly string[], value: unknown): boolean {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return false
  const text = String(value)
  return accepted.some((one) =>
    one.endsWith('*') ? text.startsWith(one.slice(0, -1)) && text.length >= one.length : text === one,
  )
}

/** A claim by its name, or by the path to it. */
function claimAt(claims: JwtClaims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  const memberOf = (value: unknown, member: string) =>
    Object.hasOwn(Object(value), member) ? Object(value)[member] : undefined
  return name.split('/').reduce(memberOf, claims)
}
