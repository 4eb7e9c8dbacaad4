/**
 * Identity Assertion JWT Authorization Grant (draft-ietf-oauth-identity-assertion-authz-grant-04, ID-JAG), as Enterprise-Managed
 * Authorization of MCP profiles it (extension `io.modelcontextprotocol/enterprise-managed-authorization`, stable, June 2026): the
 * identity provider of an organization decides that a client may act for a user, and no consent page is shown.
 */
import * as z from 'zod'
import type { ServerContext } from '../../feature.ts'
import { requireKeyFor } from '../../grants/grant.ts'
import { CLOCK_TOLERANCE } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { canonicalResource } from '../../kernel/resource-indicator.ts'
import { includesAll, parseScope, partOf } from '../../kernel/scope.ts'
import { type JwtClaims, requireAudience, requireSignature } from '../../tokens/compact-jws.ts'
import { type Assertion, assertionId, endOf, JWT_ERRORS, JWT_GRANT_ERRORS } from './assertion.ts'
import { type ApprovedGrant, type GrantRequest, resourcesWithin, scopesWithin } from './issued-grant.ts'
import type { IssuerOptions, IssuerTerms, ReadIssuer } from './trusted-issuer.ts'

/** Finds the user of an ID-JAG. @returns the subject of an active user; `undefined` if there is none, and nothing is issued */
export type SubjectOf = (user: AssertedUser, trust: IdJagTrust) => Promise<string | undefined>

/** Which ID-JAGs are accepted, and whose they are. */
export interface IdJagRules {
  /** The trust of this issuer; it has the same issuer. */
  readonly trustOf: (issuer: string, clientId: string) => Promise<ReadTrust | undefined>
  readonly subjectOf: SubjectOf
}

/** What an ID-JAG gives (4.4.1). @throws OAuthError after which nothing is issued */
export async function approveIdJag(
  server: ServerContext,
  rules: IdJagRules | undefined,
  assertion: Assertion,
  request: GrantRequest,
): Promise<ApprovedGrant> {
  // Without trusts, an ID-JAG is a JWT of an unknown type.
  if (rules === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_typ)
  const { client } = request
  const now = server.now()
  const { iss } = assertion.claims
  const trusted = typeof iss === 'string' && iss !== server.issuer
  // `iss` only names the trust: nothing is fetched or stored for an issuer that is not trusted.
  const trust = trusted ? await rules.trustOf(iss, client.clientId) : undefined
  if (trust === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_issuer)
  requireClient(trust.options, client)
  await requireSignature(assertion.jws, trust.keys, now, JWT_ERRORS)
  const claims = readIdJagClaims(assertion.claims, trust.options, now)
  requireAudience(claims, [server.issuer], JWT_ERRORS)
  const exp = endOf(claims, trust.maxAssertionLifetime, now)
  // 4.4.1: the client that the issuer has issued it to, and no other.
  if (claims.client_id !== client.clientId) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_client)
  if (claims.cnf !== undefined && claims.cnf.jkt !== request.jkt)
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_key)
  const resources = resourcesOf(claims, trust, request)
  requireKeyFor(resources, server.boundResources, request.jkt)
  // EMA 7.2.1.
  const scopes = scopesWithin(trust.options.scopes, client, server.scopes, [claims.scope, request.scope])
  const user = assertedUser(claims, trust.options)
  const subject = await rules.subjectOf(user, trust.options)
  if (subject === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_subject)
  const { trustAcr, replay } = trust.options
  const id = assertionId(assertion.profile, claims.iss, claims.jti)
  const use = { id, exp, atMost: replay === 'until-exp' ? Number.POSITIVE_INFINITY : 1 }
  const { auth_time, acr, amr, act } = claims
  return {
    ...{ subject, scopes, resources, lifetime: trust.lifetime, use, amr },
    authTime: auth_time && Math.min(auth_time, now),
    ...(trustAcr && { acr }),
    authority: { issuer: user.issuer, subject: user.subject, tenant: user.tenant, actor: act?.sub },
  }
}

/** 8.1: a public client proves nothing, so whoever reads an ID-JAG could use it. */
function requireClient(trust: IdJagTrust, client: Client): void {
  const { clients } = trust
  const admitted =
    clients === 'integrations' ? client.origin === 'integration' : clients.includes(client.clientId)
  if (client.origin === 'registered' || !admitted) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_client)
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

// The claims of an ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant-04, 3.1).

const name = z.string().min(1).max(512)
const list = z.array(name).max(20)

/** `authorization_details` is refused: authority that is not understood must not be dropped in silence. */
const IdJagClaims = z.looseObject({
  iss: name,
  sub: name,
  client_id: z.string().min(1).max(2048),
  jti: name,
  iat: z.number(),
  resource: z.union([name, list.min(1)]).optional(),
  scope: z.string().optional(),
  authorization_details: z.never().optional(),
  auth_time: z.number().min(0).transform(Math.floor).optional(),
  acr: name.optional(),
  amr: list.optional(),
  email: name.optional(),
  email_verified: z.boolean().optional(),
  tenant: name.optional(),
  aud_tenant: name.optional(),
  aud_sub: name.optional(),
  sub_id: z.record(z.string(), z.unknown()).optional(),
  act: z.looseObject({ sub: name.optional() }).optional(),
  cnf: z.object({ jkt: z.string() }).strict().optional(),
})
type IdJagClaims = z.output<typeof IdJagClaims>

/** @throws OAuthError `invalid_grant` */
function readIdJagClaims(claims: JwtClaims, { tenants }: IdJagTrust, now: number): IdJagClaims {
  const read = IdJagClaims.safeParse(claims).data
  const hasScopes = read?.scope === undefined || parseScope(read.scope) !== undefined
  if (read === undefined || !hasScopes) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_claims)
  // Without it, a user of one organization would be taken for a user of another one (6).
  if (tenants === true && read.tenant === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_claims)
  // A time in milliseconds, for example: every demand for a recent sign-in would be met for ever.
  if (read.auth_time !== undefined && read.auth_time > now + CLOCK_TOLERANCE)
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_claims)
  return read
}

/** The user of an ID-JAG, for `subjectOf`. */
export interface AssertedUser {
  readonly issuer: string
  /** Opaque, and unique only at this issuer, and only within `tenant` if that is present. Never an id of this server. */
  readonly subject: string
  /** Present exactly if the trust says `tenants: true`. */
  readonly tenant?: string | undefined
  /**
   * An address that may link an account for the first time: its domain is in `linkByEmail`, and the issuer has verified it.
   * Require that the account has verified it too. Later only the link counts.
   */
  readonly linkableEmail?: string | undefined
  readonly clientId: string
  /** All claims of the ID-JAG, verified. Other members name a user only as the issuer says. */
  readonly claims: Readonly<Record<string, unknown>>
}

function assertedUser(claims: IdJagClaims, trust: IdJagTrust): AssertedUser {
  const { iss: issuer, sub: subject, tenant, client_id: clientId } = claims
  return {
    ...{ issuer, subject, clientId, claims },
    ...(trust.tenants === true && { tenant }),
    linkableEmail: linkableEmailOf(claims, trust),
  }
}

function linkableEmailOf(
  { email, email_verified }: IdJagClaims,
  { linkByEmail, emailsVerified = false }: IdJagTrust,
): string | undefined {
  // ASCII alone: another letter may only look like one of the domain, or become one in lower case.
  const domain = email?.match(/^[!-?A-~]+@([!-?A-~]+)$/)?.[1]?.toLowerCase()
  const isListed = linkByEmail?.domains.some((listed) => listed.toLowerCase() === domain)
  // An address that the issuer calls unverified is not, whatever the trust says.
  const isVerified = email_verified ?? emailsVerified
  return isListed && isVerified ? email : undefined
}

/** An identity provider whose ID-JAGs are accepted, and what they can give. */
export interface IdJagTrust extends IssuerOptions {
  /** Its issuer, byte for byte as in its ID-JAGs. */
  readonly issuer: string
  /** The ids of the clients that may present its ID-JAGs, or all clients that the operator registered. */
  readonly clients: readonly string[] | 'integrations'
  /** The scopes that an ID-JAG can give. Never `openid` or `offline_access`. */
  readonly scopes: readonly string[]
  /** The maximum lifetime of an ID-JAG, in seconds, at most 3600. Default 300. */
  readonly maxAssertionLifetime?: number | undefined
  /** Whether public clients may present them: whoever reads such an ID-JAG can use it. Default false. */
  readonly publicClients?: boolean | undefined
  /**
   * `once`: an ID-JAG is accepted once, as MCP requires. `until-exp`: again until it expires, which the draft allows. Default
   * `once`.
   */
  readonly replay?: 'once' | 'until-exp' | undefined
  /** Whether several organizations share the issuer: a user is then known by `tenant` too, which must be there. Default false. */
  readonly tenants?: boolean | undefined
  /**
   * The domains whose e-mail addresses may link a user for the first time. Default: none, so that no address links an account.
   */
  readonly linkByEmail?: { readonly domains: readonly string[] } | undefined
  /**
   * Whether its `acr` counts as a class of this server, for `requiring({ acr })` and in tokens: only for an issuer whose classes mean
   * what yours mean. Default false: `acr` is left out.
   */
  readonly trustAcr?: boolean | undefined
  /** Whether every address that it asserts is verified. Default: only with the claim `email_verified`. */
  readonly emailsVerified?: boolean | undefined
}

/** A checked trust. */
export interface ReadTrust extends IssuerTerms {
  readonly options: IdJagTrust
}

/** Scopes that the answer could not honour: it has no ID token and no refresh token. */
const NEVER_GIVEN = ['openid', 'offline_access']

/** @throws Error that names the option at fault */
export function readTrust(server: ServerContext, read: ReadIssuer, options: IdJagTrust): ReadTrust {
  const option = `jwtBearer: the trust of ${options.issuer}`
  const { scopes, maxAssertionLifetime = 300 } = options
  const { scopes: catalogue } = server
  const wrong = scopes.find((name) => !Object.hasOwn(catalogue, name) || NEVER_GIVEN.includes(name))
  if (wrong !== undefined) throw new Error(`${option}: ${wrong} is no scope for an assertion`)
  // The user is asked for a restricted one each time.
  const interactive = scopes.find((name) => catalogue[name]?.interactive || catalogue[name]?.restricted)
  if (interactive !== undefined) throw new Error(`${option}: only the user can allow ${interactive}`)
  if (scopes.length === 0) throw new Error(`${option}: scopes must not be empty`)
  return { options, ...read(option, { ...options, maxAssertionLifetime }) }
}
