/**
 * The token endpoint (RFC 6749 3.2): it exchanges a form for tokens. Each grant type has a file or a folder of its own.
 * This file holds what they share.
 */
import * as z from 'zod'
import type { ClientEndpoint } from '../clients/client-endpoint.ts'
import { endpointPath, type PathOptions } from '../http/endpoint.ts'
import { type HttpRequest, type HttpResponse, json } from '../http/http.ts'
import { readMessage, text } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Observer } from '../kernel/observer.ts'
import type { Client } from '../kernel/records.ts'
import type { Limiter } from '../limits/rate-limits.ts'
import { type AccessTokenFormat, formatRefreshToken, grantIdOf, tokenType } from '../tokens/credential.ts'
import type { SenderConstraint } from '../tokens/proof-of-possession.ts'
import { prefetch, presentedRecords } from './change-grant.ts'
import type { IssuedTokens, Outcome } from './grant.ts'
import {
  type AssertCanRespond,
  type Exchanged,
  type GrantType,
  type IssuedTerms,
  type PrepareResponse,
  requireWithinTerms,
  type TokenMembers,
  type TokenRequest,
  type TokenResponse,
} from './grant-type.ts'
import {
  asItIs,
  claimsOfRequest,
  type OperatorClaims,
  operatorClaims,
  type ResponseClaims,
  type TokenClaimsOptions,
} from './operator-claims.ts'

export const GRANT_TYPE_ERRORS = defineErrors({
  grant_type_unsupported: ['unsupported_grant_type', 'Unsupported grant_type. See grant_types_supported'],
  grant_type_not_registered: [
    'unauthorized_client',
    'The client is not registered for this grant_type. Add it to grant_types of the registration',
  ],
})

const GrantTypeParameter = z.object({ grant_type: text() })

export interface TokenEndpointOptions extends PathOptions<'token'>, TokenClaimsOptions {
  /**
   * Whether answers name the resources of the access token (draft-mcguinness-oauth-resource-token-resp), so that a client
   * cannot take it for the token of another resource. Default: false.
   */
  readonly resourceInTokenResponse?: boolean | undefined
}

interface TokenEndpointContext extends TokenResponseContext {
  readonly grantTypes: readonly GrantType[]
  readonly terms: IssuedTerms
  readonly observer: Observer | undefined
  readonly assertCanRespond: AssertCanRespond
  readonly claims: OperatorClaims | undefined
  readonly limiter: Limiter
}

/** A token request whose client is not known yet. */
interface Presented extends Pick<TokenRequest, 'form' | 'arrivedAt' | 'prefetched'> {
  /** Absent for a name that the server does not know. */
  readonly grantType: GrantType | undefined
}

/** The authenticated client, and its request. */
interface ClientRequest {
  readonly client: Client
  readonly http: HttpRequest
  readonly constraint: SenderConstraint | undefined
}

/** The query string is not read (RFC 6749 2.3.1). */
export function tokenEndpoint(
  kernel: Kernel,
  options: TokenEndpointOptions,
  offers: Omit<TokenEndpointContext, 'namedResources' | 'assertCanRespond' | 'observer' | 'claims'>,
): { clientEndpoints: ClientEndpoint[] } {
  const { paths, resourceInTokenResponse = false } = options
  const context: TokenEndpointContext = {
    ...offers,
    observer: kernel.observer,
    claims: operatorClaims(kernel, options),
    namedResources: resourceInTokenResponse ? kernel.resources : undefined,
    assertCanRespond(client, grant) {
      for (const members of offers.tokenMembers) members.precheck(client, grant)
    },
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
      const credential = form[grantType?.credential ?? '']
      return presentedRecords(kernel.store, credential, { ...named, ...grantType })
    },
    clientOf: (form) => byName.get(String(form.grant_type))?.clientOf?.(form),
    begin(form) {
      // Before anything is awaited. While the process stood still, the request may have waited unread.
      const arrivedAt = kernel.now() - kernel.standstill()
      const { grant_type } = readMessage(GrantTypeParameter, form)
      const grantType = byName.get(grant_type)
      const { credential } = grantType ?? {}
      const prefetched =
        credential === undefined ? undefined : prefetch(kernel.store, form[credential], grantType)
      const presented = { form, arrivedAt, grantType, prefetched }
      return (client, http, constraint) => answerToken(context, presented, { client, http, constraint })
    },
  }
  return { clientEndpoints: [token] }
}

async function answerToken(
  context: TokenEndpointContext,
  { form, arrivedAt, grantType, prefetched }: Presented,
  { client, http, constraint }: ClientRequest,
): Promise<HttpResponse> {
  const { grantTypes, assertCanRespond, terms, observer } = context
  if (grantType === undefined) throw unsupported(grantTypes)
  if (!client.grantTypes.includes(grantType.name))
    throw new OAuthError(GRANT_TYPE_ERRORS.grant_type_not_registered)
  // Before the exchange: a request that must come again with a nonce has spent nothing (RFC 9449 8).
  const key = constraint?.provenKey(http, client)
  const jkt = key?.thumbprint
  for (const members of context.tokenMembers) {
    const waiting = prefetched && members.ready?.(client, prefetched)
    if (waiting !== undefined) await waiting
  }
  const claims = context.claims && claimsOfRequest(context.claims, context.accessTokens, client)
  const prepare = claims?.prepareResponse ?? asItIs
  const isOfFeature = terms.grantTypes.includes(grantType)
  const prepared = isOfFeature
    ? checking((issued) => requireWithinTerms(grantType, client, issued, terms), prepare)
    : prepare
  const refreshes = grantType.name === 'refresh_token'
  const prepareResponse = hasLimits(client)
    ? countingTokens(context.limiter, { client, refreshes, prepareResponse: prepared })
    : prepared
  const request = { client, form, arrivedAt, prefetched, assertCanRespond, prepareResponse, jkt, http }
  const exchanged = await grantType.exchange(request)
  // A feature may prepare no response.
  if (isOfFeature) requireWithinTerms(grantType, client, exchanged, terms)
  const answered = { client, exchanged, claims: claims && (await claims.of(exchanged)) }
  const response = tokenResponse(answered, context)
  const answer = json(200, response instanceof Promise ? await response : response, key?.headers)
  const { grant, issued } = exchanged
  observer?.report({ fact: 'tokens_issued', grantType: grantType.name, grant, issued }, http)
  return answer
}

/** Checks the terms of the server before anything is written. */
function checking(
  requireTerms: (issued: Pick<Exchanged, 'grant' | 'issued'>) => void,
  prepareResponse: PrepareResponse,
): PrepareResponse {
  return (outcome, issuedTokenType) => {
    if (outcome.kind !== 'ended') requireTerms({ grant: outcome.grant, issued: outcome.result })
    return prepareResponse(outcome, issuedTokenType)
  }
}

function unsupported(grantTypes: readonly GrantType[]): OAuthError {
  const names = grantTypes.map(({ name }) => name).join(' or ')
  return new OAuthError(GRANT_TYPE_ERRORS.grant_type_unsupported, `grant_type must be ${names}`)
}

// The response to a token request (RFC 6749 5.1).

interface TokenResponseContext {
  readonly accessTokens: AccessTokenFormat
  readonly tokenMembers: readonly TokenMembers[]
  /** Where an access token is valid that is bound to no resource; absent if answers do not name resources. */
  readonly namedResources?: readonly string[] | undefined
}

/** An exchange, with the claims of the operator for its answer. */
interface Answered {
  readonly client: Client
  readonly exchanged: Exchanged
  readonly claims: ResponseClaims | undefined
}

/** The answer to an exchange, with the members of all features. Returns a promise only if one of them needs time. */
function tokenResponse(
  answered: Answered,
  context: TokenResponseContext,
): TokenResponse | Promise<TokenResponse> {
  const { exchanged, claims } = answered
  const { grant, issued, issuedTokenType } = exchanged
  const { refreshToken, scopes, expiresIn, jkt } = issued
  const { accessTokens, namedResources } = context
  const secret = { grantId: grant.id, secret: issued.accessToken }
  const written = accessTokens.write(secret, grant, claims?.accessToken)
  const response = {
    // A promise of it is replaced below.
    access_token: written as string,
    issued_token_type: issuedTokenType,
    token_type: tokenType(jkt),
    expires_in: expiresIn,
    scope: scopes.join(' '),
    refresh_token: refreshToken && formatRefreshToken({ grantId: grant.id, ...refreshToken }),
    resource: namedResources && resourceOf(issued, namedResources),
  }
  if (typeof written === 'string') return withMembers(answered, response, context)
  return written.then((access_token) => withMembers(answered, { ...response, access_token }, context))
}

function resourceOf(
  { resources: bound }: IssuedTokens,
  all: readonly string[],
): string | readonly string[] | undefined {
  const resources = bound.length === 0 ? all : bound
  return resources.length === 1 ? resources[0] : resources
}

function withMembers(
  { client, exchanged, claims }: Answered,
  response: TokenResponse,
  { tokenMembers }: TokenResponseContext,
): TokenResponse | Promise<TokenResponse> {
  if (exchanged.issuedTokenType !== undefined) return response
  let added: readonly Promise<object>[] | undefined
  for (const members of tokenMembers) {
    const more = members.membersOf(client, exchanged, response, claims?.idToken)
    if (more !== undefined) added = [...(added ?? []), more]
  }
  return added === undefined ? response : joined(response, added)
}

/** No feature replaces a member of core, or of a feature before it. */
async function joined(response: TokenResponse, added: readonly Promise<object>[]): Promise<TokenResponse> {
  return Object.assign(response, ...(await Promise.all(added)).reverse(), { ...response })
}

// Limits that the operator sets for one client. They count what the client gets, at the token endpoint: failed requests do not
// count, so a caller without its credentials cannot use up its limit.

export const CLIENT_LIMIT_ERRORS = defineErrors({
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

/** What a client may have. Absent: no limit. */
type ClientLimits = Pick<Client, 'tokensPerMinute' | 'grantsPerHour'>

/** A request of a client that is about to get tokens. */
interface CountedRequest {
  readonly client: ClientLimits & Pick<Client, 'clientId'>
  /** Whether tokens of this request belong to a grant that had tokens before. */
  readonly refreshes: boolean
  /** The last step before the tokens are written. */
  readonly prepareResponse: PrepareResponse
}

export function hasLimits({ tokensPerMinute, grantsPerHour }: ClientLimits): boolean {
  return tokensPerMinute !== undefined || grantsPerHour !== undefined
}

/** The last step with the count: what fails before it is not counted, and above a limit no code and no refresh token is used up. */
export function countingTokens(limiter: Limiter, request: CountedRequest): PrepareResponse {
  const { client, prepareResponse } = request
  let counted = false
  return async (outcome, issuedTokenType) => {
    const prepared = await prepareResponse(outcome, issuedTokenType)
    // The transition may run again, after another request has changed the grant.
    if (counted || !hasNewTokens(prepared)) return prepared
    counted = true
    await count(limiter, client, request.refreshes || issuedTokenType !== undefined)
    return prepared
  }
}

/** A repeated answer has no new tokens. */
function hasNewTokens(outcome: Outcome<IssuedTokens>): boolean {
  return outcome.kind !== 'ended' && outcome.result.retried === undefined
}

const MINUTE = 60
const HOUR = 60 * MINUTE

/** @throws OAuthError 429 (RFC 6585 4) */
async function count(
  limiter: Limiter,
  { clientId, tokensPerMinute, grantsPerHour }: CountedRequest['client'],
  refreshes: boolean,
): Promise<void> {
  const { client_over_token_limit, client_over_grant_limit } = CLIENT_LIMIT_ERRORS
  const tokens = named('client_tokens', tokensPerMinute, MINUTE)
  const grants = refreshes ? undefined : named('client_grants', grantsPerHour, HOUR)
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
