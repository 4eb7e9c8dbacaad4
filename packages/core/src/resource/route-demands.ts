/** What one route of an API demands of a live token, next to its scopes: who the caller is, and how its user signed in. */
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { AccessToken, ClientCredentialsToken, RequiredSignIn } from './access.ts'
import { BEARER_ERRORS } from './challenge.ts'

export const SIGN_IN_ERRORS = defineErrors({
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

export interface RouteDemands {
  /** Whether a token without a user is accepted. */
  readonly clientCredentials?: boolean | undefined
  /** Whether a personal access token is accepted. */
  readonly personalTokens?: boolean | undefined
  readonly signIn?: RequiredSignIn | undefined
}

/** A route without further demands: a token that a user approved is needed, and enough. */
export const NO_DEMANDS: RouteDemands = {}

/** @throws OAuthError 403 for a kind of token that the route does not accept */
export function requireCaller(token: AccessToken | ClientCredentialsToken, route: RouteDemands): void {
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
  if (maxAge !== undefined && (!Number.isSafeInteger(maxAge) || maxAge < 1))
    throw new Error('requiring: maxAge must be a whole number of seconds, at least 1')
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
