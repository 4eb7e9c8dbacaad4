/**
 * The device grant (RFC 8628): a device without a browser gets a code, its user types that code into any browser, and the device
 * polls until the user has decided. Requests are transients; an approval opens a grant like any other.
 *
 * Whoever starts this flow gets the tokens, wherever they are. It is therefore for clients that the operator knows.
 */
import { ConsentForm } from '../../authorization/consent.ts'
import { type Answered, answerRequest, askToSignIn } from '../../authorization/decoupled-decision.ts'
import { errorPages } from '../../authorization/redirect-target.ts'
import { publicClient } from '../../clients/client-record.ts'
import type { Feature } from '../../feature.ts'
import { extentOf } from '../../grants/grant.ts'
import { addressOf, basePathOf, type Endpoint, endpointPath, type PathOptions } from '../../http/endpoint.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../../http/http.ts'
import { pageView } from '../../http/page.ts'
import { lifetime, wholeSeconds } from '../../kernel/kernel.ts'
import type { Client, Terms } from '../../kernel/records.ts'
import { includesAll, type ScopeCatalogue, unrestricted } from '../../kernel/scope.ts'
import { DEVICE_REQUEST_ERRORS, type DeviceRequested, deviceAuthorization } from './device-authorization.ts'
import {
  DEVICE_ANSWER_ERRORS,
  DEVICE_PAGE_ERRORS,
  type DeviceInteraction,
  type DevicePages,
  enterCode,
  showCodePage,
  USER_CODE_LIMITS,
  UserCodeForm,
  type UserCodeWrong,
} from './device-pages.ts'
import { DEVICE_CODE_ERRORS, type DeviceCodeRedeemed, deviceCodeGrantType } from './device-token-request.ts'

export { DEVICE_CODE_GRANT } from './device-authorization.ts'
export type { DeviceAnsweredView, DeviceInteraction, DeviceView, UserCodeView } from './device-pages.ts'

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

/** The user allowed a device: a grant is open. */
export interface DeviceApproved {
  readonly type: 'device_approved'
  readonly requestId: string
  readonly grantId: string
  readonly clientId: string
  readonly subject: string
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly terms?: Terms | undefined
}

/** The user denied a device. */
export interface DeviceDenied {
  readonly type: 'device_denied'
  readonly requestId: string
  readonly clientId: string
  readonly subject: string
}

export type DeviceEvent = DeviceRequested | DeviceApproved | DeviceDenied | UserCodeWrong | DeviceCodeRedeemed

/**
 * The device grant (RFC 8628). Needs a store with transients.
 *
 * @throws Error that names the option at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { device } from '@grantkit/core/device'
 *
 * declare const pages: import('@grantkit/core/device').DeviceInteraction
 *
 * const features = [device(pages)]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function device(pages: DeviceInteraction, options: DeviceOptions = {}): Feature {
  const { selfRegistered = false, completeUri = false, maxAge = 3600, codeLifetime = 600, paths } = options
  const requestPath = '/api/oauth/device_authorization'
  const authorizationPath = endpointPath('deviceAuthorization', paths?.deviceAuthorization, requestPath)
  const path = endpointPath('device', paths?.device, '/oauth/device')
  return (server) => {
    const { transients } = server.store
    if (transients === undefined) throw new Error('device: the store has no transients')
    wholeSeconds('device: codeLifetime', codeLifetime, 60, 1800)
    wholeSeconds('device: maxAge', maxAge, 60)
    const grantLifetime = lifetime('deviceGrant', options.grantLifetime, 30 * DAY)
    const scopesOf = requestableScopes(server.scopes, options.scopes, selfRegistered)
    const verificationUri = addressOf(server.issuer, path)
    const terms = { scopesOf, codeLifetime, grantLifetime, verificationUri, completeUri }
    const grant = { server, transients, kind: 'device', ...terms }
    const codeTickets = server.tickets('user-code')
    const decisionTickets = server.tickets('device')
    const page = basePathOf(server.issuer) + path
    const decisions = {
      origin: 'device',
      maxAge,
      page,
      decisionTickets,
      answerErrors: DEVICE_ANSWER_ERRORS,
    } as const
    const context = { ...grant, ...decisions, pages, codeTickets }
    return {
      grantTypes: [deviceCodeGrantType(grant, selfRegistered)],
      clientEndpoints: [deviceAuthorization(grant, authorizationPath)],
      endpoints: pageEndpoints(context, path),
      // 18 polls a minute: a device whose clock runs a third too fast is within the limit.
      rateLimits: {
        device_request: { points: 30, seconds: 600 },
        device_poll: { points: 18, seconds: 60 },
        ...USER_CODE_LIMITS,
      },
      errors: { ...DEVICE_REQUEST_ERRORS, ...DEVICE_PAGE_ERRORS, ...DEVICE_CODE_ERRORS },
    }
  }
}

/** @param path of the page for a code, below the issuer */
function pageEndpoints(context: DevicePages, path: string): Endpoint[] {
  const page = errorPages(context.server)
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
      summary: "The user's answer, sent by the confirmation page",
      message: ConsentForm,
      methods: ['POST'],
      answer: (request) => answerDevice(context, request),
    },
  ]
}

const DAY = 24 * 60 * 60
const IDENTITY_SCOPES = ['openid', 'profile', 'email']

/** A client that registered itself gets at most the scopes for reading. @throws Error for a scope that is not in the catalogue */
function requestableScopes(
  catalogue: ScopeCatalogue,
  configured: readonly string[] | undefined,
  selfRegistered: boolean,
): (client: Client) => readonly string[] | undefined {
  const reads = (name: string) => catalogue[name]?.access === 'read' || IDENTITY_SCOPES.includes(name)
  const reading = unrestricted(catalogue).filter(reads)
  if (configured !== undefined && !includesAll(Object.keys(catalogue), configured))
    throw new Error('device: scopes names a scope that is not in the catalogue')
  const all = configured ?? reading
  const ofOthers = selfRegistered ? all.filter((name) => reading.includes(name)) : undefined
  return ({ origin }) => (origin === 'integration' ? all : ofOthers)
}

/** The user's decision. */
async function answerDevice(context: DevicePages, http: HttpRequest): Promise<HttpResponse> {
  const { server, pages } = context
  const answer = await answerRequest(context, http)
  if (answer === undefined) return askToSignIn(context, http)
  if (answer.isFirst) server.emit({ ...answeredEvent(answer) }, http)
  const { client, grant } = answer
  const view = { ...pageView(server.interaction, http), client: publicClient(client) }
  return securePage(await pages.deviceAnsweredPage({ ...view, allowed: grant !== undefined }))
}

function answeredEvent({ client, requestId, decision, grant }: Answered): DeviceApproved | DeviceDenied {
  const ids = { requestId, clientId: client.clientId, subject: decision.subject }
  if (grant === undefined) return { type: 'device_denied', ...ids }
  return { type: 'device_approved', ...ids, grantId: grant.id, ...extentOf(grant) }
}
