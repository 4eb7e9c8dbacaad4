import { errorResponse } from '../http/endpoint.ts'
import type { HttpResponse } from '../http/http.ts'
import { defineErrors, OAuthError, withCode } from '../kernel/oauth-error.ts'
import type { TokenType } from '../tokens/credential.ts'
import type { ProofOfPossession } from '../tokens/proof-of-possession.ts'
import type { RequiredSignIn } from './access.ts'

export const BEARER_ERRORS = defineErrors({
  ...withCode('invalid_token', {
    bearer_missing: 'The request has no access token. Send it in the Authorization header',
    bearer_malformed:
      'The Authorization header is malformed. Send the scheme, one space and the access token',
    bearer_unknown: 'The access token is unknown, expired or revoked. Get a new one',
    bearer_wrong_audience: 'The access token was issued for another resource. Request one for this resource',
    bearer_subject_gone: 'The user of this access token no longer exists. Discard the token',
  }),
  bearer_without_user: [
    'insufficient_scope',
    'This resource needs the access token of a user, not of a client',
  ],
  bearer_personal: [
    'insufficient_scope',
    'This resource does not accept personal access tokens. Use the token of a sign-in',
  ],
  bearer_scope_missing: [
    'insufficient_scope',
    'The access token lacks a required scope. Begin a new authorization for it',
  ],
})

/** What the challenges of a guard need. */
export interface Challenging {
  /** The URL of the metadata of the resource (RFC 9728 3). */
  readonly metadataUrl: string
  /** Accepts sender-constrained tokens. Default: they are refused. */
  readonly proofs?: ProofOfPossession | undefined
}

/** What a route needs of a token. Every challenge names all of it, so that one sign-in of the user is enough. */
export interface RouteNeeds {
  readonly scopes: readonly string[]
  readonly signIn?: RequiredSignIn | undefined
}

/** The 401 for a request that must not be anonymous. No token was sent, so it has no error code (RFC 6750 3.1). */
export function tokenRequired(guard: Challenging, needs: RouteNeeds): HttpResponse {
  const response = errorResponse(new OAuthError(BEARER_ERRORS.bearer_missing))
  const first = guard.proofs?.required ? 'DPoP' : 'Bearer'
  return withChallenge(response, challenges(guard, first, attributesOf(needs)))
}

/**
 * RFC 6750 3.1, RFC 9728 5.1, RFC 9449 7.1. An outage is a 503 without a challenge: a client must not discard its token.
 *
 * @param tried the scheme of the request
 */
export function tokenError(
  guard: Challenging,
  error: OAuthError,
  needs: RouteNeeds,
  tried: TokenType = 'Bearer',
): HttpResponse {
  const response = errorResponse(error)
  if (error.status >= 500) return response
  const attributes = {
    error: error.error,
    error_description: error.errorDescription,
    ...attributesOf(needs),
  }
  const status = PROOF_ERRORS.includes(error.error) ? 401 : response.status
  return withChallenge({ ...response, status }, challenges(guard, tried, attributes))
}

/** 400 at the authorization server (RFC 9449 5), 401 at an API (7.1). */
const PROOF_ERRORS = ['invalid_dpop_proof', 'use_dpop_nonce']

type Attributes = Readonly<Record<string, string | undefined>>

/** The error belongs to the scheme that was tried. The other one is only offered. */
function challenges({ metadataUrl, proofs }: Challenging, tried: TokenType, error: Attributes): string {
  const attributes = { ...error, resource_metadata: metadataUrl }
  if (proofs === undefined) return challenge('Bearer', attributes)
  const own = { resource_metadata: metadataUrl }
  const algs = { algs: proofs.algorithms.join(' ') }
  if (tried === 'Bearer')
    return `${challenge('Bearer', attributes)}, ${challenge('DPoP', { ...own, ...algs })}`
  const first = challenge('DPoP', { ...attributes, ...algs })
  return proofs.required ? first : `${first}, ${challenge('Bearer', own)}`
}

/** A challenge of `WWW-Authenticate` (RFC 9110 11.6.1, RFC 6750 3); values hold no quotes by construction. */
export function challenge(scheme: TokenType, attributes: Attributes): string {
  const pairs = Object.entries(attributes).filter(([, value]) => value !== undefined)
  return [scheme, pairs.map(([name, value]) => `${name}="${value}"`).join(', ')].join(' ').trim()
}

/** Without the scope that the route needs, clients request every scope. `acr_values` and `max_age`: RFC 9470 3. */
function attributesOf({ scopes, signIn }: RouteNeeds): Attributes {
  const scope = scopes.length === 0 ? undefined : scopes.join(' ')
  if (signIn === undefined) return { scope }
  return { acr_values: signIn.acr, max_age: signIn.maxAge?.toString(), scope }
}

function withChallenge(response: HttpResponse, value: string): HttpResponse {
  return { ...response, headers: { ...response.headers, 'www-authenticate': value } }
}

// The access token in the Authorization header of a request (RFC 6750 2.1, RFC 9449 7.1).

export const SCHEME_ERRORS = defineErrors({
  token_schemes_mixed: [
    'invalid_request',
    'The request has access tokens of two schemes. Send one Authorization header',
  ],
})

interface Credentials {
  readonly scheme: TokenType
  readonly token: string
}

/** RFC 9449 7.1. Its length is checked apart: counting takes twice the time of the rest of the check of a JWT. */
const DPOP_CREDENTIALS = /^dpop ([A-Za-z0-9\-._~+/]+=*)$/i
const MAX_TOKEN_LENGTH = 8192

const names = (scheme: TokenType) => new RegExp(`(^|,\\s*)${scheme}(\\s|,|$)`, 'i')
const NAMES_DPOP = names('DPoP')
const NAMES_BEARER = names('Bearer')

/**
 * Reads the credentials of RFC 6750 2.1 and, at a guard with proofs, of RFC 9449 7.1. A malformed attempt is never
 * anonymous.
 *
 * @returns `undefined` when there is no token
 * @throws OAuthError `invalid_token`, or `invalid_request` for both schemes at once
 */
export function credentialsOf(
  authorization: string | undefined,
  takesProofs: boolean,
): Credentials | undefined {
  if (takesProofs && authorization !== undefined && NAMES_DPOP.test(authorization))
    return { scheme: 'DPoP', token: dpopToken(authorization) }
  const token = bearerToken(authorization)
  return token === undefined ? undefined : { scheme: 'Bearer', token }
}

function dpopToken(authorization: string): string {
  if (NAMES_BEARER.test(authorization)) throw new OAuthError(SCHEME_ERRORS.token_schemes_mixed)
  const token = tokenIn(DPOP_CREDENTIALS.exec(authorization))
  if (token === undefined) throw new OAuthError(BEARER_ERRORS.bearer_malformed)
  return token
}

function tokenIn(credentials: RegExpExecArray | null): string | undefined {
  const token = credentials?.[1]
  return token !== undefined && token.length <= MAX_TOKEN_LENGTH ? token : undefined
}

/** The scheme that a request tries, whether it succeeds or not: the challenge is for this one. */
export function triedScheme(authorization: string | undefined, takesProofs: boolean): TokenType {
  return takesProofs && authorization !== undefined && NAMES_DPOP.test(authorization) ? 'DPoP' : 'Bearer'
}

/** b64token, RFC 6750 2.1. */
const BEARER_CREDENTIALS = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i

/** The scheme `Bearer`, or one of our credentials or a JWT under any scheme. Neither is the base64 of real Basic credentials. */
const MEANT_AS_TOKEN = /(^|,\s*)bearer(\s|,|$)|\bgk[abcdpr]_[\w-]{22}\.|\beyJ[\w-]*\.[\w-]/i

/**
 * Reads RFC 6750 2.1 credentials. Other schemes count as no token, unless they carry text in the form of one. Such text, and
 * a malformed `Bearer`, is refused and never treated as anonymous. Two headers arrive joined by a comma, which no token
 * contains.
 *
 * @returns the token, or `undefined` when there is none
 * @throws OAuthError `invalid_token`
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const token = tokenIn(BEARER_CREDENTIALS.exec(authorization))
  if (token === undefined && MEANT_AS_TOKEN.test(authorization))
    throw new OAuthError(BEARER_ERRORS.bearer_malformed)
  return token
}
