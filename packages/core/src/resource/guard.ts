/**
 * The guard of an API (RFC 6750 3): it turns a request into a valid token, an anonymous caller or an error response.
 * Its caller reads the token, from the store or by a signature.
 */
import { type CorsHeaders, REFERENCE_CORS } from '../http/endpoint.ts'
import { type Reporting, reportedError } from '../http/error-response.ts'
import { type HttpRequest, header } from '../http/http.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Grant } from '../kernel/records.ts'
import type { TokenType } from '../tokens/credential.ts'
import type { PresentedKey, ProofHeaders } from '../tokens/proof-of-possession.ts'
import type {
  Access,
  AccessToken,
  Anonymous,
  Authorized,
  AuthorizedClient,
  Caller,
  ClientCredentialsToken,
  ResourceServer,
} from './access.ts'
import { BEARER_ERRORS, type Challenging, tokenError, tokenRequired } from './challenge.ts'
import {
  checkedSignIn,
  NO_DEMANDS,
  type RouteDemands,
  requireCaller,
  requireSignIn,
  stricter,
} from './route-demands.ts'

export const SCHEME_ERRORS = defineErrors({
  token_schemes_mixed: [
    'invalid_request',
    'The request has access tokens of two schemes. Send one Authorization header',
  ],
})

export const BINDING_ERRORS = defineErrors({
  token_without_proof: [
    'invalid_token',
    'The access token is bound to a key. Send it as DPoP, with a proof of this key',
  ],
  token_not_bound: ['invalid_token', 'The access token is not bound to a key. Send it as Bearer'],
  token_of_other_key: ['invalid_token', 'The access token is bound to another key. Send a proof of that key'],
  token_must_be_bound: [
    'invalid_token',
    'Only DPoP-bound access tokens are accepted here. Request one with a DPoP proof',
  ],
})

/** What every guard needs, however it reads tokens. */
export interface Deciding extends Challenging, Reporting {
  /** Whether a request without a token is accepted. */
  readonly anonymous: 'allow' | 'refuse'
  /** The classes of sign-ins, weakest first. Absent: no route can require one. */
  readonly authenticationClasses?: readonly string[] | undefined
  readonly now: () => number
}

/** Decides on a request. */
type Decision = (
  request: HttpRequest,
  required: readonly string[],
  route: RouteDemands,
) => Promise<Access<Caller>>

/** The guard of an API, however it reads tokens. */
export function resourceServer<Scope extends string, Auth extends Caller>(
  guard: Challenging & Pick<Deciding, 'attempts' | 'authenticationClasses'>,
  decision: Decision,
  route = NO_DEMANDS,
): ResourceServer<Scope, Auth> {
  const classes = guard.authenticationClasses ?? []
  return {
    metadataUrl: guard.metadataUrl,
    corsHeaders: corsHeadersOf(guard),
    access: (request, ...scopes) => decision(request, scopes, route) as Promise<Access<Auth>>,
    allowing: ({ clientCredentials = route.clientCredentials, personalTokens = route.personalTokens }) =>
      resourceServer<Scope, never>(guard, decision, { ...route, clientCredentials, personalTokens }),
    requiring(required) {
      const signIn = stricter(classes, route.signIn, checkedSignIn(classes, required))
      return resourceServer(guard, decision, { ...route, signIn })
    },
  }
}

function corsHeadersOf({ proofs, attempts }: Parameters<typeof resourceServer>[0]): CorsHeaders | undefined {
  const lists = [proofs?.corsHeaders, attempts && REFERENCE_CORS].filter((headers) => headers !== undefined)
  if (lists.length === 0) return undefined
  return {
    allowed: lists.flatMap(({ allowed }) => allowed),
    exposed: lists.flatMap(({ exposed }) => exposed),
  }
}

interface Demands {
  readonly required: readonly string[]
  readonly route: RouteDemands
  /** For the steps of sign-in attempts; absent without them. */
  readonly attempt?: AttemptOfCall | undefined
}

/** The sign-in attempt that a call belongs to: of the grant of its token, once that is found. */
export interface AttemptOfCall {
  readonly resource: string
  grant?: Grant | undefined
}

/**
 * The decision of RFC 6750 3 and RFC 9449 7.
 *
 * @param tokenOf the live token of a presented text. @throws OAuthError when it is none
 */
export async function decide(
  guard: Deciding,
  request: HttpRequest,
  { required, route, attempt }: Demands,
  tokenOf: (text: string) => Promise<AccessToken | ClientCredentialsToken>,
): Promise<Access<Caller>> {
  const { proofs } = guard
  const authorization = header(request, 'authorization')
  try {
    const credentials = credentialsOf(authorization, proofs !== undefined)
    if (credentials === undefined)
      return guard.anonymous === 'allow'
        ? ANONYMOUS
        : { kind: 'refused', response: tokenRequired(guard, { scopes: required, ...route }) }
    const key = credentials.scheme === 'DPoP' ? proofs?.present(request) : undefined
    const token = await tokenOf(credentials.token)
    requireBinding(token, key?.thumbprint, proofs?.required ?? false)
    const headers = key && (await proven(key, credentials.token))
    requireCaller(token, route)
    if (!required.every((scope) => token.scopes.includes(scope)))
      throw new OAuthError(BEARER_ERRORS.bearer_scope_missing)
    if (route.signIn !== undefined)
      requireSignIn(token, route.signIn, guard.authenticationClasses ?? [], guard.now())
    if (attempt?.grant !== undefined) guard.attempts?.called(attempt.grant, attempt.resource, request)
    const authorized = { kind: 'authorized', token } as Authorized | AuthorizedClient
    return headers === undefined ? authorized : { ...authorized, headers }
  } catch (thrown) {
    guard.attempts?.know(request, { expects: 'first_call', ...attempt })
    const error = reportedError(thrown, request, guard)
    const tried = triedScheme(authorization, proofs !== undefined)
    return { kind: 'refused', response: tokenError(guard, error, { scopes: required, ...route }, tried) }
  }
}

const ANONYMOUS: Anonymous = { kind: 'anonymous' }

/** A signature is verified last: only a caller with a live token of this key causes the work. */
async function proven(key: PresentedKey, text: string): Promise<ProofHeaders> {
  const headers = key.verify(text)
  await key.spend?.()
  return headers
}

/** The access token of a request, and the scheme it came by. */
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
function credentialsOf(authorization: string | undefined, takesProofs: boolean): Credentials | undefined {
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
function triedScheme(authorization: string | undefined, takesProofs: boolean): TokenType {
  return takesProofs && authorization !== undefined && NAMES_DPOP.test(authorization) ? 'DPoP' : 'Bearer'
}

/** b64token, RFC 6750 2.1. */
const BEARER_CREDENTIALS = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i

/** The scheme `Bearer`, or one of our credentials or a JWT under any scheme. Neither is the base64 of real Basic credentials. */
const MEANT_AS_TOKEN = /(^|,\s*)bearer(\s|,|$)|\bgk[acdpr]_[\w-]{22}\.|\beyJ[\w-]*\.[\w-]/i

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

/**
 * Checks that a token is used with the key it is bound to (RFC 9449 7.1). A guard without proofs refuses bound tokens: accepted
 * as bearer tokens, stolen ones would work.
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
