/**
 * The device grant (RFC 8628): a device without a browser gets a code, its user types that code into a browser anywhere, and
 * the device asks until there is an answer. Requests are transients; an approval opens a grant like every other.
 *
 * Whoever begins this flow gets the tokens, wherever they are. So it is for clients that the operator knows.
 */
import type { ScopeOptions } from '../authorization/authorization-request.ts'
import { ConsentForm } from '../authorization/consent.ts'
import { refusalPage } from '../authorization/refusal-page.ts'
import type { ClientEndpoint } from '../clients/client-endpoint.ts'
import type { Feature, FeatureFactory } from '../feature.ts'
import { type GrantOptions, grantTerms } from '../grants/grant-terms.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { readMessage } from '../http/message.ts'
import { addressOf, basePathOf, endpointPath, type PathOptions } from '../http/well-known.ts'
import { type Kernel, lifetime } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { includesAll, type ScopeCatalogue } from '../kernel/scope.ts'
import type { Transients } from '../kernel/store.ts'
import { type LimitOptions, safeLimiter } from '../limits/rate-limits.ts'
import type { AccessTokenFormat } from '../tokens/access-token.ts'
import { volunteeredKey } from '../tokens/proof-of-possession.ts'
import { enterCode, showCodePage, UserCodeForm, type UserCodeWrong } from './code-page.ts'
import { answerDevice, type DeviceApproved, type DeviceDenied } from './decision.ts'
import { authorizeDevice, DeviceAuthorizationRequest, type DeviceRequested } from './device-authorization.ts'
import type { DeviceContext } from './device-context.ts'
import type { DeviceInteraction } from './device-interaction.ts'
import { type DeviceCodeRedeemed, deviceCodeGrantType } from './exchange.ts'

export { DEVICE_CODE_GRANT } from './device-context.ts'
export type {
  DeviceAnsweredView,
  DeviceInteraction,
  DeviceView,
  UserCodeView,
} from './device-interaction.ts'

export type DeviceEvent = DeviceRequested | DeviceApproved | DeviceDenied | UserCodeWrong | DeviceCodeRedeemed

export interface DeviceOptions
  extends LimitOptions,
    ScopeOptions,
    PathOptions<'deviceAuthorization' | 'device'> {
  readonly interaction: DeviceInteraction
  /** Signs forms and hides codes: the secret of the server. */
  readonly secret: string
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

/**
 * @throws Error that names the option at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { device } from '@grantkit/core/device'
 *
 * declare const pages: import('@grantkit/core/device').DeviceInteraction
 *
 * const features = [device({ interaction: pages, secret })]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function device(options: DeviceOptions): FeatureFactory {
  const paths = {
    deviceAuthorization: endpointPath(
      'deviceAuthorization',
      options.paths?.deviceAuthorization,
      '/api/oauth/device_authorization',
    ),
    device: endpointPath('device', options.paths?.device, '/oauth/device'),
  }
  if (options.secret.length < 32) throw new Error('device: secret must have at least 32 characters')
  return (kernel) => featureOf(contextOf(kernel, options, paths.device), paths)
}

function contextOf(kernel: Kernel, options: DeviceOptions, path: string): DeviceContext {
  const {
    interaction,
    secret,
    lifetimes,
    accessTokens,
    selfRegistered = false,
    completeUri = false,
  } = options
  const page = basePathOf(kernel.issuer) + path
  return {
    ...{ kernel, interaction, secret, selfRegistered, completeUri },
    transients: transientsOf(kernel),
    limiter: safeLimiter(options, kernel.emit),
    times: {
      ...grantTerms({ lifetimes }),
      longest: accessTokens?.longest,
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

function featureOf(
  context: DeviceContext,
  paths: { readonly deviceAuthorization: string; readonly device: string },
): Feature {
  const deviceAuthorization: ClientEndpoint = {
    path: paths.deviceAuthorization,
    metadataName: 'device_authorization_endpoint',
    summary: 'Begin to sign in on a device without a browser (RFC 8628 3.1)',
    message: DeviceAuthorizationRequest,
    begin(form) {
      const asked = readMessage(DeviceAuthorizationRequest, form)
      return (client, request, constraint) =>
        authorizeDevice(context, client, asked, request, volunteeredKey(constraint, request, client))
    },
  }
  return {
    grantTypes: [deviceCodeGrantType(context)],
    clientEndpoints: [deviceAuthorization],
    endpoints: pages(context, paths.device),
  }
}

/** Where a person's browser goes. No script of another origin may read these. */
function pages(context: DeviceContext, path: string): Endpoint[] {
  const refusal: Endpoint['refusal'] = (error, request) => refusalPage(context, error, request)
  const page = { cors: false, refusal }
  return [
    {
      ...page,
      path,
      summary: 'Enter the code of a device (RFC 8628 3.3)',
      message: UserCodeForm,
      methods: ['GET', 'POST'],
      answer: (request) =>
        request.method === 'GET' ? showCodePage(context, request) : enterCode(context, request),
    },
    {
      ...page,
      path: `${path}/decision`,
      summary: 'The answer of the user, sent by the page that asks',
      message: ConsentForm,
      methods: ['POST'],
      answer: (request) => answerDevice(context, request),
    },
  ]
}
