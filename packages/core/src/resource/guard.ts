/**
 * The guard of an API (RFC 6750 3): a request comes in; a valid token, an anonymous caller or a refusal goes out. It
 * reads one record and writes none.
 */

import { findAccessToken } from '../grants/grant.ts'
import { holderOf } from '../grants/handed-on-token.ts'
import { errorResponse, reportedError } from '../http/error-response.ts'
import { type HttpRequest, type HttpResponse, header } from '../http/http.ts'
import { wellKnownAddress } from '../http/well-known.ts'
import type { Emit } from '../kernel/events.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Grant } from '../kernel/records.ts'
import { audienceIncludes, canonicalResource } from '../kernel/resource-indicator.ts'
import { includesAll } from '../kernel/scope.ts'
import type { GrantRecords } from '../kernel/store.ts'
import type { AccessTokenFormat, PresentedToken } from '../tokens/access-token.ts'
import type {
  Access,
  AccessToken,
  Anonymous,
  Authorized,
  AuthorizedMachine,
  Caller,
  MachineToken,
} from './access.ts'
import { BEARER_REFUSALS, bearerChallenge, bearerToken } from './bearer.ts'

/** What a guard says to those whom it does not let in. */
export interface Challenging {
  /** The URL of the metadata of the resource (RFC 9728 3). */
  readonly metadataUrl: string
  /** Whether a request without a token passes. */
  readonly anonymous: 'allow' | 'refuse'
}

/** The resource to guard. */
export interface GuardedResource extends Challenging {
  readonly grants: GrantRecords
  /** Its identifier (RFC 8707), canonical. */
  readonly resource: string
  readonly accessTokens: AccessTokenFormat
  readonly now: () => number
  readonly emit: Emit
}

/** A guard of the authorization server itself, which lets nobody through without a token. */
export function guardOf(
  { store, now, emit }: Kernel,
  resource: string,
  accessTokens: AccessTokenFormat,
): GuardedResource {
  return {
    grants: store.grants,
    resource: canonicalResource(resource),
    metadataUrl: wellKnownAddress('oauth-protected-resource', resource),
    anonymous: 'refuse',
    accessTokens,
    now,
    emit,
  }
}

/** The decision of RFC 6750 3. @param machines whether a token without a user passes */
export function accessOf(
  guard: GuardedResource,
  request: HttpRequest,
  required: readonly string[],
): Promise<Access<Authorized | Anonymous>>
export function accessOf(
  guard: GuardedResource,
  request: HttpRequest,
  required: readonly string[],
  machines: boolean,
): Promise<Access<Caller>>
export async function accessOf(
  guard: GuardedResource,
  request: HttpRequest,
  required: readonly string[],
  machines = false,
): Promise<Access<Caller>> {
  try {
    const bearer = bearerToken(header(request, 'authorization'))
    if (bearer === undefined) return withoutToken(guard, required)
    const read = guard.accessTokens.read(bearer)
    const presented = read instanceof Promise ? await read : read
    const stored = presented && (await guard.grants.find(presented.grantId))
    const token = liveToken(guard, presented, stored?.value)
    return authorized(token, required, machines)
  } catch (thrown) {
    const error = reportedError(thrown, request, guard.emit)
    return { kind: 'refused', response: bearerRefusal(guard, error, required) }
  }
}

const ANONYMOUS: Anonymous = { kind: 'anonymous' }

/** The decision about a request that has no token. */
export function withoutToken(guard: Challenging, required: readonly string[]): Access<Anonymous> {
  return guard.anonymous === 'allow'
    ? ANONYMOUS
    : { kind: 'refused', response: tokenRequired(guard, required) }
}

/** The decision about a live token. @throws OAuthError `insufficient_scope` */
export function authorized(
  token: AccessToken | MachineToken,
  required: readonly string[],
  machines: boolean,
): Authorized | AuthorizedMachine {
  if (token.by === 'machine' && !machines) throw new OAuthError(BEARER_REFUSALS.bearer_of_machine)
  if (!includesAll(token.scopes, required)) throw new OAuthError(BEARER_REFUSALS.bearer_scope_missing)
  return { kind: 'authorized', token } as Authorized | AuthorizedMachine
}

function liveToken(
  guard: GuardedResource,
  presented?: PresentedToken,
  grant?: Grant,
): AccessToken | MachineToken {
  const state = presented && grant && findAccessToken(grant, presented.hash, guard.now())
  if (grant === undefined || state === undefined) throw new OAuthError(BEARER_REFUSALS.bearer_unknown)
  if (!audienceIncludes(state.resources, guard.resource))
    throw new OAuthError(BEARER_REFUSALS.bearer_wrong_audience)
  const { scopes, resources, issuedAt, expiresAt, actor } = state
  const held = { ...bearerOf(grant), clientId: holderOf(grant, state) }
  const token = { grantId: grant.id, ...held, scopes, resources, issuedAt, expiresAt }
  return actor === undefined ? token : { ...token, act: actor }
}

/** A grant that lost its user for another reason than being of a machine passes nowhere. */
function bearerOf({
  origin,
  subject,
}: Grant): Pick<AccessToken, 'subject'> | Pick<MachineToken, 'by' | 'subject'> {
  if (origin === 'machine') return { by: 'machine', subject: undefined }
  if (subject === undefined) throw new OAuthError(BEARER_REFUSALS.bearer_unknown)
  return { subject }
}

/** The 401 for a request that must not be anonymous. No token was sent, so it has no error code (RFC 6750 3.1). */
function tokenRequired({ metadataUrl }: Challenging, required: readonly string[]): HttpResponse {
  const response = errorResponse(new OAuthError(BEARER_REFUSALS.bearer_missing))
  const challenge = bearerChallenge({ scope: scopeOf(required), resource_metadata: metadataUrl })
  return withChallenge(response, challenge)
}

/** Every refusal names the scope that the route needs; otherwise clients ask for every scope. */
function scopeOf(required: readonly string[]): string | undefined {
  return required.length === 0 ? undefined : required.join(' ')
}

/** RFC 6750 3.1, RFC 9728 5.1. An outage is a 503 without a challenge: a client must not discard its token. */
export function bearerRefusal(
  guard: Challenging,
  error: OAuthError,
  required: readonly string[],
): HttpResponse {
  const response = errorResponse(error)
  if (error.status >= 500) return response
  const challenge = bearerChallenge({
    error: error.error,
    error_description: error.message,
    scope: scopeOf(required),
    resource_metadata: guard.metadataUrl,
  })
  return withChallenge(response, challenge)
}

function withChallenge(response: HttpResponse, challenge: string): HttpResponse {
  return { ...response, headers: { ...response.headers, 'www-authenticate': challenge } }
}
