import type { OnEvent } from './events.ts'
import type { Interaction } from './interaction.ts'
import { DEFAULT_PATHS } from './paths.ts'
import type { RateLimiter } from './rate-limits.ts'
import { reachableStore } from './reachable-store.ts'
import type { UserClaims } from './rules/claims.ts'
import { loopbackOnly, type RedirectUriPolicy } from './rules/redirect-uri.ts'
import { canonicalResource } from './rules/resource-indicator.ts'
import { requestedScopes, type ScopeCatalogue } from './rules/scope.ts'
import { type Random, strongRandom } from './secrets.ts'
import type { ServerContext } from './server-context.ts'
import type { Store } from './store.ts'
import { type SigningKeySource, type SigningKeys, signingKeys } from './tokens/signing-keys.ts'

/** All times in seconds. */
export interface Lifetimes {
  /** An authorization code. Default 60. */
  readonly code: number
  /** An access token. Default 3600. */
  readonly accessToken: number
  /** A refresh token that nobody uses. Default 30 days. */
  readonly refreshToken: number
  /** A grant, however often it is refreshed. Default 180 days. */
  readonly grant: number
  /** How long a spent refresh token is answered with the same successor again; 0 is strict. Default 60. */
  readonly refreshRetryWindow: number
  /** A self-registered client that nobody approved. Default 7 days. */
  readonly unusedClient: number
  /** How long a consent page can be answered. Default 600. */
  readonly consentTicket: number
}

export interface AuthorizationServerOptions<Scope extends string> {
  /** The issuer: the base URL of the service, byte for byte as clients see it (RFC 8414 2). */
  readonly issuer: string
  readonly store: Store
  readonly scopes: ScopeCatalogue<Scope>
  readonly interaction: Interaction
  /** At least 32 characters, the same on every replica; signs consent forms. */
  readonly secret: string
  /**
   * The private signing keys, newest first for each algorithm; `openid` needs at least one for RS256. A function is
   * asked at every use, so that keys can rotate while the server runs (`rotateSigningKeys`).
   */
  readonly keys?: SigningKeySource
  /** The claims of a user (OIDC Core 5.1); `undefined` when the user is gone. Needed when the catalogue has `openid`. */
  readonly claims?: (subject: string) => Promise<UserClaims | undefined>
  /** Resource indicators that tokens can be bound to (RFC 8707). Default: the issuer. */
  readonly resources?: readonly string[]
  /** The scope of an authorization request that names none. Default: such a request is refused. */
  readonly defaultScope?: string
  /** Which redirect URIs may register themselves. Default `loopbackOnly()`. */
  readonly redirectUris?: RedirectUriPolicy
  /** Counts registrations by address, and failed requests by client and address. Default: nothing is limited. */
  readonly rateLimiter?: RateLimiter
  readonly lifetimes?: Partial<Lifetimes>
  /** Where the endpoints are, below the issuer. Default: `/oauth/…` for pages, `/api/oauth/…` for the rest. */
  readonly paths?: Partial<Paths>
  readonly onEvent?: OnEvent
  /** The clock, in epoch seconds. */
  readonly now?: () => number
  /** Cryptographically strong random bytes. */
  readonly random?: Random
  /** A page for people who write clients; becomes `service_documentation`. */
  readonly documentation?: string
}

export interface Paths {
  readonly authorize: string
  readonly consent: string
  readonly token: string
  readonly register: string
  readonly userinfo: string
  readonly revoke: string
  readonly introspect: string
  readonly jwks: string
}

const DAY = 24 * 60 * 60
const DEFAULT_LIFETIMES: Lifetimes = {
  code: 60,
  accessToken: 3600,
  refreshToken: 30 * DAY,
  grant: 180 * DAY,
  refreshRetryWindow: 60,
  unusedClient: 7 * DAY,
  consentTicket: 600,
}

/** @throws Error that names the option at fault, so that a bad setting stops the start and not a request */
export function checkOptions<Scope extends string>(
  options: AuthorizationServerOptions<Scope>,
): ServerContext {
  const lifetimes = { ...DEFAULT_LIFETIMES, ...defined(options.lifetimes) }
  const paths = { ...DEFAULT_PATHS, ...defined(options.paths) }
  const onEvent = options.onEvent ?? (() => {})
  const now = options.now ?? systemClock
  const keys = signingKeys(options.keys ?? [], { now, lifetime: lifetimes.accessToken, onEvent })
  checkIssuer(options.issuer)
  checkOpenId(options, keys)
  checkLifetimes(lifetimes)
  if (options.secret.length < 32) throw new Error('secret must have at least 32 characters')
  if (
    options.defaultScope !== undefined &&
    typeof requestedScopes(options.defaultScope, options.scopes, undefined) === 'string'
  ) {
    throw new Error('defaultScope names a scope that is not in the catalogue')
  }
  return {
    issuer: options.issuer,
    store: reachableStore(options.store),
    scopes: options.scopes,
    interaction: options.interaction,
    secret: options.secret,
    keys,
    claims: options.claims ?? (async () => ({})),
    resources: (options.resources ?? [options.issuer]).map(canonicalResource),
    defaultScope: options.defaultScope,
    redirectUris: options.redirectUris ?? loopbackOnly(),
    rateLimiter: options.rateLimiter,
    lifetimes,
    paths,
    onEvent,
    now,
    random: options.random ?? strongRandom,
    documentation: options.documentation,
  }
}

/** The time of the machine in epoch seconds. */
export function systemClock(): number {
  return Math.floor(Date.now() / 1000)
}

function checkIssuer(issuer: string): void {
  const wellFormed = /^https?:\/\/[^/?#\s]+(\/[^?#\s]*)?$/.test(issuer) && URL.canParse(issuer)
  if (!wellFormed) throw new Error('issuer must be an http or https URL without query and fragment')
}

function checkOpenId(options: AuthorizationServerOptions<string>, keys: SigningKeys): void {
  if (!Object.hasOwn(options.scopes, 'openid')) return
  // OpenID Connect Core 15.1: every provider signs with RS256, whatever else it offers.
  if (keys.signer('RS256') === undefined) throw new Error('keys: the openid scope needs a key for RS256')
  if (options.claims === undefined) throw new Error('claims is needed for the openid scope')
}

function checkLifetimes(lifetimes: Lifetimes): void {
  for (const [name, seconds] of Object.entries(lifetimes)) {
    const least = name === 'refreshRetryWindow' ? 0 : 1
    if (!Number.isInteger(seconds) || seconds < least)
      throw new Error(`lifetimes.${name} must be a whole number of seconds`)
  }
}

/** Without the members that are explicitly undefined, which would undo a default. */
function defined<T extends object>(given: T | undefined): Partial<T> {
  return Object.fromEntries(
    Object.entries(given ?? {}).filter(([, value]) => value !== undefined),
  ) as Partial<T>
}
