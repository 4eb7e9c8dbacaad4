import type { ConsentDenied, ConsentGranted } from './authorization/approval.ts'
import type { AuthorizationOptions } from './authorization/authorization.ts'
import type {
  ClientAuthenticationOptions,
  ClientSecretEvent,
} from './clients/authentication/client-authentication.ts'
import { type ClientSource, clientsOf } from './clients/client-record.ts'
import type { ClientChanged, ClientSecretChange } from './clients/client-update.ts'
import type { ClientRegistered, RegistrationOptions } from './clients/registration.ts'
import type { ClientAdded, StaticClientOptions } from './clients/static-clients.ts'
import type { Metadata } from './discovery/server-metadata.ts'
import type { Feature } from './feature.ts'
import type { InitialAccessTokenEvent } from './features/initial-access-tokens/initial-access-tokens.ts'
import type { CodeRedeemed } from './grants/authorization-code.ts'
import type { GrantEnded, GrantRevoked } from './grants/change-grant.ts'
import type { GrantOptions } from './grants/grant-terms.ts'
import type { IntrospectionOptions } from './grants/introspection.ts'
import type { TokenClaimsOptions, TokenClaimsProtected } from './grants/operator-claims.ts'
import type { AccessTokenDropped, RefreshEvent } from './grants/refresh-token.ts'
import type { AccessTokenRevoked, RevocationOptions } from './grants/revocation.ts'
import type { TokenEndpointOptions } from './grants/token-endpoint.ts'
import type { ClientRemoved } from './grants/user-grants.ts'
import { checkLanguages } from './kernel/display-text.ts'
import { type CreateObserver, type Emit, observed, type RequestEvent, shielded } from './kernel/events.ts'
import { type Kernel, wholeNumber } from './kernel/kernel.ts'
import { checkedResource } from './kernel/resource-indicator.ts'
import { revocationLog } from './kernel/revocation-log.ts'
import { parseScope, type ScopeCatalogue } from './kernel/scope.ts'
import { acceptedSecrets, type Random, strongRandom } from './kernel/secrets.ts'
import type { Store } from './kernel/store.ts'
import { systemClock, systemStandstill, systemTime, type Time } from './kernel/time.ts'
import type { LimitEvent, LimitOptions } from './limits/rate-limits.ts'
import type { ClaimsUnreleased } from './openid/id-token.ts'
import type { OpenIdOptions } from './openid/openid.ts'
import {
  indicatorOf,
  type ResourceMetadataOptions,
  type ResourceOption,
  takesBoundTokensOnly,
} from './resource/resource-metadata.ts'
import type { KeySetOptions, SigningKeyEvent, SigningKeyOptions } from './tokens/signing-keys.ts'

export interface KernelOptions<Scope extends string> {
  /** The issuer: the base URL of the service, exactly as clients see it (RFC 8414 2). */
  readonly issuer: string
  readonly store: Store
  /**
   * The maximum number of live grants of one user and one client, from 1 to 100. One more ends the one that was not used for
   * the longest time, with a `grant_revoked` event. Default 100.
   */
  readonly maxGrantsPerClient?: number | undefined
  /** All scopes, with the text for the consent page. */
  readonly scopes: ScopeCatalogue<Scope>
  /** What tokens can be bound to (RFC 8707): resource indicators, plain or with a description. Default: the issuer. */
  readonly resources?: readonly ResourceOption<NoInfer<Scope>>[] | undefined
  /**
   * Gets every event. If it fails, the first error goes to the console, and no answer depends on it. Default: faults, and
   * grants that a stolen credential ended, go to the console.
   */
  readonly onEvent?: OnEvent | undefined
  /**
   * Watches what the server does, such as `signInAttempts` of `@grantkit/explain`: errors then have a reference, which the observer
   * knows. Default: none.
   */
  readonly observer?: CreateObserver | undefined
  /** The clock, in epoch seconds. */
  readonly now?: (() => number) | undefined
  /** Waits, for tests. Default: the timers of the runtime. */
  readonly time?: Time | undefined
  /** Seconds for which this process has just stood still, for tests. Default: as its timers show, and 0 with an own clock. */
  readonly standstill?: (() => number) | undefined
  /** Cryptographically strong random bytes. */
  readonly random?: Random | undefined
  /** Additional features. */
  readonly features?: readonly Feature[] | undefined
  /** Refuses options and features that contradict it, when the server is created. Default: none. */
  readonly profile?: Profile | undefined
}

/** A security profile, such as `fapi2()`: what it sets, what it brings, and what it refuses. Plain data. */
export interface Profile {
  /** As its errors name it. */
  readonly name: string
  /** What the operator's options must be. */
  readonly demands: readonly Demand<AllOptions>[]
  /** Replaces what the operator left out. */
  readonly sets: Partial<AllOptions>
  /** Mounted before the features of the operator. */
  readonly features: readonly Feature[]
  /** What the metadata must be, once everything is mounted. */
  readonly published: readonly Demand<Metadata>[]
}

/** A demand of a profile. Its error reads: `<rule> (<name> <section>)`. */
export interface Demand<Of> {
  /** Of the profile: `5.3.2.1, item 9`. */
  readonly section: string
  /** What an option or a member must be: `registration must be false`. */
  readonly rule: string
  readonly holds: (of: Of) => boolean
}

/** The options of all modules. Each module documents its own options, sets their defaults and checks them. */
export type AuthorizationServerOptions<Scope extends string> = KernelOptions<Scope> &
  AuthorizationOptions &
  ClientAuthenticationOptions &
  GrantOptions &
  IntrospectionOptions &
  KeySetOptions &
  LimitOptions &
  OpenIdOptions &
  RegistrationOptions &
  ResourceMetadataOptions &
  RevocationOptions &
  SigningKeyOptions &
  StaticClientOptions &
  TokenClaimsOptions &
  TokenEndpointOptions

type AllOptions = AuthorizationServerOptions<string>

/** The options with what their profile sets and brings. @throws Error that names the option and the section at fault */
export function underProfile(options: AllOptions): AllOptions {
  const { profile, features = [] } = options
  if (profile === undefined) return options
  requireAll(profile, profile.demands, options)
  const leftOut = Object.entries(profile.sets).filter(([name]) => Reflect.get(options, name) === undefined)
  return { ...options, ...Object.fromEntries(leftOut), features: [...profile.features, ...features] }
}

/** The metadata: a feature of the operator may offer what the profile forbids. @throws Error that names member and section */
export function requirePublished(profile: Profile | undefined, metadata: Metadata): Metadata {
  if (profile !== undefined) requireAll(profile, profile.published, metadata)
  return metadata
}

function requireAll<Of>({ name }: Profile, demands: readonly Demand<Of>[], of: Of): void {
  for (const { section, rule, holds } of demands)
    if (!holds(of)) throw new Error(`${rule} (${name} ${section})`)
}

/** All events of the server. A feature may add its own types. */
export type ServerEvent =
  | RequestEvent
  | ClientRegistered
  | ClientAdded
  | ClientChanged
  | ClientSecretChange
  | ClientSecretEvent
  | InitialAccessTokenEvent
  | ClientRemoved
  | ConsentGranted
  | ConsentDenied
  | CodeRedeemed
  | RefreshEvent
  | AccessTokenDropped
  | AccessTokenRevoked
  | GrantEnded
  | GrantRevoked
  | SigningKeyEvent
  | ClaimsUnreleased
  | TokenClaimsProtected
  | LimitEvent

export type OnEvent = (event: ServerEvent) => void

/**
 * The kernel of a server.
 *
 * @param store wrapped, so that its errors are 503
 * @param sources sources of clients; features may add some before the first request
 * @throws Error that names the option at fault
 */
export function kernelOf(
  options: KernelOptions<string> & Pick<AuthorizationOptions, 'secret'>,
  { clients, grants, transients }: Store,
  sources: readonly ClientSource[],
): Kernel {
  const { issuer, scopes, resources = [issuer], maxGrantsPerClient = 100 } = options
  checkIssuer(issuer)
  wholeNumber('maxGrantsPerClient', maxGrantsPerClient, 1, { max: 100 })
  checkScopes(scopes)
  const indicators = resources.map((option, index) =>
    checkedResource(`resources[${index}]`, indicatorOf(option)),
  )
  const { now = systemClock, time = systemTime, random = strongRandom } = options
  const isOfSystem = now === systemClock && time === systemTime
  // A feature may emit events that the union does not name.
  const listener = shielded(options.onEvent as Emit | undefined)
  const logRevocation = transients && revocationLog(transients, { now, time, random })
  return {
    issuer,
    scopes,
    resources: indicators,
    boundResources: indicators.filter((_, index) => takesBoundTokensOnly(resources[index])),
    maxGrantsPerClient,
    store: { clients: clientsOf(clients, sources), grants, transients, logRevocation },
    now,
    time,
    // What the system's clocks show is nothing to another clock.
    standstill: options.standstill ?? (isOfSystem ? systemStandstill : () => 0),
    random,
    ...observed({ emit: listener, now, random }, options.observer, acceptedSecrets(options.secret)[0]),
  }
}

/** It may be written: metadata and tokens then have it too. */
const DEFAULT_PORT = /^(http:\/\/[^/]+(?=:80(\/|$))|https:\/\/[^/]+(?=:443(\/|$))):\d+/

function checkIssuer(issuer: string): void {
  const wellFormed = /^https?:\/\/[^/?#\s@]+(\/[^?#\s]*)?$/.test(issuer) && URL.canParse(issuer)
  // Clients compare it byte for byte, and fetch what a parser makes of it.
  const spelled = wellFormed && issuer.replace(DEFAULT_PORT, '$1')
  if (!wellFormed || ![spelled, `${spelled}/`].includes(new URL(issuer).href))
    throw new Error(
      'issuer must be an http or https URL in its normal form, such as https://auth.example, without user, query and fragment',
    )
}

/** What would give a restricted scope to clients that do not name it: tokens of users, and the list that clients request. */
const NOT_RESTRICTED = ['personal', 'baseline'] as const

/** A name with a space would be two names in every request (RFC 6749 3.3). */
function checkScopes(catalogue: ScopeCatalogue): void {
  const unusable = Object.keys(catalogue).find((name) => parseScope(name)?.[0] !== name)
  if (unusable !== undefined) throw new Error(`scopes: "${unusable}" cannot be the name of a scope`)
  for (const [name, definition] of Object.entries(catalogue)) {
    const { description, area, restricted } = definition
    for (const text of [description, area])
      if (typeof text === 'object') checkLanguages(`scopes: "${name}"`, Object.keys(text))
    const given = restricted && NOT_RESTRICTED.find((option) => definition[option])
    if (given) throw new Error(`scopes: "${name}" is restricted, so not ${given}`)
  }
}
