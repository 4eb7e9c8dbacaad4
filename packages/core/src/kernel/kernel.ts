/** The lowest module: it knows no request and no other module, and every module imports it. */
import type { Emit, ObservedRequest, Observer } from './events.ts'
import { defineErrors, OAuthError } from './oauth-error.ts'
import type { Client } from './records.ts'
import type { ScopeCatalogue } from './scope.ts'
import type { Random } from './secrets.ts'
import type { GrantRecords, Records, Transients } from './store.ts'
import type { Time } from './time.ts'

/** The shared basis of all modules and features. Anything else that a module needs is an option of its own. */
export interface Kernel {
  /** The issuer, exactly as clients see it (RFC 8414 2). */
  readonly issuer: string
  readonly scopes: ScopeCatalogue
  /** The resource indicators that tokens can be bound to (RFC 8707), canonical. */
  readonly resources: readonly string[]
  /** The resources that accept only sender-constrained tokens (RFC 9449). */
  readonly boundResources: readonly string[]
  /** The maximum number of live grants of one user and one client. */
  readonly maxGrantsPerClient: number
  readonly store: KernelStore
  /** Epoch seconds. */
  readonly now: () => number
  readonly time: Time
  /** Seconds for which this process has just stood still, as in a paused container: what it reads now may have waited so long. */
  readonly standstill: () => number
  readonly random: Random
  readonly emit: Emit
  /** Absent without the option of this name. */
  readonly observer?: Observer | undefined
}

/** If the store fails, the answer is a 503 (`store_unavailable`). */
export interface KernelStore {
  readonly clients: Clients
  readonly grants: GrantRecords
  /** Absent when the store has none. */
  readonly transients?: Transients | undefined
  /**
   * Logs a revoked grant or token in the transients, for guards without the store. Resolves when it is stored; what is logged
   * during a write is in the next one together.
   */
  readonly logRevocation?: ((entry: string) => Promise<void>) | undefined
}

/** The clients of all sources. An id may be any text, because it comes from an unauthenticated caller. */
export interface Clients {
  /** The clients in the store alone. */
  readonly records: Records<Client>
  readonly find: (clientId: string) => Promise<Client | undefined>
  /** The host whose document describes the client, if one does. Then only a signed-in user can begin an authorization. */
  readonly describedBy: (clientId: string) => string | undefined
  /** @param user absent if no user had to sign in; then no document is fetched @throws OAuthError for an unusable document */
  readonly describe: (clientId: string, user?: RequestingUser) => Promise<Client | undefined>
  /** Keeps an approved client at least until `until` (epoch seconds). @throws OAuthError `client_unknown` */
  readonly keep: (client: Client, until: number) => Promise<void>
  /** @returns whether it existed */
  readonly remove: (clientId: string) => Promise<boolean>
}

/** The signed-in user whose authorization request causes a fetch of the client's document. */
export interface RequestingUser {
  readonly subject: string
  /** The request that needs the document. */
  readonly request: ObservedRequest
  /** Hash of the document that this user has been shown. */
  readonly shown?: string | undefined
  /** Counts a client that no user has approved yet. @throws OAuthError 429 */
  readonly countUnknown: () => Promise<void>
}

/** Seconds by which two clocks may differ: of replicas, or of a client and this server. */
export const CLOCK_TOLERANCE = 60

/** A lifetime option in whole seconds. @throws Error that names the wrong option */
export function lifetime(name: string, option: number | undefined, fallback: number, min = 1): number {
  return wholeSeconds(`lifetimes.${name}`, option ?? fallback, min)
}

/** An option in whole seconds. @throws Error that names it */
export function wholeSeconds(option: string, seconds: number, min: number, max?: number): number {
  return wholeNumber(option, seconds, min, { max, unit: ' of seconds' })
}

/** An option that counts. @throws Error that names it */
export function wholeNumber(
  option: string,
  value: number,
  min: number,
  { max, unit = '' }: { readonly max?: number | undefined; readonly unit?: string } = {},
): number {
  if (Number.isInteger(value) && value >= min && value <= (max ?? value)) return value
  const range = max === undefined ? `, at least ${min}` : ` from ${min} to ${max}`
  throw new Error(`${option} must be a whole number${unit}${range}`)
}

export const SUBJECT_ERRORS = defineErrors({
  subject_gone: [
    'invalid_grant',
    'The user of this grant no longer exists, so its tokens are revoked. Discard them',
  ],
  claims_unavailable: [
    'temporarily_unavailable',
    'The server cannot look up the user at the moment. Try again',
  ],
})

/** Claims about a user (OpenID Connect Core 5.1), without `sub`, which core adds. */
export type UserClaims = Readonly<Record<string, unknown>>

/** What the claims are for: a JWT access token, an ID token, UserInfo, or the introspection of an access token. */
export type ClaimsUse = 'access_token' | 'id_token' | 'userinfo' | 'introspection'

export type Claims = (subject: string) => Promise<UserClaims | undefined>

export interface SubjectOptions {
  /**
   * The claims of a user (OpenID Connect Core 5.1), of which the granted scopes open some; `undefined` if the user is gone
   * or disabled. A refresh calls it too, and ends the grants of a user who is gone. Required with the scope `openid`.
   */
  readonly claims?: Claims | undefined
}

/** The claims of a user, from the application. @throws OAuthError `temporarily_unavailable` when that fails */
export async function claimsAbout(claims: Claims, subject: string): Promise<UserClaims | undefined> {
  try {
    return await claims(subject)
  } catch (cause) {
    throw new OAuthError(SUBJECT_ERRORS.claims_unavailable, undefined, { cause })
  }
}
