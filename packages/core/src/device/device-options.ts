import type { ScopeOptions } from '../authorization/authorization-request.ts'
import { type GrantOptions, grantTerms } from '../grants/grant-terms.ts'
import { addressOf, basePathOf, type PathOptions } from '../http/well-known.ts'
import { type Kernel, lifetime } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { includesAll, type ScopeCatalogue } from '../kernel/scope.ts'
import { acceptedSecrets, type ServerSecret, successorKeys } from '../kernel/server-secret.ts'
import type { Transients } from '../kernel/store.ts'
import { type LimitOptions, safeLimiter } from '../limits/rate-limits.ts'
import { type AccessTokenFormat, longestOf, opaqueAccessTokens } from '../tokens/access-token.ts'
import type { DeviceContext } from './device-context.ts'
import type { DeviceInteraction } from './device-interaction.ts'

export interface DeviceOptions
  extends LimitOptions,
    ScopeOptions,
    PathOptions<'deviceAuthorization' | 'device'> {
  readonly interaction: DeviceInteraction
  /** Signs forms and hides codes: the secret of the server. */
  readonly secret: ServerSecret
  /** The most that a device gets. Default: `openid`, `profile`, `email` and every scope whose `access` is `read`. */
  readonly scopes?: readonly string[] | undefined
  /**
   * Opens the flow to clients that register themselves, for no more than the default of `scopes`. Then anybody can make
   * this server show a page that gives them access to the account of whoever follows their message. Default false.
   */
  readonly selfRegistered?: boolean | undefined
  /** Devices get an address with the code in it too, to show as a QR code. So does whoever sends links. Default false. */
  readonly completeUri?: boolean | undefined
  /** The access token format of the server, which may shorten lifetimes. Default: opaque tokens. */
  readonly accessTokens?: AccessTokenFormat | undefined
  /** The most seconds since the sign-in of who decides; then the user signs in again. Default 3600. */
  readonly maxAge?: number | undefined
  /** Those of tokens as the server has them. */
  readonly lifetimes?:
    | (GrantOptions['lifetimes'] & {
        /** Time to answer a device, from 60 to 1800. Default 600. */
        readonly deviceCode?: number | undefined
        /** Lifetime of the grant of a device, no matter how often it is refreshed. Default 30 days. */
        readonly deviceGrant?: number | undefined
      })
    | undefined
}

const DAY = 24 * 60 * 60

/** What every step of this room needs. @throws Error that names the option at fault */
export function contextOf(kernel: Kernel, options: DeviceOptions, path: string): DeviceContext {
  const {
    interaction,
    secret,
    lifetimes,
    accessTokens = opaqueAccessTokens,
    selfRegistered = false,
    completeUri = false,
  } = options
  const page = basePathOf(kernel.issuer) + path
  return {
    ...{ kernel, interaction, secret: acceptedSecrets(secret, 'device: '), selfRegistered, completeUri },
    keys: successorKeys(secret),
    transients: transientsOf(kernel),
    limiter: safeLimiter(options, kernel),
    times: {
      ...grantTerms({ lifetimes }),
      longest: longestOf(accessTokens),
      boundResources: kernel.boundResources,
    },
    lifetimes: {
      deviceCode: codeLifetime(lifetimes?.deviceCode),
      deviceGrant: lifetime('deviceGrant', lifetimes?.deviceGrant, 30 * DAY),
    },
    maxAge: checkedMaxAge(options.maxAge),
    scopeOptions: { defaultScope: options.defaultScope, unknownScopes: options.unknownScopes },
    ceilingOf: ceilingOf(kernel.scopes, options.scopes),
    paths: { device: page, decision: `${page}/decision` },
    verificationUri: addressOf(kernel.issuer, path),
  }
}

function transientsOf({ store }: Kernel): Transients {
  if (store.transients === undefined) throw new Error('device: the store has no transients')
  return store.transients
}

function codeLifetime(given: number | undefined): number {
  const seconds = lifetime('deviceCode', given, 600, 60)
  if (seconds > 1800) throw new Error('lifetimes.deviceCode must be at most 1800 seconds')
  return seconds
}

function checkedMaxAge(seconds = 3600): number {
  if (!Number.isInteger(seconds) || seconds < 60)
    throw new Error('device: maxAge must be a whole number of seconds, at least 60')
  return seconds
}

const HARMLESS = ['openid', 'profile', 'email']

/** A client that registered itself never gets more than reading. */
function ceilingOf(
  catalogue: ScopeCatalogue,
  given: readonly string[] | undefined,
): DeviceContext['ceilingOf'] {
  const reading = Object.entries(catalogue)
    .filter(([name, { access }]) => access === 'read' || HARMLESS.includes(name))
    .map(([name]) => name)
  if (given !== undefined && !includesAll(Object.keys(catalogue), given))
    throw new Error('device: scopes names a scope that is not in the catalogue')
  const ceiling = given ?? reading
  return ({ origin }: Client) =>
    origin === 'integration' ? ceiling : ceiling.filter((name) => reading.includes(name))
}
