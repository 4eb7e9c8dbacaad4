import * as z from 'zod'
import { withRemainingScopes } from '../clients/client-record.ts'
import { type Parameters, ResourceParameter, readMessage, text } from '../http/message.ts'
import type { BaseEvent } from '../kernel/events.ts'
import { claimsAbout, type Kernel, SUBJECT_ERRORS, type SubjectOptions } from '../kernel/kernel.ts'
import { defineErrors, OAuthError, ownedBy } from '../kernel/oauth-error.ts'
import type { Client, Grant, RefreshState } from '../kernel/records.ts'
import { narrowedResources } from '../kernel/resource-indicator.ts'
import { narrowedScopes, partOf } from '../kernel/scope.ts'
import { newId, type ServerSecret, type SuccessorKeys, sha256, successorKeys } from '../kernel/secrets.ts'
import { parseRefreshToken, type RefreshToken } from '../tokens/credential.ts'
import { planOf, prefetch } from './change-grant.ts'
import { addAccessToken, type IssuedTokens, type Outcome } from './grant.ts'
import { type ArrivedRequest, type GrantTerms, type Retry, termsOf } from './grant-terms.ts'
import type { ExchangePlan, GrantType, TokenRequest } from './grant-type.ts'
import { type RefreshTokenSecret, type Repeat, rotatedState, tokenState } from './refresh-token-state.ts'

export const REFRESH_ERRORS = defineErrors({
  refresh_token_unknown: ['invalid_grant', 'The refresh token is not valid. The user must authorize again'],
  refresh_token_expired: ['invalid_grant', 'The refresh token has expired. The user must authorize again'],
  refresh_token_of_other_client: [
    'invalid_grant',
    'The refresh token is not valid. The user must authorize again',
  ],
  refresh_token_replaced: [
    'invalid_grant',
    'The refresh token was replaced a moment ago. Use the newest one',
  ],
  refresh_token_reused: [
    'invalid_grant',
    'The refresh token was used before, so its tokens are revoked. The user must authorize again',
  ],
  refresh_retry_differs: [
    'invalid_grant',
    'The refresh token was used a moment ago for another scope or resource. Use the newest one',
  ],
  refresh_retry_key_gone: [
    'invalid_grant',
    'The refresh token was used before, and its answer cannot be repeated. The user must authorize again',
  ],
  client_changed: [
    'invalid_grant',
    'The client has changed since the user allowed it. The user must authorize again',
  ],
  refresh_token_of_other_key: [
    'invalid_dpop_proof',
    'The refresh token is bound to a key. Send a DPoP proof of this key',
  ],
  refresh_token_of_other_method: [
    'invalid_client',
    'The client must use the authentication method with which it got its first token',
  ],
})

export interface RefreshRequest extends ArrivedRequest {
  readonly token: RefreshTokenSecret
  /** The authenticated client. */
  readonly client: Client
  readonly scope: string | undefined
  readonly resources: readonly string[]
  readonly knownResources: readonly string[]
  /** Fresh randomness, used only if the token is rotated. */
  readonly salt: string
  readonly keys: SuccessorKeys
  /** The thumbprint of the key that the request proves. */
  readonly jkt?: string | undefined
}

/** The answer to a refresh. */
export interface Refreshed extends IssuedTokens {
  readonly refreshToken: RefreshTokenSecret
  /** Whether a live access token was removed. */
  readonly dropped: boolean
}

/**
 * Rotates the refresh token (RFC 6749 6, RFC 9700 4.14.2), unless its client keeps it. The new tokens are derived from the
 * presented token, so a retry gets the same pair and mints nothing.
 *
 * @throws OAuthError when nothing is consumed
 */
export function rotateRefreshToken(
  stored: Grant,
  request: RefreshRequest,
  now: number,
  serverTerms: GrantTerms,
): Outcome<Refreshed> {
  const grant = withRemainingScopes(stored, request.client)
  const terms = termsOf(serverTerms, grant, request.client)
  const state = usableState(grant, request, now, terms)
  if (state === 'spent') return { kind: 'ended', refusal: REFRESH_ERRORS.refresh_token_reused }
  const { client, token, salt, keys, jkt } = request
  const scopes = narrowedScopes(request.scope, grant.scopes, grant.withheldScopes)
  const resources = narrowedResources(request.resources, grant.resources, request.knownResources)
  if ('retried' in state) return repeated(grant, state, { request, scopes, resources }, now)
  const [accessToken, secret] = keys.derive(token.secret + salt)
  const access = { secret: accessToken, scopes, resources, jkt }
  const { accessTokens, expiresIn, dropped } = addAccessToken(grant, access, now, terms)
  const keeps = terms.refreshTokenRotation === 'public-clients' && client.tokenEndpointAuthMethod !== 'none'
  const refreshToken = keeps ? token : { ...token, generation: token.generation + 1, secret }
  const rotation = { client, salt, keyId: keys.keyId, rotatedAt: now, scopes, resources, jkt }
  const next = keeps ? state : rotatedState(state, refreshToken, rotation, terms.refreshRetryWindow)
  const refresh = { ...next, expiresAt: Math.min(now + terms.refreshToken, grant.expiresAt) }
  return {
    kind: 'changed',
    grant: { ...grant, usedAt: now, accessTokens, refresh },
    result: { accessToken, refreshToken, scopes, resources, expiresIn, dropped, jkt },
  }
}

/** The state of a token that its client may use. @throws OAuthError for any other token */
function usableState(
  grant: Grant,
  request: RefreshRequest,
  now: number,
  terms: GrantTerms,
): RefreshState | Repeat | 'spent' {
  const { client, jkt } = request
  const { refresh } = grant
  const state = tokenState(grant, request, terms)
  if (refresh === undefined || state === 'unknown') throw new OAuthError(REFRESH_ERRORS.refresh_token_unknown)
  if (client.clientId !== grant.clientId)
    throw new OAuthError(REFRESH_ERRORS.refresh_token_of_other_client, undefined, ownedBy(grant))
  if (now >= refresh.expiresAt) throw new OAuthError(REFRESH_ERRORS.refresh_token_expired)
  if (refresh.authMethod !== undefined && refresh.authMethod !== client.tokenEndpointAuthMethod)
    throw new OAuthError(REFRESH_ERRORS.refresh_token_of_other_method)
  // A copy is useless without the key, and must not end the grant.
  if (refresh.jkt !== undefined && refresh.jkt !== jkt)
    throw new OAuthError(REFRESH_ERRORS.refresh_token_of_other_key)
  if (state === 'replaced') throw new OAuthError(REFRESH_ERRORS.refresh_token_replaced)
  return state
}

const ANOTHER_KEY = 'The refresh token was used a moment ago with another key. Use the same key'

interface Repetition {
  readonly request: RefreshRequest
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

/**
 * Repeats the answer of the last rotation. If two callers may hold the token, the grant records that. From then on both would
 * have to refresh within one retry window of each other, or the grant ends.
 *
 * @throws OAuthError for a request that differs from the one of the rotation
 */
function repeated(
  grant: Grant,
  { retried, rotation, refresh }: Repeat,
  { request, ...requested }: Repetition,
  now: number,
): Outcome<Refreshed> {
  const { token, keys, jkt } = request
  const { scopes, resources } = rotation
  // The client may have lost some since.
  const remaining = partOf(scopes, grant.scopes)
  if (!sameList(requested.scopes, remaining) || !sameList(requested.resources, resources))
    throw new OAuthError(REFRESH_ERRORS.refresh_retry_differs)
  if (rotation.jkt !== jkt) throw new OAuthError(REFRESH_ERRORS.refresh_retry_differs, ANOTHER_KEY)
  const derived = keys.deriveAgain(token.secret + rotation.salt, rotation.keyId)
  if (derived === undefined) throw new OAuthError(REFRESH_ERRORS.refresh_retry_key_gone)
  const [accessToken, secret] = derived
  const refreshToken = { ...token, generation: token.generation + 1, secret }
  const access = grant.accessTokens.find((issued) => issued.hash === sha256(accessToken))
  // An access token that was revoked since then stays revoked; with 0 the client refreshes at once.
  const expiresIn = Math.max((access?.expiresAt ?? now) - now, 0)
  const result = { accessToken, refreshToken, scopes, resources, expiresIn, retried, dropped: false, jkt }
  const shares = retried === 'late' || rotation.ofShared === true
  return shares && refresh.shared === undefined
    ? { kind: 'changed', grant: { ...grant, refresh: { ...refresh, shared: true } }, result }
    : { kind: 'unchanged', grant, result }
}

function sameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item) => right.includes(item))
}

/** RFC 6749 6, RFC 8707 2.2. */
const RefreshTokenRequest = z.object({
  refresh_token: text(),
  scope: text().optional(),
  resource: ResourceParameter,
})

export interface RefreshEvent {
  /**
   * `refresh_token_retried`: the answer to a rotation is sent again, perhaps because it was lost; no new token is minted.
   * `refresh_token_kept`: the client got a new access token, and its refresh token stays.
   */
  readonly type: 'refresh_token_rotated' | 'refresh_token_retried' | 'refresh_token_kept'
  readonly grantId: string
  readonly clientId: string
  readonly generation: number
  /** `late`: the retry window was over, so two callers may hold the refresh token. Absent unless it is a retry. */
  readonly retried?: Retry | undefined
}

/** A grant had as many live access tokens as it may: the oldest no longer works. */
export interface AccessTokenDropped {
  readonly type: 'access_token_dropped'
  readonly grantId: string
  readonly clientId: string
}

/** Exchanges a refresh token for its successor and a new access token, without asking the user. */
export function refreshToken(
  kernel: Kernel,
  { claims, secret }: SubjectOptions & { readonly secret: ServerSecret },
  terms: GrantTerms,
): { grantTypes: GrantType[] } {
  const context = { claims, terms, keys: successorKeys(secret) }
  const grantType: GrantType = {
    name: 'refresh_token',
    message: RefreshTokenRequest,
    credential: 'refresh_token',
    selfRegistered: true,
    clientOf: (form) => clientOfToken(kernel, form),
    exchange: (request) => exchangeRefreshToken(kernel, context, request),
  }
  return { grantTypes: [grantType] }
}

async function clientOfToken({ store }: Kernel, form: Parameters): Promise<string> {
  const { refresh_token } = readMessage(RefreshTokenRequest, form)
  const stored = await prefetch(store, refresh_token)?.found
  // A grant that has ended has no client.
  if (!stored?.value.clientId) throw new OAuthError(REFRESH_ERRORS.refresh_token_unknown)
  return stored.value.clientId
}

interface RefreshContext extends SubjectOptions {
  readonly terms: GrantTerms
  readonly keys: SuccessorKeys
}

async function exchangeRefreshToken(
  kernel: Kernel,
  { claims, terms, keys }: RefreshContext,
  { client, form, arrivedAt, now, stored, jkt }: TokenRequest,
): Promise<ExchangePlan> {
  const request = readMessage(RefreshTokenRequest, form)
  const token = parseRefreshToken(request.refresh_token)
  if (token === undefined || stored === undefined) throw new OAuthError(REFRESH_ERRORS.refresh_token_unknown)
  const rotation = {
    client,
    token,
    arrivedAt,
    scope: request.scope,
    resources: request.resource,
    knownResources: kernel.resources,
    salt: newId(kernel.random),
    keys,
    jkt,
  }
  const grant = stored.value
  // First, so that a wrong token asks nobody about the user, and a stolen one ends the grant whatever else is found.
  const rotated = rotateRefreshToken(grant, rotation, now, terms)
  if (rotated.kind === 'ended') return planOf(kernel, stored, rotated, [])
  const events = eventsOf(token, client, rotated.result)
  const { subject } = grant
  if (claims && subject !== undefined && (await claimsAbout(claims, subject)) === undefined)
    return planOf(kernel, stored, { kind: 'ended', refusal: SUBJECT_ERRORS.subject_gone }, events)
  // The user allowed a client whose document has changed since then.
  const isChanged = grant.createdAt < (client.document?.consentSince ?? 0)
  const outcome = isChanged ? CLIENT_CHANGED : rotated
  return planOf(kernel, stored, outcome, events)
}

function eventsOf(
  token: RefreshToken,
  { clientId }: Client,
  { refreshToken, retried, dropped }: Refreshed,
): readonly BaseEvent[] {
  const how = retried !== undefined ? 'retried' : refreshToken === token ? 'kept' : 'rotated'
  const { generation } = refreshToken
  const ids = { grantId: token.grantId, clientId }
  const why = retried && { retried }
  const event = { type: `refresh_token_${how}`, generation, ...why, ...ids } as const satisfies RefreshEvent
  return dropped ? [{ type: 'access_token_dropped', ...ids } satisfies AccessTokenDropped, event] : [event]
}

const CLIENT_CHANGED = { kind: 'ended', refusal: REFRESH_ERRORS.client_changed } as const
