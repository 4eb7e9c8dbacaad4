import type { ConsentScope, Session } from '../../authorization/interaction.ts'
import type { Tickets } from '../../authorization/ticket.ts'
import type { PublicClient } from '../../clients/client-record.ts'
import type { ServerContext } from '../../feature.ts'
import { addressOf, basePathOf, endpointPath, type PathOptions } from '../../http/endpoint.ts'
import type { HttpResponse } from '../../http/http.ts'
import type { PageView } from '../../http/page.ts'
import { lifetime, wholeSeconds } from '../../kernel/kernel.ts'
import type { Client } from '../../kernel/records.ts'
import { includesAll, type ScopeCatalogue } from '../../kernel/scope.ts'
import { type SuccessorKeys, successorKeys } from '../../kernel/secrets.ts'
import type { Transients } from '../../kernel/store.ts'

/**
 * RFC 8628 3.4.
 *
 * @example
 * ```ts
 * import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
 *
 * const poll = new URLSearchParams({ grant_type: DEVICE_CODE_GRANT, device_code: 'gkd_…', client_id: 'tv' })
 * ```
 */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Seconds between two polls (RFC 8628 3.2). */
export const INTERVAL = 5

export interface DeviceOptions extends PathOptions<'deviceAuthorization' | 'device'> {
  /**
   * The scopes that a device can request. Default: `openid`, `profile`, `email` and every scope whose `access` is `read` and that is not `restricted`.
   */
  readonly scopes?: readonly string[] | undefined
  /**
   * Allows clients that register themselves, with at most the default of `scopes`. Unauthenticated callers can then send users a link to a
   * page of this server that gives them access to the user's account. Default false.
   */
  readonly selfRegistered?: boolean | undefined
  /** Adds `verification_uri_complete`, for a QR code (RFC 8628 3.3.1). Phishing links can use it too. Default false. */
  readonly completeUri?: boolean | undefined
  /** The maximum age of the user's sign-in, in seconds; after that, the user signs in again. Default 3600. */
  readonly maxAge?: number | undefined
  /** Lifetime of a device code and its user code, in seconds, from 60 to 1800. Default 600. */
  readonly codeLifetime?: number | undefined
  /** Lifetime of a device's grant in seconds, no matter how often it is refreshed. Default 30 days. */
  readonly grantLifetime?: number | undefined
}

/** The page on which a user types the code that a device shows. */
export interface UserCodeView extends PageView {
  readonly session: Session
  /** The form: POST to `action` with `ticket` and `user_code`. */
  readonly action: string
  readonly ticket: string
  /** The value of the field: the last input, or the code of a link. Any site can send such a link. */
  readonly typed: string
  /** The last code was not valid, for whatever reason. */
  readonly wrong: boolean
}

/**
 * The page on which a user decides. An attacker can send a code to a user and gets the access that the user allows, so show all
 * of these members, and put "Deny" first (BCP 247 6.1).
 */
export interface DeviceView extends PageView {
  readonly session: Session
  readonly client: PublicClient
  /** The code, for comparison with the one on the device. */
  readonly userCode: string
  /** Seconds since the request of the device. */
  readonly age: number
  /** Whether device and browser are in one network; absent if an address is not known. */
  readonly sameNetwork?: boolean | undefined
  readonly scopes: readonly ConsentScope[]
  readonly resources: readonly string[]
  /**
   * The form: POST to `action` with `ticket`, `decision` (`allow`, `deny`, or `allow_reading`: only ticked scopes whose
   * `access` is `read`, and those of OpenID Connect) and one `scope` for each ticked scope.
   */
  readonly action: string
  readonly ticket: string
}

/** The application's part of the device grant: three pages. */
export interface DeviceInteraction {
  userCodePage(view: UserCodeView): HttpResponse | Promise<HttpResponse>
  devicePage(view: DeviceView): HttpResponse | Promise<HttpResponse>
  /** The user has decided and goes back to the device. */
  deviceAnsweredPage(view: DeviceAnsweredView): HttpResponse | Promise<HttpResponse>
}

export interface DeviceAnsweredView extends PageView {
  readonly client: PublicClient
  readonly allowed: boolean
}

/** The input of every step of the device grant. */
export interface DeviceContext {
  readonly server: ServerContext
  readonly pages: DeviceInteraction
  readonly transients: Transients
  readonly keys: SuccessorKeys
  readonly codeTickets: Tickets
  readonly decisionTickets: Tickets
  /** Seconds. */
  readonly lifetimes: { readonly deviceCode: number; readonly deviceGrant: number }
  readonly maxAge: number
  /** The scopes that a client can request. */
  readonly ceilingOf: (client: Client) => readonly string[]
  readonly selfRegistered: boolean
  readonly completeUri: boolean
  /** From the root of the host. */
  readonly paths: { readonly device: string; readonly decision: string }
  /** The URL that users type. */
  readonly verificationUri: string
}

/** The paths of both endpoints, below the issuer. */
export function pathsOf({ paths }: DeviceOptions) {
  return {
    deviceAuthorization: endpointPath(
      'deviceAuthorization',
      paths?.deviceAuthorization,
      '/api/oauth/device_authorization',
    ),
    device: endpointPath('device', paths?.device, '/oauth/device'),
  }
}

const DAY = 24 * 60 * 60

/** @throws Error that names the option at fault */
export function contextOf(
  server: ServerContext,
  pages: DeviceInteraction,
  options: DeviceOptions,
): DeviceContext {
  const { selfRegistered = false, completeUri = false, maxAge = 3600, codeLifetime = 600 } = options
  const { transients } = server.store
  if (transients === undefined) throw new Error('device: the store has no transients')
  const path = pathsOf(options).device
  const page = basePathOf(server.issuer) + path
  return {
    ...{ server, pages, transients, selfRegistered, completeUri },
    keys: successorKeys(server.secret),
    codeTickets: server.tickets('user-code'),
    decisionTickets: server.tickets('device'),
    lifetimes: {
      deviceCode: wholeSeconds('device: codeLifetime', codeLifetime, 60, 1800),
      deviceGrant: lifetime('deviceGrant', options.grantLifetime, 30 * DAY),
    },
    maxAge: wholeSeconds('device: maxAge', maxAge, 60),
    ceilingOf: ceilingOf(server.scopes, options.scopes),
    paths: { device: page, decision: `${page}/decision` },
    verificationUri: addressOf(server.issuer, path),
  }
}

const IDENTITY_SCOPES = ['openid', 'profile', 'email']

/** A client that registered itself gets at most the scopes for reading. */
function ceilingOf(
  catalogue: ScopeCatalogue,
  configured: readonly string[] | undefined,
): DeviceContext['ceilingOf'] {
  const reading = Object.entries(catalogue)
    .filter(
      ([name, { access, restricted }]) =>
        restricted !== true && (access === 'read' || IDENTITY_SCOPES.includes(name)),
    )
    .map(([name]) => name)
  if (configured !== undefined && !includesAll(Object.keys(catalogue), configured))
    throw new Error('device: scopes names a scope that is not in the catalogue')
  const ceiling = configured ?? reading
  return ({ origin }: Client) =>
    origin === 'integration' ? ceiling : ceiling.filter((name) => reading.includes(name))
}
