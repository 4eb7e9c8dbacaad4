/**
 * The guard of an API (RFC 6750 3): it turns a request into a valid token, an anonymous caller or an error response.
 * Its caller reads the token, from the store or by a signature.
 */
import { type CorsHeaders, REFERENCE_CORS, reportedError } from '../http/endpoint.ts'
import { type HttpRequest, header } from '../http/http.ts'
import type { Observed, ObservedCall } from '../kernel/events.ts'
import { wholeSeconds } from '../kernel/kernel.ts'
import { defineErrors, OAuthError, withCode } from '../kernel/oauth-error.ts'
import type {
  Access,
  AccessToken,
  Anonymous,
  Authorized,
  AuthorizedClient,
  Caller,
  ClientCredentialsToken,
  RequiredSignIn,
  ResourceServer,
} from './access.ts'
import {
  BEARER_ERRORS,
  type Challenging,
  credentialsOf,
  tokenError,
  tokenRequired,
  triedScheme,
} from './challenge.ts'

export const BINDING_ERRORS = defineErrors(
  withCode('invalid_token', {
    token_without_proof: 'The access token is bound to a key. Send it as DPoP, with a proof of this key',
    token_not_bound: 'The access token is not bound to a key. Send it as Bearer',
    token_of_other_key: 'The access token is bound to another key. Send a proof of that key',
    token_must_be_bound: 'Only DPoP-bound access tokens are accepted here. Request one with a DPoP proof',
  }),
)

/** What every guard needs, however it reads tokens. */
export interface Deciding extends Challenging, Observed {
  /** Whether a request without a token is accepted. */
  readonly anonymous: 'allow' | 'refuse'
  /** The classes of sign-ins, weakest first. Absent: no route can require one. */
  readonly authenticationClasses?: readonly string[] | undefined
  readonly now: () => number
}

type Decision = (
  request: HttpRequest,
  required: readonly string[],
  route: RouteDemands,
) => Promise<Access<Caller>>

/** The guard of an API, however it reads tokens. */
export function resourceServer<Scope extends string, Auth extends Caller>(
  guard: Deciding,
  decision: Decision,
  route: RouteDemands = {},
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

function corsHeadersOf({ proofs, observer }: Deciding): CorsHeaders | undefined {
  const lists = [proofs?.corsHeaders, observer && REFERENCE_CORS].filter((headers) => headers !== undefined)
  if (lists.length === 0) return undefined
  return {
    allowed: lists.flatMap(({ allowed }) => allowed),
    exposed: lists.flatMap(({ exposed }) => exposed),
  }
}

interface Demands {
  readonly required: readonly string[]
  readonly route: RouteDemands
  /** For the observer, with the grant of the token once that is found; absent without one. */
  readonly call?: ObservedCall | undefined
}

/**
 * The decision of RFC 6750 3 and RFC 9449 7.
 *
 * @param tokenOf the live token of a presented text. @throws OAuthError when it is none
 */
export async function decide(
  guard: Deciding,
  request: HttpRequest,
  { required, route, call }: Demands,
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
    // A signature is verified last: only a caller with a live token of this key causes the work.
    const headers = key?.verify(credentials.token)
    if (key?.spend !== undefined) await key.spend()
    requireCaller(token, route)
    if (!required.every((scope) => token.scopes.includes(scope)))
      throw new OAuthError(BEARER_ERRORS.bearer_scope_missing)
    if (route.signIn !== undefined)
      requireSignIn(token, route.signIn, guard.authenticationClasses ?? [], guard.now())
    if (call?.grant !== undefined)
      guard.observer?.report({ fact: 'token_used', grant: call.grant, resource: call.resource }, request)
    const authorized = { kind: 'authorized', token } as Authorized | AuthorizedClient
    return headers === undefined ? authorized : { ...authorized, headers }
  } catch (thrown) {
    const error = reportedError(thrown, request, guard, { call })
    const tried = triedScheme(authorization, proofs !== undefined)
    return { kind: 'refused', response: tokenError(guard, error, { scopes: required, ...route }, tried) }
  }
}

const ANONYMOUS: Anonymous = { kind: 'anonymous' }

/**
 * Checks that a token is used with the key it is bound to (RFC 9449 7.1). A guard without proofs refuses bound tokens: accepted
 * as bearer tokens, stolen ones would work.
 *
 * @param thumbprint of the key that the request names; absent without a proof
 * @param required whether unbound tokens are refused
 * @throws OAuthError `invalid_token`
 */
function requireBinding(
  { jkt }: AccessToken | ClientCredentialsToken,
  thumbprint: string | undefined,
  required: boolean,
): void {
  if (jkt !== undefined && thumbprint === undefined) throw new OAuthError(BINDING_ERRORS.token_without_proof)
  if (jkt === undefined && thumbprint !== undefined) throw new OAuthError(BINDING_ERRORS.token_not_bound)
  if (jkt !== thumbprint) throw new OAuthError(BINDING_ERRORS.token_of_other_key)
  if (required && jkt === undefined) throw new OAuthError(BINDING_ERRORS.token_must_be_bound)
}

// What one route of an API demands of a live token, next to its scopes: who the caller is, and how its user signed in.

export const SIGN_IN_ERRORS = defineErrors({
  ...withCode('insufficient_user_authentication', {}),
  bearer_sign_in_weak: [
    'insufficient_user_authentication',
    'The user must sign in more strongly for this. Begin a new authorization with the acr_values of this answer',
    401,
  ],
  bearer_sign_in_old: [
    'insufficient_user_authentication',
    'The user must have signed in more recently for this. Begin a new authorization with the max_age of this answer',
    401,
  ],
})

/** Without any, a token that a user approved is needed, and enough. */
export interface RouteDemands {
  /** Whether a token without a user is accepted. */
  readonly clientCredentials?: boolean | undefined
  /** Whether a personal access token is accepted. */
  readonly personalTokens?: boolean | undefined
  readonly signIn?: RequiredSignIn | undefined
}

/** @throws OAuthError 403 for a kind of token that the route does not accept */
function requireCaller(token: AccessToken | ClientCredentialsToken, route: RouteDemands): void {
  if (token.by === 'client' && !route.clientCredentials)
    throw new OAuthError(BEARER_ERRORS.bearer_without_user)
  if (token.personal && !route.personalTokens) throw new OAuthError(BEARER_ERRORS.bearer_personal)
}

/**
 * RFC 9470 3. No user has just signed in where a program holds a client-credentials or personal access token, so those never
 * suffice.
 *
 * @param classes weakest first
 * @param now epoch seconds
 * @throws OAuthError `insufficient_user_authentication`
 */
export function requireSignIn(
  token: AccessToken | ClientCredentialsToken,
  { acr, maxAge }: RequiredSignIn,
  classes: readonly string[],
  now: number,
): void {
  const ofUser = token.by === undefined && !token.personal
  if (acr !== undefined && !(ofUser && isAtLeast(classes, token.acr, acr)))
    throw new OAuthError(SIGN_IN_ERRORS.bearer_sign_in_weak)
  if (maxAge !== undefined && !(ofUser && ageOf(token, now) <= maxAge))
    throw new OAuthError(SIGN_IN_ERRORS.bearer_sign_in_old)
}

/** Seconds. A clock that went back cannot make a sign-in younger than it was when the token was issued. */
function ageOf({ authTime, issuedAt }: AccessToken | ClientCredentialsToken, now: number): number {
  const age = authTime === undefined ? -1 : Math.max(now, issuedAt) - authTime
  // A sign-in of the future has no age.
  return age < 0 ? Number.POSITIVE_INFINITY : age
}

/** Whether a sign-in of one class is enough for another. An unknown class is below every known one. */
export function isAtLeast(classes: readonly string[], acr: string | undefined, least: string): boolean {
  return acr !== undefined && classes.includes(least) && classes.indexOf(acr) >= classes.indexOf(least)
}

/** @throws Error that names the member at fault */
export function checkedSignIn(classes: readonly string[], { acr, maxAge }: RequiredSignIn): RequiredSignIn {
  if (acr === undefined && maxAge === undefined) throw new Error('requiring: acr or maxAge is needed')
  if (acr !== undefined && !classes.includes(acr))
    throw new Error(`requiring: "${acr}" is not in authenticationClasses of this guard`)
  // No sign-in is younger than a second when its token arrives.
  if (maxAge !== undefined) wholeSeconds('requiring: maxAge', maxAge, 1)
  return { acr, maxAge }
}

/** Both demands at once. */
export function stricter(
  classes: readonly string[],
  first: RequiredSignIn | undefined,
  second: RequiredSignIn,
): RequiredSignIn {
  if (first === undefined) return second
  const acrs = [first.acr, second.acr].filter((acr) => acr !== undefined)
  const ages = [first.maxAge, second.maxAge].filter((age) => age !== undefined)
  return {
    acr: acrs.toSorted((a, b) => classes.indexOf(b) - classes.indexOf(a))[0],
    maxAge: ages.length === 0 ? undefined : Math.min(...ages),
  }
}

/** Visible ASCII without quotes: a class is a parameter value, and stands in the quotes of a challenge (RFC 9110 5.6.4). */
const CLASS = /^[!#-[\]-~]{1,200}$/

/** @param of the option, for the error. @throws Error that names it */
export function checkedClasses(of: string, classes: readonly string[]): readonly string[] {
  const bad = classes.find((name, index) => !CLASS.test(name) || classes.indexOf(name) !== index)
  if (bad !== undefined)
    throw new Error(
      `${of}: "${bad}" is there twice, or is not 1 to 200 visible ASCII characters without quotes`,
    )
  return [...classes]
}
