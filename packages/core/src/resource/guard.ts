/**
 * The guard of an API (RFC 6750 3): a request comes in; a valid token, an anonymous caller or a refusal goes out. It
 * reads one record and writes none.
 */

import { holderOf } from '../grants/exchanged-token.ts'
import { boundTo, findAccessToken } from '../grants/grant.ts'
import { reportedError } from '../http/error-response.ts'
import { type HttpRequest, header } from '../http/http.ts'
import { wellKnownAddress } from '../http/well-known.ts'
import type { Emit } from '../kernel/events.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { AccessTokenState, Grant } from '../kernel/records.ts'
import { audienceIncludes, canonicalResource } from '../kernel/resource-indicator.ts'
import { includesAll } from '../kernel/scope.ts'
import type { GrantRecords } from '../kernel/store.ts'
import type { AccessTokenFormat } from '../tokens/access-token.ts'
import type { PresentedKey, ProofHeaders, ProofOfPossession } from '../tokens/proof-of-possession.ts'
import type {
  Access,
  AccessToken,
  Anonymous,
  Authorized,
  AuthorizedClient,
  Caller,
  ClientCredentialsToken,
} from './access.ts'
import { BEARER_ERRORS } from './bearer.ts'
import { type Challenging, tokenError, tokenRequired } from './challenge.ts'
import { requireBinding } from './token-binding.ts'
import { credentialsOf, triedScheme } from './token-credentials.ts'

/** What every guard needs, however it knows tokens. */
export interface Deciding extends Challenging {
  /** Whether a request without a token passes. */
  readonly anonymous: 'allow' | 'refuse'
  readonly emit: Emit
}

/** The resource to guard, with the store. */
export interface GuardedResource extends Deciding {
  readonly grants: GrantRecords
  /** Its identifier (RFC 8707), canonical. */
  readonly resource: string
  readonly accessTokens: AccessTokenFormat
  readonly now: () => number
}

/** A guard of the authorization server itself, which lets nobody through without a token. */
export function guardOf(
  { store, boundResources, now, emit }: Kernel,
  indicator: string,
  accessTokens: AccessTokenFormat,
  proofs?: ProofOfPossession,
): GuardedResource {
  const resource = canonicalResource(indicator)
  const required = boundResources.includes(resource)
  return {
    grants: store.grants,
    resource,
    metadataUrl: wellKnownAddress('oauth-protected-resource', indicator),
    anonymous: 'refuse',
    accessTokens,
    proofs: proofs && required ? requiredProofs(proofs) : proofs,
    now,
    emit,
  }
}

function requiredProofs(proofs: ProofOfPossession): ProofOfPossession {
  const { algorithms, corsHeaders } = proofs
  return { algorithms, corsHeaders, required: true, present: (request) => proofs.present(request) }
}

/** The decision of a guard that looks tokens up. @param machines whether a token without a user passes */
export function accessOf(
  guard: GuardedResource,
  request: HttpRequest,
  required: readonly string[],
): Promise<Access<Authorized | Anonymous>>
export function accessOf(
  guard: GuardedResource,
  request: HttpRequest,
  required: readonly string[],
  clientCredentials: boolean,
): Promise<Access<Caller>>
export function accessOf(
  guard: GuardedResource,
  request: HttpRequest,
  required: readonly string[],
  clientCredentials = false,
): Promise<Access<Caller>> {
  return decide(guard, request, { required, clientCredentials }, (text) => liveToken(guard, text))
}

interface Demands {
  readonly required: readonly string[]
  /** Whether a token without a user passes. */
  readonly clientCredentials: boolean
}

/**
 * The decision of RFC 6750 3 and RFC 9449 7.
 *
 * @param tokenOf the live token of a presented text. @throws OAuthError when it is none
 */
export async function decide(
  guard: Deciding,
  request: HttpRequest,
  { required, clientCredentials }: Demands,
  tokenOf: (text: string) => Promise<AccessToken | ClientCredentialsToken>,
): Promise<Access<Caller>> {
  const { proofs } = guard
  const authorization = header(request, 'authorization')
  try {
    const credentials = credentialsOf(authorization, proofs !== undefined)
    if (credentials === undefined)
      return guard.anonymous === 'allow'
        ? ANONYMOUS
        : { kind: 'refused', response: tokenRequired(guard, required) }
    const key = credentials.scheme === 'DPoP' ? proofs?.present(request) : undefined
    const token = await tokenOf(credentials.token)
    requireBinding(token, key?.thumbprint, proofs?.required ?? false)
    const headers = key && (await proven(key, credentials.token))
    if (token.by === 'client' && !clientCredentials) throw new OAuthError(BEARER_ERRORS.bearer_without_user)
    if (!includesAll(token.scopes, required)) throw new OAuthError(BEARER_ERRORS.bearer_scope_missing)
    const authorized = { kind: 'authorized', token } as Authorized | AuthorizedClient
    return headers === undefined ? authorized : { ...authorized, headers }
  } catch (thrown) {
    const error = reportedError(thrown, request, guard.emit)
    const tried = triedScheme(authorization, proofs !== undefined)
    return { kind: 'refused', response: tokenError(guard, error, required, tried) }
  }
}

const ANONYMOUS: Anonymous = { kind: 'anonymous' }

/** A signature is verified last: nobody without a live token of this key has us do it. */
async function proven(key: PresentedKey, text: string): Promise<ProofHeaders> {
  const headers = key.verify(text)
  await key.spend?.()
  return headers
}

async function liveToken(
  guard: GuardedResource,
  text: string,
): Promise<AccessToken | ClientCredentialsToken> {
  const read = guard.accessTokens.read(text)
  const presented = read instanceof Promise ? await read : read
  const grant = presented && (await guard.grants.find(presented.grantId))?.value
  const state = grant && findAccessToken(grant, presented.hash, guard.now())
  if (grant === undefined || state === undefined) throw new OAuthError(BEARER_ERRORS.bearer_unknown)
  if (!audienceIncludes(state.resources, guard.resource))
    throw new OAuthError(BEARER_ERRORS.bearer_wrong_audience)
  return tokenOf(grant, state)
}

/** Copies nothing for a plain token of a user, which nearly every request has. */
function tokenOf(grant: Grant, state: AccessTokenState): AccessToken | ClientCredentialsToken {
  const { id: grantId, origin, subject } = grant
  const { scopes, resources, issuedAt, expiresAt, actor, jkt } = state
  const clientId = holderOf(grant, state)
  const extent = { grantId, subject, clientId, scopes, resources, issuedAt, expiresAt }
  const more = actor === undefined ? boundTo(jkt) : { ...boundTo(jkt), act: actor }
  if (origin === 'machine') return { ...extent, ...more, by: 'client', subject: undefined }
  // A grant that lost its user passes nowhere.
  if (subject === undefined) throw new OAuthError(BEARER_ERRORS.bearer_unknown)
  const token = extent as AccessToken
  return actor === undefined && jkt === undefined ? token : { ...token, ...more }
}
