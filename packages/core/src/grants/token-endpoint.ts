/**
 * The token endpoint (RFC 6749 3.2): it exchanges a form for tokens. Each grant type has a file or a folder of its own.
 * This file holds what they share.
 */
import * as z from 'zod'
import type { ClientEndpoint } from '../clients/client-endpoint.ts'
import { endpointPath, type PathOptions } from '../http/endpoint.ts'
import { type HttpRequest, type HttpResponse, json } from '../http/http.ts'
import { type Parameters, readMessage, text } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError, SERVER_ERRORS, withCode } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { plainResources } from '../kernel/resource-indicator.ts'
import { pauseAfter } from '../kernel/time.ts'
import type { Limiter } from '../limits/rate-limits.ts'
import { type AccessTokenFormat, formatRefreshToken, grantIdOf, tokenType } from '../tokens/credential.ts'
import type { SenderConstraint } from '../tokens/proof-of-possession.ts'
import { MAX_ATTEMPTS, type PrefetchedGrant, prefetch, presentedRecords } from './change-grant.ts'
import {
  type ExchangePlan,
  type GrantType,
  type IssuedTerms,
  type MakeMembers,
  requireWithinTerms,
  type TokenMembers,
  type TokenResponse,
} from './grant-type.ts'
import {
  claimsOfPlan,
  type OperatorClaims,
  operatorClaims,
  type TokenClaimsOptions,
} from './operator-claims.ts'
import type { WithTerms } from './request-terms.ts'

export const GRANT_TYPE_ERRORS = defineErrors({
  grant_type_unsupported: ['unsupported_grant_type', 'Unsupported grant_type. See grant_types_supported'],
  grant_type_not_registered: [
    'unauthorized_client',
    'The client is not registered for this grant_type. Register with it, or ask the operator',
  ],
})

const GrantTypeParameter = z.object({ grant_type: text() })

export interface TokenEndpointOptions extends PathOptions<'token'>, TokenClaimsOptions {
  /**
   * Whether answers name the resources of the access token (draft-mcguinness-oauth-resource-token-resp), so that a client
   * cannot take it for the token of another resource. Default: false.
   */
  readonly resourceInTokenResponse?: boolean | undefined
  /**
   * Whether answers with a refresh token say when it ends, in seconds: `refresh_token_timeout` is the time in which it must be
   * used, `authorization_expires_in` the time after which the user must sign in again (draft-ietf-oauth-refresh-token-expiration-03,
   * 6.1 and 8, which is not final). Default: false.
   */
  readonly refreshTokenExpiration?: boolean | undefined
}

interface TokenOffers {
  readonly grantTypes: readonly GrantType[]
  readonly terms: IssuedTerms
  readonly accessTokens: AccessTokenFormat
  readonly tokenMembers: readonly TokenMembers[]
  readonly limiter: Limiter
}

interface TokenContext extends TokenOffers {
  readonly kernel: Kernel & WithTerms
  readonly claims: OperatorClaims | undefined
  /** Where an access token is valid that is bound to no resource; absent if answers do not name resources. */
  readonly namedResources: readonly string[] | undefined
  readonly saysWhenItEnds: boolean
}

interface ClientTokenRequest {
  readonly form: Parameters
  readonly arrivedAt: number
  /** Absent for a name that the server does not know. */
  readonly grantType: GrantType | undefined
  readonly prefetched: PrefetchedGrant | undefined
  readonly client: Client
  readonly http: HttpRequest
  readonly constraint: SenderConstraint | undefined
}

/** The query string is not read (RFC 6749 2.3.1). */
export function tokenEndpoint(
  kernel: Kernel & WithTerms,
  options: TokenEndpointOptions,
  offers: TokenOffers,
): { clientEndpoints: ClientEndpoint[]; metadata: Readonly<Record<string, unknown>> } {
  const { paths, resourceInTokenResponse = false, refreshTokenExpiration = false } = options
  const context: TokenContext = {
    ...offers,
    kernel,
    claims: operatorClaims(kernel, options),
    namedResources: resourceInTokenResponse ? plainResources(kernel.resources) : undefined,
    saysWhenItEnds: refreshTokenExpiration,
  }
  // It is watched from now on, not from the first request on.
  kernel.standstill()
  const { accessTokens } = context
  const named = {
    read: (text: string) => accessTokens.read(text),
    // A subject token may be signed.
    grantIdOf: (text: string) => grantIdOf(text) ?? accessTokens.grantIdOf(text),
  }
  const byName = new Map(context.grantTypes.map((grantType) => [grantType.name, grantType]))
  const token: ClientEndpoint = {
    path: endpointPath('token', paths?.token, '/api/oauth/token'),
    metadataName: 'token_endpoint',
    listsAuthMethods: true,
    summary: 'Exchange a grant for tokens (RFC 6749 3.2)',
    recordsOf(form) {
      const grantType = byName.get(String(form.grant_type))
      return presentedRecords(kernel.store, credentialIn(form, grantType), { ...named, ...grantType })
    },
    clientOf: (form) => byName.get(String(form.grant_type))?.clientOf?.(form),
    begin(form, now) {
      // While the process stood still, the request may have waited unread.
      const arrivedAt = now - kernel.standstill()
      const { grant_type } = readMessage(GrantTypeParameter, form)
      const grantType = byName.get(grant_type)
      const prefetched = prefetch(kernel.store, credentialIn(form, grantType), grantType)
      return (client, http, constraint) =>
        answerToken(context, { form, arrivedAt, grantType, prefetched, client, http, constraint })
    },
  }
  const types = refreshTokenExpiration ? ['authorization', 'token_timeout'] : undefined
  return { clientEndpoints: [token], metadata: { refresh_token_expiration_types_supported: types } }
}

const credentialIn = (form: Parameters, grantType: GrantType | undefined): unknown =>
  grantType?.credential && form[grantType.credential]

/**
 * Plans the answer, checks the plan, and commits it: what the checks refuse has consumed nothing. A commit that loses against another
 * request begins again, from the record that this one wrote.
 */
async function answerToken(
  context: TokenContext,
  { form, arrivedAt, grantType, prefetched, client, http, constraint }: ClientTokenRequest,
): Promise<HttpResponse> {
  const { kernel, grantTypes, terms, accessTokens, tokenMembers, limiter } = context
  requireRegistered(grantTypes, grantType, client)
  // Before the exchange: a request that must come again with a nonce has spent nothing (RFC 9449 8).
  const key = constraint?.provenKey(http, client)
  const jkt = key?.thumbprint
  let isCounted = !hasLimits(client)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, kernel)
    const read = attempt === 0 ? prefetched : prefetch(kernel.store, credentialIn(form, grantType), grantType)
    const stored = await read?.found
    // Read once the record is there, and again for a later record: the process may have stood still since the request arrived, and
    // tokens live from now on. `arrivedAt` alone says how late a request is.
    const now = kernel.now()
    const request = { client, form, arrivedAt, now, stored, transient: read?.transient, jkt, http }
    const planned = grantType.exchange(request)
    const plan = planned instanceof Promise ? await planned : planned
    kernel.requestTerms?.refuseAbsent(form, plan.grant)
    if (terms.grantTypes.includes(grantType)) requireWithinTerms(grantType, request, plan, terms)
    const members: MakeMembers[] = []
    // An exchanged token comes alone.
    for (const feature of plan.issuedTokenType === undefined ? tokenMembers : []) {
      const prepared = feature.prepare(request, plan)
      const make = prepared instanceof Promise ? await prepared : prepared
      if (make !== undefined) members.push(make)
    }
    const claims = context.claims && (await claimsOfPlan(context.claims, accessTokens, client, plan))
    // A repeated answer has no new tokens.
    if (!isCounted && plan.issued.retried === undefined) {
      const refreshes = grantType.name === 'refresh_token' || plan.issuedTokenType !== undefined
      await countTokens(limiter, client, refreshes)
      isCounted = true
    }
    if (plan.commit !== undefined && !(await plan.commit())) continue
    for (const event of plan.events ?? []) kernel.emit(event)
    const secret = { grantId: plan.grant.id, secret: plan.issued.accessToken }
    const ofTerms = kernel.requestTerms?.claimsOf(plan)
    const ofToken = ofTerms ? { ...claims?.accessToken, ...ofTerms('access_token') } : claims?.accessToken
    const written = accessTokens.write(secret, plan.grant, ofToken, now)
    const accessToken = written instanceof Promise ? await written : written
    const response = tokenResponse(plan, accessToken, now, context)
    // No feature replaces a member of core, or of a feature before it.
    if (ofTerms) Object.assign(response, ofTerms('token_response'), { ...response })
    const ofIdToken = ofTerms ? { ...claims?.idToken, ...ofTerms('id_token') } : claims?.idToken
    for (const make of members) Object.assign(response, await make(response, ofIdToken), { ...response })
    const { grant, issued } = plan
    kernel.observer?.report({ fact: 'tokens_issued', grantType: grantType.name, grant, issued }, http)
    return json(200, response, key?.headers)
  }
  throw new OAuthError(SERVER_ERRORS.contention)
}

function requireRegistered(
  offered: readonly GrantType[],
  grantType: GrantType | undefined,
  client: Client,
): asserts grantType is GrantType {
  if (grantType === undefined) {
    const names = offered.map(({ name }) => name).join(' or ')
    throw new OAuthError(GRANT_TYPE_ERRORS.grant_type_unsupported, `grant_type must be ${names}`)
  }
  if (!client.grantTypes.includes(grantType.name))
    throw new OAuthError(GRANT_TYPE_ERRORS.grant_type_not_registered)
}

/** The response to a token request (RFC 6749 5.1), without the members of features. */
function tokenResponse(
  { grant, issued, issuedTokenType }: ExchangePlan,
  access_token: string,
  now: number,
  { namedResources, saysWhenItEnds }: TokenContext,
): TokenResponse {
  const { refreshToken, scopes, expiresIn, jkt, resources: bound } = issued
  const resources = namedResources && (bound.length === 0 ? namedResources : bound)
  return {
    access_token,
    issued_token_type: issuedTokenType,
    token_type: tokenType(jkt),
    expires_in: expiresIn,
    scope: scopes.join(' '),
    refresh_token: refreshToken && formatRefreshToken({ grantId: grant.id, ...refreshToken }),
    resource: resources?.length === 1 ? resources[0] : resources,
    ...(saysWhenItEnds && refreshToken && grant.refresh && endsOf(grant.expiresAt, grant.refresh, now)),
  }
}

/** "This value SHALL NOT exceed the value in authorization_expires_in" (6.1), whatever a grant type of a feature stored. */
function endsOf(grantEnd: number, refresh: { readonly expiresAt: number }, now: number) {
  const authorization_expires_in = grantEnd - now
  const refresh_token_timeout = Math.min(refresh.expiresAt - now, authorization_expires_in)
  return { refresh_token_timeout, authorization_expires_in }
}

// Limits that the operator sets for one client. They count what the client gets, at the token endpoint: failed requests do not
// count, so a caller without its credentials cannot use up its limit.

export const CLIENT_LIMIT_ERRORS = defineErrors({
  ...withCode('temporarily_unavailable', {}),
  client_over_token_limit: [
    'temporarily_unavailable',
    'The client has had as many tokens in a minute as the operator lets it have. Try again later',
    429,
  ],
  client_over_grant_limit: [
    'temporarily_unavailable',
    'The client has had as many new grants in an hour as the operator lets it have. Try again later',
    429,
  ],
})

export function hasLimits({ tokensPerMinute, grantsPerHour }: Partial<Client>): boolean {
  return tokensPerMinute !== undefined || grantsPerHour !== undefined
}

/** Counts new tokens. @param refreshes whether their grant had tokens before @throws OAuthError 429 (RFC 6585 4) */
export async function countTokens(
  limiter: Limiter,
  { clientId, tokensPerMinute, grantsPerHour }: Client,
  refreshes: boolean,
): Promise<void> {
  const { client_over_token_limit, client_over_grant_limit } = CLIENT_LIMIT_ERRORS
  const tokens = named('client_tokens', tokensPerMinute, 60)
  const grants = refreshes ? undefined : named('client_grants', grantsPerHour, 60 * 60)
  const waitForToken = tokens && (await limiter.take(tokens.name, clientId, tokens.window))
  if (waitForToken) throw new OAuthError(client_over_token_limit, undefined, { retryAfter: waitForToken })
  const waitForGrant = grants && (await limiter.take(grants.name, clientId, grants.window))
  if (!waitForGrant) return
  // The client gets no token.
  if (tokens) await limiter.refund(tokens.name, clientId)
  throw new OAuthError(client_over_grant_limit, undefined, { retryAfter: waitForGrant })
}

/** A rate limiter knows a window by its name, so the name has the points: clients with other points have another window. */
function named(limit: string, points: number | undefined, seconds: number) {
  if (points === undefined) return undefined
  return { name: `${limit}_${points}`, window: { points, seconds, withoutLimiter: true } } as const
}
