import * as z from 'zod'
import { ConsentForm } from '../../authorization/consent.ts'
import {
  answerRequest,
  askForDecision,
  askToSignIn,
  type DecisionView,
  type DecoupledDecisions,
  freshSession,
  requireOpenForm,
  type ShownRequest,
  WeakSession,
} from '../../authorization/decoupled-decision.ts'
import type { Session } from '../../authorization/interaction.ts'
import { errorPages } from '../../authorization/redirect-target.ts'
import type { Tickets } from '../../authorization/ticket.ts'
import { type PublicClient, publicClient } from '../../clients/client-record.ts'
import type { ServerContext } from '../../feature.ts'
import { type DecoupledRequest, findRequest, isOpen } from '../../grants/decoupled-request.ts'
import { extentOf } from '../../grants/grant.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../../http/http.ts'
import { formParameters, parameters, readMessage } from '../../http/message.ts'
import { type PageView, pageView, requireOwnForm } from '../../http/page.ts'
import { defineErrors, OAuthError, withCode } from '../../kernel/oauth-error.ts'
import type { Terms } from '../../kernel/records.ts'
import { coarseNetworkOf } from '../../limits/caller-network.ts'
import { close, keyOfUser, requestsOf, silence, unblock } from './user-requests.ts'

// The page of a signed-in user: what waits for an answer, and one request with its form.

/** The requests that wait for the user, the oldest first, and the clients that the user silenced. */
export interface BackchannelRequestsView extends PageView {
  readonly session: Session
  readonly requests: readonly WaitingRequest[]
  /** The clients whose last request ended within a day without an answer. */
  readonly unanswered: readonly PublicClient[]
  readonly blocked: readonly PublicClient[]
  /**
   * A form for each of these clients: POST to `action` with `ticket` and `client_id`. A blocked client may then ask again; with
   * `never` of the value `yes` one whose request was unanswered may not.
   */
  readonly action: string
  readonly ticket: string
}

interface WaitingRequest {
  readonly client: PublicClient
  readonly message?: string | undefined
  /** Seconds since the request. */
  readonly age: number
  /** Its page, a path with query. */
  readonly href: string
}

/**
 * The page on which the user decides. The user began nothing here, and a client can ask at any time: show all of these members, and
 * make "Deny" as large as "Allow". The form may have `never` with the value `yes`, next to the decision `deny`.
 */
export interface BackchannelRequestView extends DecisionView {
  /** What the client says, at most 60 characters. Show it in quotes, as words of the client: anything can stand there. */
  readonly message?: string | undefined
  /** The network that the request came from: 24 bits of IPv4, 48 of IPv6. */
  readonly network?: string | undefined
  /** An API asks for one operation, which `terms` describe. The app gets no access by it. */
  readonly operation: boolean
}

export interface BackchannelAnsweredView extends PageView {
  readonly client: PublicClient
  readonly allowed: boolean
  readonly operation: boolean
  /** When the client may ask again, in epoch seconds, if this answer has silenced it. */
  readonly blockedUntil?: number | undefined
  /** The page of all requests. */
  readonly href: string
}

/** The application's part: three pages. */
export interface BackchannelInteraction {
  requestsPage(view: BackchannelRequestsView): HttpResponse | Promise<HttpResponse>
  requestPage(view: BackchannelRequestView): HttpResponse | Promise<HttpResponse>
  requestAnsweredPage(view: BackchannelAnsweredView): HttpResponse | Promise<HttpResponse>
}

export const BACKCHANNEL_PAGE_ERRORS = defineErrors({
  ...withCode('invalid_request', {
    backchannel_request_gone: 'The request has ended. If the user wants it, the app must ask again',
    backchannel_request_answered: 'This request was already answered',
    backchannel_ticket_invalid:
      'This form has expired or belongs to another sign-in. Nothing was decided: open the requests page again',
  }),
  backchannel_request_unknown: ['invalid_request', 'You have no such request', 404],
})

/** By the names that every flow has. */
export const BACKCHANNEL_ANSWER_ERRORS = {
  gone: BACKCHANNEL_PAGE_ERRORS.backchannel_request_gone,
  answered: BACKCHANNEL_PAGE_ERRORS.backchannel_request_answered,
  formExpired: BACKCHANNEL_PAGE_ERRORS.backchannel_ticket_invalid,
}

/** The user allowed a request: a grant is open. */
export interface BackchannelApproved {
  readonly type: 'backchannel_approved'
  readonly requestId: string
  readonly grantId: string
  readonly clientId: string
  readonly subject: string
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly terms?: Terms | undefined
}

/** The user allowed one operation. */
export interface OperationApproved {
  readonly type: 'operation_approved'
  readonly requestId: string
  readonly clientId: string
  readonly subject: string
  readonly resources: readonly string[]
  readonly terms?: Terms | undefined
}

/** The user denied a request, or silenced its client afterwards. */
export interface BackchannelDenied {
  readonly type: 'backchannel_denied'
  readonly requestId: string
  readonly clientId: string
  readonly subject: string
  /** The client may not ask this user again before, in epoch seconds. */
  readonly blockedUntil?: number | undefined
}

/** The user lets a client ask again. */
export interface BackchannelUnblocked {
  readonly type: 'backchannel_unblocked'
  readonly clientId: string
  readonly subject: string
}

export interface BackchannelPages extends DecoupledDecisions {
  readonly server: ServerContext
  readonly pages: BackchannelInteraction
  /** Of the forms of the list. */
  readonly listTickets: Tickets
}

/** @param path of the page, below the issuer */
export function pageEndpoints(context: BackchannelPages, path: string): Endpoint[] {
  const page = errorPages(context.server)
  return [
    {
      ...page,
      path,
      summary: 'The requests that wait for the user (CIBA 8)',
      message: ListForm,
      methods: ['GET', 'POST'],
      answer: (request) => (request.method === 'GET' ? show(context, request) : changeList(context, request)),
    },
    {
      ...page,
      path: `${path}/decision`,
      summary: "The user's answer to a request",
      message: DecisionForm,
      methods: ['POST'],
      answer: (request) => decide(context, request),
    },
  ]
}

const RequestQuery = z.object({ request: z.string().max(100).optional(), ...WeakSession })

async function show(context: BackchannelPages, http: HttpRequest): Promise<HttpResponse> {
  const { request: requestId, weak } = readMessage(RequestQuery, parameters(http.query))
  const session = await freshSession(context, http)
  if (requestId === undefined)
    return session === undefined ? askToSignIn(context, http) : showList(context, session, http)
  const returnQuery = `?${new URLSearchParams({ request: requestId })}`
  const request = await findRequest(context, requestId)
  if (session === undefined) return askToSignIn(context, http, returnQuery, { acrValues: request?.acrValues })
  return showRequest(context, request, { session, requestId, returnQuery, weak }, http)
}

/** Of another user it is not there: a forwarded link tells nothing. */
async function showRequest(
  context: BackchannelPages,
  request: DecoupledRequest | undefined,
  shown: Omit<ShownRequest, 'request'>,
  http: HttpRequest,
): Promise<HttpResponse> {
  if (request === undefined || request.subject !== shown.session.subject)
    throw new OAuthError(BACKCHANNEL_PAGE_ERRORS.backchannel_request_unknown)
  if (!isOpen(request, context.server.now())) {
    const { gone, answered } = context.answerErrors
    throw new OAuthError(request.decision === undefined ? gone : answered)
  }
  const { message, address, operation = false } = request
  const network = address && coarseNetworkOf(address)
  return askForDecision(context, { ...shown, request }, http, (view) =>
    context.pages.requestPage({ ...view, message, network, operation }),
  )
}

async function showList(
  context: BackchannelPages,
  session: Session,
  http: HttpRequest,
): Promise<HttpResponse> {
  const { server, pages, listTickets, page, maxAge } = context
  const { open, unanswered, blocks } = await requestsOf(context, keyOfUser(session.subject))
  const requests = await Promise.all(open.map(({ requestId }) => waiting(context, requestId)))
  const view = {
    ...pageView(server.interaction, http),
    session,
    requests: requests.filter((request) => request !== undefined),
    unanswered: await clientsOf(server, unanswered),
    blocked: await clientsOf(server, blocks),
    action: page,
    ticket: listTickets.seal({ session: session.id, query: '' }, server.now() + maxAge),
  }
  return securePage(await pages.requestsPage(view))
}

async function clientsOf(
  { store }: ServerContext,
  named: readonly { readonly clientId: string }[],
): Promise<PublicClient[]> {
  const clients = await Promise.all(named.map(({ clientId }) => store.clients.find(clientId)))
  return clients.flatMap((client) => (client === undefined ? [] : [publicClient(client)]))
}

async function waiting(context: BackchannelPages, requestId: string): Promise<WaitingRequest | undefined> {
  const { server, page } = context
  const request = await findRequest(context, requestId)
  if (request === undefined || !isOpen(request, server.now())) return undefined
  const client = await server.store.clients.find(request.clientId)
  if (client === undefined) return undefined
  const { message, createdAt } = request
  const href = `${page}?request=${requestId}`
  return { client: publicClient(client), message, age: server.now() - createdAt, href }
}

const DecisionForm = ConsentForm.extend({ never: z.string().optional().catch(undefined) })

async function decide(context: BackchannelPages, http: HttpRequest): Promise<HttpResponse> {
  const { server, pages, page } = context
  const answer = await answerRequest(context, http)
  if (answer === undefined) return askToSignIn(context, http)
  const { never } = formParameters(http)
  const { client, requestId, request, decision, allowed, grant, isFirst } = answer
  const { operation = false, resources } = request
  const { subject } = decision
  const ids = { requestId, clientId: client.clientId }
  const denial = never === 'yes' ? 'never' : 'denied'
  const said = allowed ? 'allowed' : denial
  let blockedUntil: number | undefined
  try {
    // After the decision: if this is lost, sending the form again repeats it.
    blockedUntil = await close(context, keyOfUser(subject), { ...ids, endsAt: request.endsAt }, said)
  } finally {
    if (isFirst && grant !== undefined) {
      const access = { grantId: grant.id, subject, ...extentOf(grant) }
      const event = { type: 'backchannel_approved', ...ids, ...access } as const
      server.emit(event satisfies BackchannelApproved, http)
    } else if (isFirst && allowed) {
      const { terms } = decision
      const event = { type: 'operation_approved', ...ids, subject, resources, terms } as const
      server.emit(event satisfies OperationApproved, http)
    } else if (isFirst || blockedUntil !== undefined) {
      const event = { type: 'backchannel_denied', ...ids, subject, blockedUntil } as const
      server.emit(event satisfies BackchannelDenied, http)
    }
  }
  const view = {
    ...pageView(server.interaction, http),
    client: publicClient(client),
    blockedUntil,
    href: page,
  }
  return securePage(await pages.requestAnsweredPage({ ...view, allowed, operation }))
}

const ListForm = z.object({
  ticket: z.string().max(200),
  client_id: z.string().max(500),
  never: z.string().optional().catch(undefined),
})

async function changeList(context: BackchannelPages, http: HttpRequest): Promise<HttpResponse> {
  const { server, listTickets, answerErrors } = context
  requireOwnForm(server, http)
  const { ticket, client_id: clientId, never } = readMessage(ListForm, formParameters(http))
  const session = await freshSession(context, http)
  if (session === undefined) return askToSignIn(context, http)
  const end = listTickets.open({ session: session.id, query: '' }, ticket)
  requireOpenForm(server, end, answerErrors.formExpired)
  const { subject } = session
  const key = keyOfUser(subject)
  if (never === 'yes') {
    const silenced = await silence(context, key, clientId)
    const event = silenced && { type: 'backchannel_denied' as const, ...silenced, clientId, subject }
    if (event) server.emit(event satisfies BackchannelDenied, http)
  } else if (await unblock(context, key, clientId))
    server.emit({ type: 'backchannel_unblocked', clientId, subject } satisfies BackchannelUnblocked)
  return showList(context, session, http)
}
