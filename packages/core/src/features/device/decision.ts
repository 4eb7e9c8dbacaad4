import * as z from 'zod'
import { allowedScopes, ConsentForm, scopesInWords } from '../../authorization/consent.ts'
import type { Session } from '../../authorization/interaction.ts'
import { CLIENT_ERRORS, publicClient } from '../../clients/client-record.ts'
import type { ServerContext } from '../../feature.ts'
import { openWithinLimit } from '../../grants/user-grants.ts'
import { requireOwnForm } from '../../http/cross-site.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../../http/http.ts'
import { formParameters, parameters, readMessage } from '../../http/message.ts'
import { pageView } from '../../http/page-language.ts'
import { CLOCK_TOLERANCE } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import type { Client, Grant } from '../../kernel/records.ts'
import { changeRecord } from '../../kernel/store.ts'
import { coarseNetworkOf, networkOf } from '../../limits/caller-network.ts'
import {
  answered,
  countAttempt,
  DEVICE_REQUEST_ERRORS,
  type Decision,
  type DeviceRequest,
  deviceRequestIn,
  findDeviceRequest,
  isOpen,
  recordId,
  requestIdOf,
  shownUserCode,
  typedUserCode,
} from './device-authorization.ts'
import type { DeviceContext, UserCodeView } from './device-context.ts'

/** The user allowed a device: a grant is open. */
export interface DeviceApproved {
  readonly type: 'device_approved'
  readonly requestId: string
  readonly grantId: string
  readonly clientId: string
  readonly subject: string
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

/** The user denied a device. */
export interface DeviceDenied {
  readonly type: 'device_denied'
  readonly requestId: string
  readonly clientId: string
  readonly subject: string
}

const DecisionQuery = z.object({ request: z.string().max(100) })

/** The user's decision. The ticket proves that this session has seen this request. */
export async function answerDevice(context: DeviceContext, http: HttpRequest): Promise<HttpResponse> {
  const { server, pages } = context
  requireOwnForm(server, http)
  const { request: requestId } = readMessage(DecisionQuery, parameters(http.query))
  const form = readMessage(ConsentForm, formParameters(http))
  const session = await freshSession(context, http)
  if (session === undefined) return askToSignIn(context, http)
  const request = await requestShownTo(context, session, requestId, form.ticket)
  const { reference, clientId } = request
  const about = { reference, clientId, subject: session.subject }
  server.observer?.report({ fact: 'request_read', ...about }, http)
  const client = await clientOf(context, request)
  const scopes = allowedScopes(server, form, request.scopes)
  const { subject, authTime } = session
  const facts = server.authenticationClasses.factsOf(session)
  const isRestricted = scopes.some((name) => server.scopes[name]?.restricted)
  // A device outlives the browser session that allowed it, but not with such a scope.
  const sid = isRestricted ? server.sessions.sidOf(session, client, scopes) : undefined
  const decision: Decision = { subject, scopes, authTime, ...facts, ...(sid && { sid }) }
  const answer = { http, client, requestId, request, decision }
  if (scopes.length > 0) await approve(context, answer)
  else await deny(context, answer)
  const answered = { client: publicClient(client), allowed: scopes.length > 0 }
  const view = { ...pageView(server.interaction, http), ...answered }
  return securePage(await pages.deviceAnsweredPage(view))
}

async function requestShownTo(
  context: DeviceContext,
  session: Session,
  requestId: string,
  ticket: string,
): Promise<DeviceRequest> {
  const found = await findDeviceRequest(context.transients, requestId)
  if (found === undefined) throw new OAuthError(DEVICE_REQUEST_ERRORS.device_request_gone)
  const end = context.decisionTickets.open(decisionForm(session, requestId, found), ticket)
  requireOpenForm(context.server, end)
  return found
}

async function clientOf({ server }: DeviceContext, { clientId }: DeviceRequest): Promise<Client> {
  const client = await server.store.clients.find(clientId)
  if (client === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
  return client
}

interface UserAnswer {
  readonly http: HttpRequest
  readonly client: Client
  readonly requestId: string
  readonly request: DeviceRequest
  readonly decision: Decision
}

/** Writes the decision first, then the grant. If the second write is lost, sending the form again repeats it. */
async function approve(
  context: DeviceContext,
  { http, client, requestId, request, decision }: UserAnswer,
): Promise<void> {
  const { server, lifetimes } = context
  const { clients } = server.store
  const { subject, scopes } = decision
  const grant = deviceGrant(request, decision, server.now(), lifetimes.deviceGrant)
  // An approved client lives at least as long as its grants.
  await clients.keep(client, grant.expiresAt)
  await settle(context, requestId, request, decision)
  if (!(await openWithinLimit(server, grant))) return
  const ids = { requestId, grantId: grant.id, clientId: client.clientId, subject }
  const { resources } = grant
  server.emit({ type: 'device_approved', ...ids, scopes, resources } satisfies DeviceApproved, http)
}

async function deny(
  context: DeviceContext,
  { http, requestId, request, decision }: UserAnswer,
): Promise<void> {
  const { subject } = decision
  const { clientId } = request
  if (!(await settle(context, requestId, request, decision))) return
  context.server.emit({ type: 'device_denied', requestId, clientId, subject } satisfies DeviceDenied, http)
}

/**
 * Writes the decision. Of several at once, the first one counts.
 *
 * @returns whether this call wrote it
 * @throws OAuthError if the request has another decision
 */
async function settle(
  { server, transients }: DeviceContext,
  requestId: string,
  { grantId }: DeviceRequest,
  decision: Decision,
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
  { subject, scopes, authTime, acr, amr, sid }: Decision,
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

// The user interaction of the device grant (RFC 8628 3.3): the page for a code, and the page of the decision.

export const DEVICE_PAGE_ERRORS = defineErrors({
  device_ticket_invalid: [
    'invalid_request',
    'This form has expired or belongs to another sign-in. Open the page again',
  ],
})

/** A user typed a code without an open request: it is wrong, expired or answered already. */
export interface UserCodeWrong {
  readonly type: 'user_code_wrong'
  readonly subject: string
}

/** The query of the page. The code only prefills the field (RFC 8628 3.3.1). */
const CodePageQuery = z.object({ user_code: z.string().catch('') })

/** The form of the page for a code. */
export const UserCodeForm = z.object({ ticket: z.string().max(200), user_code: z.string().default('') })

/** Seconds in which the user can type the code. */
const TICKET_LIFETIME = 600

/** The page for a code (RFC 8628 3.3). It looks up no request. */
export async function showCodePage(context: DeviceContext, request: HttpRequest): Promise<HttpResponse> {
  const { user_code } = readMessage(CodePageQuery, parameters(request.query))
  const code = context.completeUri ? typedUserCode(user_code) : undefined
  const typed = code === undefined ? '' : shownUserCode(code)
  const session = await freshSession(context, request)
  if (session === undefined) return askToSignIn(context, request, typed)
  return askForCode(context, request, { session, typed, wrong: false })
}

/** The form with a code: shows the page of the decision, or the form again. */
export async function enterCode(context: DeviceContext, request: HttpRequest): Promise<HttpResponse> {
  const { server, codeTickets } = context
  requireOwnForm(server, request)
  const { ticket, user_code } = readMessage(UserCodeForm, formParameters(request))
  const session = await freshSession(context, request)
  if (session === undefined) return askToSignIn(context, request)
  requireOpenForm(server, codeTickets.open(formOf(session), ticket))
  const refund = await countAttempt(server.limiter, session.subject, request)
  const code = typedUserCode(user_code)
  const found = code === undefined ? undefined : await openRequest(context, code)
  if (found === undefined) {
    server.emit({ type: 'user_code_wrong', subject: session.subject } satisfies UserCodeWrong)
    return askForCode(context, request, { session, typed: user_code.slice(0, 32), wrong: true })
  }
  await refund()
  if (mustSignInAgain(context, session, found.request))
    return askToSignIn(context, request, found.userCode, found.request.acrValues)
  const { reference, clientId, scopes } = found.request
  const page = await askForDecision(context, session, found, request)
  const about = { reference, clientId, subject: session.subject }
  server.observer?.report({ fact: 'consent_shown', scopes, ...about }, request)
  return page
}

/** A request that was answered or has expired looks like an unknown one. */
async function openRequest(
  { transients, server }: DeviceContext,
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
  { server, pages, codeTickets, paths }: DeviceContext,
  request: HttpRequest,
  content: Pick<UserCodeView, 'session' | 'typed' | 'wrong'>,
): Promise<HttpResponse> {
  const ticket = codeTickets.seal(formOf(content.session), server.now() + TICKET_LIFETIME)
  const view = { ...pageView(server.interaction, request), ...content, action: paths.device, ticket }
  const page = await pages.userCodePage(view)
  return securePage(content.wrong ? { ...page, status: 400 } : page)
}

function formOf({ id }: Session) {
  return { session: id, query: '' }
}

/** The request whose code the user typed. */
interface TypedRequest {
  readonly request: DeviceRequest
  readonly requestId: string
  readonly userCode: string
}

/** The page of the decision. It is shown every time: consent to a device is not remembered. */
async function askForDecision(
  context: DeviceContext,
  session: Session,
  { request, requestId, userCode }: TypedRequest,
  http: HttpRequest,
): Promise<HttpResponse> {
  const { server, pages, decisionTickets, paths } = context
  const client = await clientOf(context, request)
  const view = pageView(server.interaction, http)
  const page = await pages.devicePage({
    ...view,
    session,
    client: publicClient(client),
    userCode,
    age: server.now() - request.createdAt,
    sameNetwork: isSameNetwork(request, http),
    scopes: scopesInWords(server, request.scopes, view),
    resources: request.resources,
    action: `${paths.decision}?request=${requestId}`,
    ticket: decisionTickets.seal(decisionForm(session, requestId, request), request.endsAt),
  })
  return securePage(page)
}

/** The grant id distinguishes this request from a later one with the same code. */
function decisionForm({ id }: Session, requestId: string, { grantId, scopes }: DeviceRequest) {
  return { session: id, query: [requestId, grantId, ...scopes].join(' ') }
}

function isSameNetwork({ address }: DeviceRequest, { remoteAddress }: HttpRequest): boolean | undefined {
  if (address === undefined || remoteAddress === undefined) return undefined
  return networkOf(remoteAddress) === networkOf(address)
}

/** The session of the user, if it is recent: phishing relies on sessions that users have forgotten. */
async function freshSession(
  { server, maxAge }: DeviceContext,
  request: HttpRequest,
): Promise<Session | undefined> {
  const session = await server.interaction.session(request)
  return session !== undefined && server.now() - session.authTime <= maxAge ? session : undefined
}

/**
 * Whether the session is too weak for the request, and older than it.
 *
 * @throws OAuthError `unmet_authentication_requirements` if the user has signed in since, and that was too weak too
 */
function mustSignInAgain(
  { server: { authenticationClasses } }: DeviceContext,
  session: Session,
  { acrValues, createdAt }: DeviceRequest,
): boolean {
  if (authenticationClasses.meets(session, acrValues)) return false
  if (session.authTime < createdAt) return true
  authenticationClasses.requireMet(session, acrValues)
  return false
}

/** @param typed the value of the code field afterwards */
async function askToSignIn(
  { server, paths }: DeviceContext,
  request: HttpRequest,
  typed = '',
  acrValues?: readonly string[],
): Promise<HttpResponse> {
  const query = typed === '' ? '' : `?user_code=${typed}`
  const view = pageView(server.interaction, request)
  const hint = { ...view, ...(acrValues && { acrValues }) }
  return securePage(await server.interaction.signIn(paths.device + query, hint))
}

/** @param end when the ticket of the form ends, in epoch seconds; `undefined` if it is of another session */
function requireOpenForm({ now }: ServerContext, end: number | undefined): void {
  if (end === undefined || now() >= end) throw new OAuthError(DEVICE_PAGE_ERRORS.device_ticket_invalid)
}
