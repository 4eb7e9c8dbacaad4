import type { OnEvent } from './events.ts'
import { type HttpRequest, type HttpResponse, header } from './http.ts'
import { OAuthError } from './oauth-error.ts'
import { errorResponse, reportedError } from './route.ts'
import { bearerChallenge, bearerToken } from './rules/bearer-token.ts'
import { findAccessToken } from './rules/grant.ts'
import { audienceIncludes } from './rules/resource-indicator.ts'
import { includesAll } from './rules/scope.ts'
import type { Grant, GrantRecords } from './store.ts'
import { type GrantSecret, parseAccessToken } from './tokens/token-string.ts'

/** A valid access token, as the guard found it. */
export interface AccessToken {
  readonly grantId: string
  readonly subject: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The resources it is bound to; empty means every resource of its server. */
  readonly resources: readonly string[]
  /** Epoch seconds. */
  readonly issuedAt: number
  readonly expiresAt: number
}

/** What a request to a protected resource may do. A refusal comes with the answer to send. */
export type Access =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'authorized'; readonly token: AccessToken }
  | { readonly kind: 'refused'; readonly response: HttpResponse }

/** What the decision needs to know of the resource it guards. */
export interface GuardedResource {
  readonly grants: GrantRecords
  /** Its identifier (RFC 8707), canonical. */
  readonly resource: string
  /** Where its metadata is (RFC 9728 3). */
  readonly metadataUrl: string
  /** Whether a request without a token is served or challenged. */
  readonly anonymous: 'allow' | 'challenge'
  readonly now: () => number
  readonly onEvent: OnEvent
}

/** The decision of RFC 6750 3: one read of one record. */
export async function accessOf(
  guard: GuardedResource,
  request: HttpRequest,
  required: readonly string[],
): Promise<Access> {
  const bearer = bearerToken(header(request, 'authorization'))
  if (bearer === undefined) return withoutToken(guard)
  try {
    if ('fault' in bearer) throw new OAuthError(bearer.fault)
    const presented = parseAccessToken(bearer.token)
    const stored = presented && (await guard.grants.find(presented.grantId))
    const token = validToken(guard, presented, stored?.value)
    if (!includesAll(token.scopes, required)) throw new OAuthError('bearer_scope_missing')
    return { kind: 'authorized', token }
  } catch (thrown) {
    return {
      kind: 'refused',
      response: bearerRefusal(guard, reportedError(thrown, request, guard.onEvent), required),
    }
  }
}

function withoutToken(guard: GuardedResource): Access {
  if (guard.anonymous === 'allow') return { kind: 'anonymous' }
  return { kind: 'refused', response: tokenRequired(guard) }
}

/** The 401 for a request that must not be anonymous: no error code, since no token was tried (RFC 6750 3.1). */
export function tokenRequired(guard: GuardedResource): HttpResponse {
  const response = errorResponse(new OAuthError('bearer_missing'))
  const challenge = bearerChallenge({ resource_metadata: guard.metadataUrl })
  return { ...response, headers: { ...response.headers, 'www-authenticate': challenge } }
}

function validToken(guard: GuardedResource, presented?: GrantSecret, grant?: Grant): AccessToken {
  const state = presented && grant && findAccessToken(grant, presented.secret, guard.now())
  if (grant === undefined || state === undefined) throw new OAuthError('bearer_unknown')
  if (!audienceIncludes(state.resources, guard.resource)) throw new OAuthError('bearer_wrong_audience')
  const { scopes, resources, issuedAt, expiresAt } = state
  return {
    grantId: grant.id,
    subject: grant.subject,
    clientId: grant.clientId,
    scopes,
    resources,
    issuedAt,
    expiresAt,
  }
}

/** RFC 6750 3.1, RFC 9728 5.1. An outage is a 503 without a challenge: a client must not throw its token away. */
export function bearerRefusal(
  guard: GuardedResource,
  error: OAuthError,
  required: readonly string[] = [],
): HttpResponse {
  const response = errorResponse(error)
  if (error.status >= 500) return response
  const challenge = bearerChallenge({
    error: error.error,
    error_description: error.message,
    scope: error.reason === 'bearer_scope_missing' ? required.join(' ') : undefined,
    resource_metadata: guard.metadataUrl,
  })
  return { ...response, headers: { ...response.headers, 'www-authenticate': challenge } }
}
