import * as z from 'zod'
import { type Parameters, ResourceParameter, readMessage, text } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Grant } from '../kernel/records.ts'
import { newId } from '../kernel/secrets.ts'
import { type ServerSecret, type SuccessorKeys, successorKeys } from '../kernel/server-secret.ts'
import { type Claims, claimsAbout, SUBJECT_ERRORS, type SubjectOptions } from '../kernel/user-claims.ts'
import { parseRefreshToken } from '../tokens/credential.ts'
import { changeGrant, prefetch } from './change-grant.ts'
import type { Outcome } from './grant.ts'
import type { GrantTerms, Retry } from './grant-terms.ts'
import type { Exchanged, GrantType, TokenRequest } from './grant-type.ts'
import { REFRESH_ERRORS, rotateRefreshToken } from './refresh-token-rotation.ts'

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
    step: 'refreshed',
    clientOf: (form) => clientOfToken(kernel, form),
    exchange: (request) => exchangeRefreshToken(kernel, context, request),
  }
  return { grantTypes: [grantType] }
}

async function clientOfToken({ store }: Kernel, form: Parameters): Promise<string> {
  const { refresh_token } = readMessage(RefreshTokenRequest, form)
  const stored = await prefetch(store, refresh_token)?.found
  if (stored === undefined) throw new OAuthError(REFRESH_ERRORS.refresh_token_unknown)
  return stored.value.clientId
}

interface RefreshContext extends SubjectOptions {
  readonly terms: GrantTerms
  readonly keys: SuccessorKeys
}

async function exchangeRefreshToken(
  kernel: Kernel,
  { claims, terms, keys }: RefreshContext,
  { client, form, arrivedAt, prefetched, assertCanRespond, prepareResponse, jkt }: TokenRequest,
): Promise<Exchanged> {
  const request = readMessage(RefreshTokenRequest, form)
  const token = parseRefreshToken(request.refresh_token)
  if (token === undefined) throw new OAuthError(REFRESH_ERRORS.refresh_token_unknown)
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
  const changed = await changeGrant(
    kernel,
    token.grantId,
    (grant) => {
      assertCanRespond(client, grant)
      const rotated = rotateRefreshToken(grant, rotation, kernel.now(), terms)
      // The user allowed a client whose document has changed since then.
      const outcome = grant.createdAt < (client.document?.consentSince ?? 0) ? CLIENT_CHANGED : rotated
      if (claims === undefined) return prepareResponse(outcome)
      return unlessGone(claims, grant, outcome).then((left) => prepareResponse(left))
    },
    prefetched,
  )
  if (changed === undefined) throw new OAuthError(REFRESH_ERRORS.refresh_token_unknown)
  const { grant, result } = changed
  const { refreshToken, retried, dropped } = result
  const ids = { grantId: grant.id, clientId: client.clientId }
  if (dropped) kernel.emit({ type: 'access_token_dropped', ...ids } satisfies AccessTokenDropped)
  const how = retried !== undefined ? 'retried' : refreshToken === token ? 'kept' : 'rotated'
  const { generation } = refreshToken
  kernel.emit({
    type: `refresh_token_${how}`,
    generation,
    ...(retried && { retried }),
    ...ids,
  } satisfies RefreshEvent)
  return { grant, issued: result }
}

const CLIENT_CHANGED = { kind: 'ended', refusal: REFRESH_ERRORS.client_changed } as const

async function unlessGone<Result>(
  claims: Claims,
  { subject }: Grant,
  outcome: Outcome<Result>,
): Promise<Outcome<Result>> {
  const gone = subject !== undefined && (await claimsAbout(claims, subject)) === undefined
  return gone ? { kind: 'ended', refusal: SUBJECT_ERRORS.subject_gone } : outcome
}
