import * as z from 'zod'
import { withRemainingScopes } from '../clients/client-record.ts'
import { type Parameters, ResourceParameter, readMessage, text } from '../http/message.ts'
import type { BaseEvent } from '../kernel/events.ts'
import { claimsAbout, type Kernel, SUBJECT_ERRORS, type SubjectOptions } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client, Grant } from '../kernel/records.ts'
import { narrowedResources } from '../kernel/resource-indicator.ts'
import { narrowedScopes, partOf } from '../kernel/scope.ts'
import { newId, type ServerSecret, type SuccessorKeys, sha256, successorKeys } from '../kernel/secrets.ts'
import { parseRefreshToken, type RefreshToken } from '../tokens/credential.ts'
import { planOf, prefetch } from './change-grant.ts'
import { addAccessToken, type IssuedTokens, type Outcome } from './grant.ts'
import { type GrantTerms, type Retry, termsOf } from './grant-terms.ts'
import type { GrantType } from './grant-type.ts'
import {
  type PresentedRefreshToken,
  REFRESH_ERRORS,
  type RefreshTokenSecret,
  type Repeat,
  rotatedState,
  usableState,
} from './refresh-token-state.ts'
import type { WithTerms } from './request-terms.ts'

export interface RefreshRequest extends PresentedRefreshToken {
  readonly scope: string | undefined
  readonly resources: readonly string[]
  readonly knownResources: readonly string[]
  /** Fresh randomness, used only if the token is rotated. */
  readonly salt: string
  readonly keys: SuccessorKeys
}

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
  if ('retried' in state) return repeated(grant, state, { ...request, scopes, resources }, now)
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

const ANOTHER_KEY = 'The refresh token was used a moment ago with another key. Use the same key'

/**
 * Repeats the answer of the last rotation. If two callers may hold the token, the grant records that. From then on both would
 * have to refresh within one retry window of each other, or the grant ends.
 *
 * @throws OAuthError for a request that differs from the one of the rotation
 */
function repeated(
  grant: Grant,
  { retried, rotation, refresh }: Repeat,
  { token, keys, jkt, ...requested }: RefreshRequest & { readonly scopes: readonly string[] },
  now: number,
): Outcome<Refreshed> {
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
  kernel: Kernel & WithTerms,
  { claims, secret }: SubjectOptions & { readonly secret: ServerSecret },
  terms: GrantTerms,
): { grantTypes: GrantType[] } {
  const keys = successorKeys(secret)
  const grantType: GrantType = {
    name: 'refresh_token',
    message: RefreshTokenRequest,
    credential: 'refresh_token',
    selfRegistered: true,
    clientOf: (form) => clientOfToken(kernel, form),
    async exchange(sent) {
      const { client, form, arrivedAt, now, stored, jkt } = sent
      const { refresh_token, scope, resource: resources } = readMessage(RefreshTokenRequest, form)
      const token = parseRefreshToken(refresh_token)
      if (token === undefined || stored === undefined)
        throw new OAuthError(REFRESH_ERRORS.refresh_token_unknown)
      const known = { knownResources: kernel.resources, salt: newId(kernel.random), keys }
      const request = { client, token, arrivedAt, scope, resources, jkt, ...known }
      const grant = stored.value
      // First, so that a wrong token asks nobody about the user, and a stolen one ends the grant whatever else is found.
      const refreshed = rotateRefreshToken(grant, request, now, terms)
      if (refreshed.kind === 'ended') return planOf(kernel, stored, refreshed, sent)
      const { subject } = grant
      if (claims && subject !== undefined && (await claimsAbout(claims, subject)) === undefined)
        return planOf(kernel, stored, { kind: 'ended', refusal: SUBJECT_ERRORS.subject_gone }, sent)
      // The user allowed a client whose document has changed since then.
      if (grant.createdAt < (client.document?.consentSince ?? 0))
        return planOf(kernel, stored, { kind: 'ended', refusal: REFRESH_ERRORS.client_changed }, sent)
      return planOf(kernel, stored, refreshed, sent, eventsOf(token, client, refreshed.result))
    },
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
