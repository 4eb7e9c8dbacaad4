import * as z from 'zod'
import { scopesInWords } from '../../authorization/consent.ts'
import type { ConsentScope, Session } from '../../authorization/interaction.ts'
import type { Tickets } from '../../authorization/ticket.ts'
import { CLIENT_ERRORS, type PublicClient, publicClient } from '../../clients/client-record.ts'
import type { ServerContext } from '../../feature.ts'
import { askTerms, type UserInfo } from '../../grants/request-terms.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../../http/http.ts'
import { formParameters, parameters, readMessage } from '../../http/message.ts'
import { type PageView, pageView, requireOwnForm } from '../../http/page.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import type { Client, TermViews } from '../../kernel/records.ts'
import { sha256 } from '../../kernel/secrets.ts'
import { networkOf } from '../../limits/caller-network.ts'
import type { RateLimits } from '../../limits/rate-limits.ts'
import {
  type DeviceGrant,
  type DeviceRequest,
  findDeviceRequest,
  isOpen,
  requestIdOf,
  shownUserCode,
  typedUserCode,
} from './device-authorization.ts'

// The user interaction of the device grant (RFC 8628 3.3): the page for a code, and the page of the decision.

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
  /** What the user decides beside scopes, as in `ConsentView`. */
  readonly terms?: TermViews | undefined
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

export interface DevicePages extends DeviceGrant {
  readonly pages: DeviceInteraction
  readonly codeTickets: Tickets
  readonly decisionTickets: Tickets
  /** Of the page for a code, from the root of the host. */
  readonly page: string
  /** Of the user's sign-in, in seconds. */
  readonly maxAge: number
}

export const DEVICE_PAGE_ERRORS = defineErrors({
  too_many_user_codes: ['temporarily_unavailable', 'Too many wrong codes. Try again later', 429],
  device_ticket_invalid: [
    'invalid_request',
    'This form has expired or belongs to another sign-in. Open the page again',
  ],
})

export const USER_CODE_LIMITS: RateLimits = {
  user_code: { points: 10, seconds: 600, withoutLimiter: true },
  user_code_network: { points: 50, seconds: 600, withoutLimiter: true },
}

/** A user typed a code without an open request: it is wrong, expired or answered already. */
export interface UserCodeWrong {
  readonly type: 'user_code_wrong'
  readonly subject: string
}

/** The query of the page. The code only prefills the field (RFC 8628 3.3.1). */
const CodePageQuery = z.object({ user_code: z.string().catch('') })

export const UserCodeForm = z.object({ ticket: z.string().max(200), user_code: z.string().default('') })

/** Seconds in which the user can type the code. */
const TICKET_LIFETIME = 600

/** The page for a code (RFC 8628 3.3). It looks up no request. */
export async function showCodePage(context: DevicePages, request: HttpRequest): Promise<HttpResponse> {
  const { user_code } = readMessage(CodePageQuery, parameters(request.query))
  const code = context.completeUri ? typedUserCode(user_code) : undefined
  const typed = code === undefined ? '' : shownUserCode(code)
  const session = await freshSession(context, request)
  if (session === undefined) return askToSignIn(context, request, typed)
  return askForCode(context, request, { session, typed, wrong: false })
}

/** The form with a code: shows the page of the decision, or the form again. */
export async function enterCode(context: DevicePages, request: HttpRequest): Promise<HttpResponse> {
  const { server, codeTickets } = context
  const { limiter } = server
  requireOwnForm(server, request)
  const { ticket, user_code } = readMessage(UserCodeForm, formParameters(request))
  const session = await freshSession(context, request)
  if (session === undefined) return askToSignIn(context, request)
  requireOpenForm(server, codeTickets.open(formOf(session), ticket))
  const user = sha256(session.subject)
  const { too_many_user_codes } = DEVICE_PAGE_ERRORS
  // A user code is short enough to guess (RFC 8628 5.1). An attempt counts before the code is looked up: over the limit, a
  // correct code does not work either. The user comes first: a user over the limit does not use up the limit of the network.
  await limiter.limit('user_code', user, too_many_user_codes)
  await limiter.limitCaller('user_code_network', request, too_many_user_codes)
  const code = typedUserCode(user_code)
  const found = code === undefined ? undefined : await openRequest(context, code)
  if (found === undefined) {
    server.emit({ type: 'user_code_wrong', subject: session.subject } satisfies UserCodeWrong)
    return askForCode(context, request, { session, typed: user_code.slice(0, 32), wrong: true })
  }
  // A correct code does not count.
  await Promise.all([limiter.refund('user_code', user), limiter.refundCaller('user_code_network', request)])
  return askForDecision(context, session, found, request)
}

/** A request that was answered or has expired looks like an unknown one. */
async function openRequest(
  { transients, server }: DevicePages,
  code: string,
): Promise<TypedRequest | undefined> {
  for (const accepted of server.secret) {
    const requestId = requestIdOf(accepted, code)
    const request = await findDeviceRequest(transients, requestId)
    if (request !== undefined && isOpen(request, server.now()))
      return { request, requestId, userCode: shownUserCode(code) }
  }
  return undefined
}

async function askForCode(
  { server, pages, codeTickets, page: action }: DevicePages,
  request: HttpRequest,
  content: { session: Session; typed: string; wrong: boolean },
): Promise<HttpResponse> {
  const ticket = codeTickets.seal(formOf(content.session), server.now() + TICKET_LIFETIME)
  const view = { ...pageView(server.interaction, request), ...content, action, ticket }
  const page = await pages.userCodePage(view)
  return securePage(content.wrong ? { ...page, status: 400 } : page)
}

function formOf({ id }: Session) {
  return { session: id, query: '' }
}

interface TypedRequest {
  readonly request: DeviceRequest
  readonly requestId: string
  readonly userCode: string
}

/**
 * The page of the decision. It is shown every time: consent to a device is not remembered. If the session is too weak for the
 * request, and older than it, the user signs in again.
 *
 * @throws OAuthError `unmet_authentication_requirements` if the user has signed in since, and that was too weak too
 */
async function askForDecision(
  context: DevicePages,
  session: Session,
  { request, requestId, userCode }: TypedRequest,
  http: HttpRequest,
): Promise<HttpResponse> {
  const { server, pages, decisionTickets } = context
  const { reference, clientId, scopes, acrValues } = request
  const { authenticationClasses: classes } = server
  if (!classes.meets(session, acrValues) && session.authTime < request.createdAt)
    return askToSignIn(context, http, userCode, acrValues)
  classes.requireMet(session, acrValues)
  const client = await clientOf(context, request)
  const view = pageView(server.interaction, http)
  const { views } = await askTerms(server, request.asked, userInfoOf(request, client, session, view))
  const page = await pages.devicePage({
    ...view,
    session,
    client: publicClient(client),
    userCode,
    age: server.now() - request.createdAt,
    sameNetwork: isSameNetwork(request, http),
    scopes: scopesInWords(server, scopes, view),
    resources: request.resources,
    ...(views && { terms: views }),
    action: `${context.page}/decision?request=${requestId}`,
    ticket: decisionTickets.seal(decisionForm(session, requestId, request), request.endsAt),
  })
  const about = { reference, clientId, subject: session.subject }
  server.observer?.report({ fact: 'consent_shown', scopes, ...about }, http)
  return securePage(page)
}

/** The grant id distinguishes this request from a later one with the same code. */
export function decisionForm({ id }: Session, requestId: string, { grantId, scopes }: DeviceRequest) {
  return { session: id, query: [requestId, grantId, ...scopes].join(' ') }
}

/** Whom the terms of a request ask. */
export function userInfoOf(
  { scopes, resources }: DeviceRequest,
  client: Client,
  { subject }: Session,
  { locale }: PageView,
): UserInfo {
  return { subject, client, scopes, resources, locale }
}

export async function clientOf({ server }: DevicePages, { clientId }: DeviceRequest): Promise<Client> {
  const client = await server.store.clients.find(clientId)
  if (client === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
  return client
}

function isSameNetwork({ address }: DeviceRequest, { remoteAddress }: HttpRequest): boolean | undefined {
  if (address === undefined || remoteAddress === undefined) return undefined
  return networkOf(remoteAddress) === networkOf(address)
}

/** The session of the user, if it is recent: phishing relies on sessions that users have forgotten. */
export async function freshSession(
  { server, maxAge }: DevicePages,
  request: HttpRequest,
): Promise<Session | undefined> {
  const session = await server.interaction.session(request)
  return session !== undefined && server.now() - session.authTime <= maxAge ? session : undefined
}

/** @param typed the value of the code field afterwards */
export async function askToSignIn(
  { server, page, maxAge }: DevicePages,
  request: HttpRequest,
  typed = '',
  acrValues?: readonly string[],
): Promise<HttpResponse> {
  const query = typed === '' ? '' : `?user_code=${typed}`
  const hint = { ...pageView(server.interaction, request), maxAge, ...(acrValues && { acrValues }) }
  return securePage(await server.interaction.signIn(page + query, hint))
}

/** @param end when the ticket of the form ends, in epoch seconds; `undefined` if it is of another session */
export function requireOpenForm({ now }: ServerContext, end: number | undefined): void {
  if (end === undefined || now() >= end) throw new OAuthError(DEVICE_PAGE_ERRORS.device_ticket_invalid)
}
