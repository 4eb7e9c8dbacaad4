/**
 * The guard of an API (RFC 6750 3): a request comes in; a valid token, an anonymous caller or a refusal goes out. It
 * reads one record and writes none.
 */

import { findAccessToken, holderOf } from '../grants/access-tokens.ts'
import { reportedError } from '../http/error-response.ts'
import { type HttpRequest, header } from '../http/http.ts'
import { wellKnownAddress } from '../http/well-known.ts'
import type { Emit } from '../kernel/events.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { AccessTokenState, Grant } from '../kernel/records.ts'
import { audienceIncludes, canonicalResource } from '../kernel/resource-indicator.ts'
import type { GrantRecords } from '../kernel/store.ts'
import type { AccessTokenFormat, TokenType } from '../tokens/credential.ts'
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
import { BEARER_ERRORS, type Challenging, tokenError, tokenRequired } from './challenge.ts'

export const SCHEME_ERRORS = defineErrors({
  token_schemes_mixed: ['invalid_request', 'The request has tokens of two schemes'],
})

export const BINDING_ERRORS = defineErrors({
  token_without_proof: ['invalid_token', 'The access token is bound to a key, and needs a proof of it'],
  token_not_bound: ['invalid_token', 'The access token is bound to no key: send it as Bearer'],
  token_of_other_key: ['invalid_token', 'The access token is bound to another key'],
  token_must_be_bound: ['invalid_token', 'Only access tokens that are bound to a key are accepted here'],
})

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
    if (!required.every((scope) => token.scopes.includes(scope)))
      throw new OAuthError(BEARER_ERRORS.bearer_scope_missing)
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
  const isPlain = actor === undefined && jkt === undefined
  const more = isPlain ? undefined : { ...(jkt && { jkt }), ...(actor && { act: actor }) }
  if (origin === 'machine') return { ...extent, ...more, by: 'client', subject: undefined }
  // A grant that lost its user passes nowhere.
  if (subject === undefined) throw new OAuthError(BEARER_ERRORS.bearer_unknown)
  const token = extent as AccessToken
  return isPlain ? token : { ...token, ...more }
}

/** The access token of a request, and the scheme it came by. */
interface Credentials {
  readonly scheme: TokenType
  readonly token: string
}

/** RFC 9449 7.1. */
const DPOP_CREDENTIALS = /^dpop ([A-Za-z0-9\-._~+/]{1,8192}=*)$/i

const names = (scheme: TokenType) => new RegExp(`(^|,\\s*)${scheme}(\\s|,|$)`, 'i')
const NAMES_DPOP = names('DPoP')
const NAMES_BEARER = names('Bearer')

/**
 * Reads the credentials of RFC 6750 2.1 and, at a guard that takes proofs, of RFC 9449 7.1. A malformed attempt is never
 * anonymous.
 *
 * @returns `undefined` when there is no token
 * @throws OAuthError `invalid_token`, or `invalid_request` for both schemes at once
 */
function credentialsOf(authorization: string | undefined, takesProofs: boolean): Credentials | undefined {
  if (takesProofs && authorization !== undefined && NAMES_DPOP.test(authorization))
    return { scheme: 'DPoP', token: dpopToken(authorization) }
  const token = bearerToken(authorization)
  return token === undefined ? undefined : { scheme: 'Bearer', token }
}

function dpopToken(authorization: string): string {
  if (NAMES_BEARER.test(authorization)) throw new OAuthError(SCHEME_ERRORS.token_schemes_mixed)
  const token = DPOP_CREDENTIALS.exec(authorization)?.[1]
  if (token === undefined) throw new OAuthError(BEARER_ERRORS.bearer_malformed)
  return token
}

/** The scheme that a request tries, whether it succeeds or not: the answer speaks of this one. */
function triedScheme(authorization: string | undefined, takesProofs: boolean): TokenType {
  return takesProofs && authorization !== undefined && NAMES_DPOP.test(authorization) ? 'DPoP' : 'Bearer'
}

/** b64token, RFC 6750 2.1. */
const BEARER_CREDENTIALS = /^bearer ([A-Za-z0-9\-._~+/]{1,8192}=*)$/i

/** The scheme `Bearer`, or one of our credentials or a JWT under any scheme. Neither is the base64 of real Basic credentials. */
const MEANT_AS_TOKEN = /(^|,\s*)bearer(\s|,|$)|\bgk[acdr]_[\w-]{22}\.|\beyJ[\w-]*\.[\w-]/i

/**
 * Reads RFC 6750 2.1 credentials. Other schemes count as no token, unless what they carry has the form of one. That, and
 * a malformed `Bearer`, is refused and never treated as anonymous. Two headers arrive joined by a comma, which no token
 * contains.
 *
 * @returns the token, or `undefined` when there is none
 * @throws OAuthError `invalid_token`
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const token = BEARER_CREDENTIALS.exec(authorization)?.[1]
  if (token === undefined && MEANT_AS_TOKEN.test(authorization))
    throw new OAuthError(BEARER_ERRORS.bearer_malformed)
  return token
}

/**
 * That a token is used with the key it is bound to (RFC 9449 7.1). A guard that knows no proofs refuses bound tokens: taken
 * as bearer tokens, they would be good for a thief.
 *
 * @param thumbprint of the key that the request names; absent without a proof
 * @param required whether unbound tokens are refused
 * @throws OAuthError `invalid_token`
 */
function requireBinding(
  { jkt }: { readonly jkt?: string | undefined },
  thumbprint: string | undefined,
  required: boolean,
): void {
  if (jkt !== undefined && thumbprint === undefined) throw new OAuthError(BINDING_ERRORS.token_without_proof)
  if (jkt === undefined && thumbprint !== undefined) throw new OAuthError(BINDING_ERRORS.token_not_bound)
  if (jkt !== thumbprint) throw new OAuthError(BINDING_ERRORS.token_of_other_key)
  if (required && jkt === undefined) throw new OAuthError(BINDING_ERRORS.token_must_be_bound)
}
