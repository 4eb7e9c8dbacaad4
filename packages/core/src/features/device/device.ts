/**
 * The device grant (RFC 8628): a device without a browser gets a code, its user types that code into any browser, and the device
 * polls until the user has decided. Requests are transients; an approval opens a grant like any other.
 *
 * Whoever starts this flow gets the tokens, wherever they are. It is therefore for clients that the operator knows.
 */
import * as z from 'zod'
import { allowedScopes, ConsentForm } from '../../authorization/consent.ts'
import { errorPages } from '../../authorization/redirect-target.ts'
import { publicClient } from '../../clients/client-record.ts'
import type { Feature } from '../../feature.ts'
import { decideTerms, TERM_ERRORS } from '../../grants/request-terms.ts'
import { openWithinLimit } from '../../grants/user-grants.ts'
import { addressOf, basePathOf, type Endpoint, endpointPath, type PathOptions } from '../../http/endpoint.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../../http/http.ts'
import { formParameters, parameters, readMessage } from '../../http/message.ts'
import { pageView, requireOwnForm } from '../../http/page.ts'
import { CLOCK_TOLERANCE, lifetime, wholeSeconds } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import type { Client, Grant, Terms } from '../../kernel/records.ts'
import { includesAll, type ScopeCatalogue, unrestricted } from '../../kernel/scope.ts'
import { changeRecord } from '../../kernel/store.ts'
import { coarseNetworkOf } from '../../limits/caller-network.ts'
import {
  answered,
  DEVICE_REQUEST_ERRORS,
  type Decision,
  type DeviceRequest,
  type DeviceRequested,
  deviceAuthorization,
  deviceRequestIn,
  findDeviceRequest,
  recordId,
} from './device-authorization.ts'
import {
  askToSignIn,
  clientOf,
  DEVICE_PAGE_ERRORS,
  type DeviceInteraction,
  type DevicePages,
  decisionForm,
  enterCode,
  freshSession,
  requireOpenForm,
  showCodePage,
  USER_CODE_LIMITS,
  UserCodeForm,
  type UserCodeWrong,
  userInfoOf,
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
    const grant = { server, transients, ...terms }
    const codeTickets = server.tickets('user-code')
    const decisionTickets = server.tickets('device')
    const page = basePathOf(server.issuer) + path
    const context = { ...grant, pages, codeTickets, decisionTickets, page, maxAge }
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

const DecisionQuery = z.object({ request: z.string().max(100) })

/** The user's decision. The ticket proves that this session has seen this request. */
async function answerDevice(context: DevicePages, http: HttpRequest): Promise<HttpResponse> {
  const { server, pages, transients, decisionTickets } = context
  requireOwnForm(server, http)
  const { request: requestId } = readMessage(DecisionQuery, parameters(http.query))
  const fields = formParameters(http)
  const form = readMessage(ConsentForm, fields)
  const session = await freshSession(context, http)
  if (session === undefined) return askToSignIn(context, http)
  const request = await findDeviceRequest(transients, requestId)
  if (request === undefined) throw new OAuthError(DEVICE_REQUEST_ERRORS.device_request_gone)
  requireOpenForm(server, decisionTickets.open(decisionForm(session, requestId, request), form.ticket))
  const { reference, clientId } = request
  const observed = { reference, clientId, subject: session.subject }
  server.observer?.report({ fact: 'request_read', ...observed }, http)
  const client = await clientOf(context, request)
  const scopes = allowedScopes(server, form, request.scopes)
  const { subject, authTime } = session
  const facts = server.authenticationClasses.factsOf(session)
  const isRestricted = scopes.some((name) => server.scopes[name]?.restricted)
  // A device outlives the browser session that allowed it, but not with such a scope.
  const sid = isRestricted ? server.sessions.sidOf(session, client, scopes) : undefined
  const allowed = scopes.length > 0
  const page = pageView(server.interaction, http)
  const about = userInfoOf(request, client, session, page)
  const decided = await decideTerms(server, allowed ? request.asked : undefined, fields, about)
  if (decided === 'open') throw new OAuthError(TERM_ERRORS.user_decision_missing)
  const terms = decided.value && { terms: decided.value }
  const decision: Decision = { subject, scopes, authTime, ...facts, ...(sid && { sid }), ...terms }
  const event = await (allowed ? approve : deny)(context, { client, requestId, request, decision })
  if (event !== undefined) server.emit({ ...event }, http)
  const view = { ...page, client: publicClient(client), allowed }
  return securePage(await pages.deviceAnsweredPage(view))
}

interface UserAnswer {
  readonly client: Client
  readonly requestId: string
  readonly request: DeviceRequest
  readonly decision: Decision
}

/** Writes the decision first, then the grant. If the second write is lost, sending the form again repeats it. */
async function approve(context: DevicePages, answer: UserAnswer): Promise<DeviceApproved | undefined> {
  const { server } = context
  const { client, requestId, request, decision } = answer
  const { subject, scopes } = decision
  const grant = deviceGrant(request, decision, server.now(), context.grantLifetime)
  // An approved client lives at least as long as its grants.
  await server.store.clients.keep(client, grant.expiresAt)
  await settle(context, answer)
  if (!(await openWithinLimit(server, grant))) return undefined
  const ids = { requestId, grantId: grant.id, clientId: client.clientId, subject }
  const { resources, terms } = grant
  return { type: 'device_approved', ...ids, scopes, resources, ...(terms && { terms }) }
}

async function deny(context: DevicePages, answer: UserAnswer): Promise<DeviceDenied | undefined> {
  const { client, requestId, decision } = answer
  if (!(await settle(context, answer))) return undefined
  return { type: 'device_denied', requestId, clientId: client.clientId, subject: decision.subject }
}

/**
 * Writes the decision. Of several at once, the first one counts.
 *
 * @returns whether this call wrote it
 * @throws OAuthError if the request has another decision
 */
async function settle(
  { server, transients }: DevicePages,
  { requestId, request: { grantId }, decision }: UserAnswer,
): Promise<boolean> {
  const written = await changeRecord(transients, recordId(requestId), server, (seen) => {
    const request = deviceRequestIn(seen)
    if (request?.grantId !== grantId) throw new OAuthError(DEVICE_REQUEST_ERRORS.device_request_gone)
    const next = answered(request, decision, server.now())
    return next === request ? undefined : next
  })
  return written !== undefined
}

/**
 * The grant of an approved request, whose code is the device code. Its id stays taken for as long as the request is stored, so
 * a form that is sent again opens no second grant.
 *
 * @param lifetime of the grant, in seconds
 */
function deviceGrant(
  request: DeviceRequest,
  { subject, scopes, authTime, acr, amr, sid, terms }: Decision,
  now: number,
  lifetime: number,
): Grant {
  const requested = [...request.scopes, ...request.ignoredScopes]
  const withheldScopes = requested.filter((scope) => !scopes.includes(scope))
  return {
    id: request.grantId,
    subject,
    clientId: request.clientId,
    scopes,
    ...(withheldScopes.length === 0 ? undefined : { withheldScopes }),
    resources: request.resources,
    ...(terms && { terms }),
    origin: 'device',
    reference: request.reference,
    network: request.address && coarseNetworkOf(request.address),
    authTime,
    ...(acr && { acr }),
    ...(amr && { amr }),
    ...(sid && { sid }),
    createdAt: now,
    usedAt: now,
    expiresAt: now + lifetime,
    ticketEndsAt: request.expiresAt + CLOCK_TOLERANCE,
    code: {
      hash: request.codeHash,
      challenge: request.challenge,
      expiresAt: request.endsAt,
      ...(request.jkt && { jkt: request.jkt }),
    },
    accessTokens: [],
  }
}
