/**
 * The page on which a user answers a request that a client sent elsewhere, and the writes of that answer: the decision first, then
 * the grant. The device grant (RFC 8628 3.3) and requests by a back channel share it.
 */
import * as z from 'zod'
import { CLIENT_ERRORS, type PublicClient, publicClient } from '../clients/client-record.ts'
import {
  type AnswerErrors,
  answered,
  type Decision,
  type DecoupledRequest,
  type DecoupledRequests,
  findRequest,
  requestIn,
  requestRecordId,
} from '../grants/decoupled-request.ts'
import { askTerms, decideTerms, TERM_ERRORS, type WithTerms } from '../grants/request-terms.ts'
import { openWithinLimit } from '../grants/user-grants.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../http/http.ts'
import { formParameters, parameters, readMessage } from '../http/message.ts'
import { type PageView, pageView, requireOwnForm } from '../http/page.ts'
import { CLOCK_TOLERANCE, type Kernel } from '../kernel/kernel.ts'
import { type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { Client, Grant, TermViews } from '../kernel/records.ts'
import { changeRecord } from '../kernel/store.ts'
import { coarseNetworkOf, networkOf } from '../limits/caller-network.ts'
import { allowedScopes, ConsentForm, scopesInWords } from './consent.ts'
import type { ConsentScope, Interaction, Session } from './interaction.ts'
import { type AuthenticationClasses, fingerprint } from './sign-in.ts'
import type { Tickets } from './ticket.ts'
import type { SessionObserver } from './user-sessions.ts'

export interface DecoupledDecisions extends DecoupledRequests {
  readonly server: Kernel &
    WithTerms & {
      readonly interaction: Interaction
      readonly authenticationClasses: AuthenticationClasses
      readonly sessions: SessionObserver
    }
  /** Of the grants that it opens. */
  readonly origin: NonNullable<Grant['origin']>
  /** Seconds. */
  readonly grantLifetime: number
  /** The maximum age of the sign-in of a user who decides, in seconds. */
  readonly maxAge: number
  readonly decisionTickets: Tickets
  /** Of its page, from the root of the host. The decision is sent to `/decision` below it. */
  readonly page: string
  /** `formExpired`: the form is too old, or belongs to another sign-in. */
  readonly answerErrors: AnswerErrors & { readonly formExpired: ErrorDefinition }
}

/** What every page of a decision shows, and the fields of its form. */
export interface DecisionView extends PageView {
  readonly session: Session
  readonly client: PublicClient
  /** Seconds since the request of the client. */
  readonly age: number
  /** Whether the client and this browser are in one network; absent if an address is not known. */
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

/** The session of the user, if it is recent: phishing relies on sessions that users have forgotten. */
export async function freshSession(
  { server, maxAge }: Pick<DecoupledDecisions, 'server' | 'maxAge'>,
  request: HttpRequest,
): Promise<Session | undefined> {
  const session = await server.interaction.session(request)
  return session !== undefined && server.now() - session.authTime <= maxAge ? session : undefined
}

/**
 * Of the page to which a user comes back who was sent to sign in more strongly: the fingerprint of the session before. Any site can
 * write one; then that user gets the error at once.
 */
export const WeakSession = { weak: z.string().max(100).optional().catch(undefined) }

/**
 * @param query of the page afterwards, with its question mark
 * @param demanded the classes that the request asks for, and the session that is too weak for them, if there is one
 */
export async function askToSignIn(
  { server, page, maxAge }: Pick<DecoupledDecisions, 'server' | 'maxAge' | 'page'>,
  request: HttpRequest,
  query = '',
  { acrValues, session }: Pick<DecoupledRequest, 'acrValues'> & { readonly session?: Session } = {},
): Promise<HttpResponse> {
  const hint = { ...pageView(server.interaction, request), maxAge, ...(acrValues && { acrValues }) }
  const mark = acrValues === undefined ? '' : `&weak=${fingerprint(session)}`
  return securePage(await server.interaction.signIn(page + query + mark, hint))
}

/** @param end when the ticket of the form ends, in epoch seconds; `undefined` if it is of another session */
export function requireOpenForm(
  { now }: Kernel,
  end: number | undefined,
  formExpired: ErrorDefinition,
): void {
  if (end === undefined || now() >= end) throw new OAuthError(formExpired)
}

export interface ShownRequest {
  readonly session: Session
  readonly request: DecoupledRequest
  readonly requestId: string
  /** Leads back to this request after a sign-in, with its question mark. */
  readonly returnQuery: string
  /** Of {@link WeakSession}. */
  readonly weak: string | undefined
}

/**
 * The page of the decision. It is shown every time: such consent is not remembered. If the session is too weak for the
 * request, the user signs in again, once.
 *
 * @throws OAuthError `unmet_authentication_requirements` if the user comes back with another session that is too weak
 */
export async function askForDecision(
  decisions: DecoupledDecisions,
  { session, request, requestId, returnQuery, weak }: ShownRequest,
  http: HttpRequest,
  show: (view: DecisionView) => HttpResponse | Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { server, decisionTickets, page } = decisions
  const { reference, clientId, scopes, resources, acrValues } = request
  const { authenticationClasses: classes } = server
  const hasSignedIn = weak !== undefined && weak !== fingerprint(session)
  if (!classes.meets(session, acrValues) && !hasSignedIn)
    return askToSignIn(decisions, http, returnQuery, { acrValues, session })
  classes.requireMet(session, acrValues)
  const client = await clientOf(server, clientId)
  const view = pageView(server.interaction, http)
  const asking = { subject: session.subject, client, scopes, resources, locale: view.locale }
  const { views } = await askTerms(server, request.asked, asking)
  const shown = await show({
    ...view,
    session,
    client: publicClient(client),
    age: server.now() - request.createdAt,
    sameNetwork: isSameNetwork(request, http),
    scopes: scopesInWords(server, scopes, view),
    resources,
    ...(views && { terms: views }),
    action: `${page}/decision?request=${requestId}`,
    ticket: decisionTickets.seal(decisionForm(session, requestId, request), request.endsAt),
  })
  const about = { reference, clientId, subject: session.subject }
  server.observer?.report({ fact: 'consent_shown', scopes, ...about }, http)
  return securePage(shown)
}

/** The grant id distinguishes this request from a later one with the same id. */
function decisionForm({ id }: Session, requestId: string, { grantId, scopes }: DecoupledRequest) {
  return { session: id, query: [requestId, grantId, ...scopes].join(' ') }
}

async function clientOf({ store }: Kernel, clientId: string): Promise<Client> {
  const client = await store.clients.find(clientId)
  if (client === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
  return client
}

function isSameNetwork({ address }: DecoupledRequest, { remoteAddress }: HttpRequest): boolean | undefined {
  if (address === undefined || remoteAddress === undefined) return undefined
  return networkOf(remoteAddress) === networkOf(address)
}

const DecisionQuery = z.object({ request: z.string().max(100) })

/** An answer of a user, as it was written. */
export interface Answered {
  readonly client: Client
  readonly requestId: string
  /** As it was before the answer. */
  readonly request: DecoupledRequest
  readonly decision: Decision
  readonly allowed: boolean
  /** What the user allowed; absent after a denial, and for one operation. */
  readonly grant?: Grant | undefined
  /** Whether this call wrote it; otherwise it repeats another one. */
  readonly isFirst: boolean
}

/**
 * The user's decision. The ticket proves that this session has seen this request.
 *
 * @returns `undefined` if the user must sign in first
 * @throws OAuthError if the request is gone or has another decision
 */
export async function answerRequest(
  decisions: DecoupledDecisions,
  http: HttpRequest,
): Promise<Answered | undefined> {
  const { server, decisionTickets, answerErrors } = decisions
  requireOwnForm(server, http)
  const { request: requestId } = readMessage(DecisionQuery, parameters(http.query))
  const fields = formParameters(http)
  const form = readMessage(ConsentForm, fields)
  const session = await freshSession(decisions, http)
  if (session === undefined) return undefined
  const request = await findRequest(decisions, requestId)
  if (request === undefined || (request.subject ?? session.subject) !== session.subject)
    throw new OAuthError(answerErrors.gone)
  const end = decisionTickets.open(decisionForm(session, requestId, request), form.ticket)
  requireOpenForm(server, end, answerErrors.formExpired)
  const { reference, clientId } = request
  const observed = { reference, clientId, subject: session.subject }
  server.observer?.report({ fact: 'request_read', ...observed }, http)
  const client = await clientOf(server, clientId)
  const scopes = allowedScopes(server, form, request.scopes)
  const { subject, authTime } = session
  const facts = server.authenticationClasses.factsOf(session)
  const isRestricted = scopes.some((name) => server.scopes[name]?.restricted)
  // The client outlives the browser session that allowed it, but not with such a scope.
  const sid = isRestricted ? server.sessions.sidOf(session, client, scopes) : undefined
  const { locale } = pageView(server.interaction, http)
  const about = { subject, client, scopes: request.scopes, resources: request.resources, locale }
  const allowed = request.operation ? form.decision === 'allow' : scopes.length > 0
  if (!allowed && form.decision !== 'deny') throw new OAuthError(TERM_ERRORS.user_decision_missing)
  const decided = await decideTerms(server, allowed ? request.asked : undefined, fields, about)
  if (decided.open) throw new OAuthError(decided.open)
  const terms = decided.value && { terms: decided.value }
  const decision: Decision = { subject, scopes, authTime, ...facts, ...(sid && { sid }), ...terms }
  const answer = { client, requestId, request, decision, allowed }
  return scopes.length > 0
    ? approve(decisions, answer)
    : { ...answer, isFirst: await settle(decisions, answer) }
}

type Answer = Omit<Answered, 'grant' | 'isFirst'>

/** Writes the decision first, then the grant. If the second write is lost, sending the form again repeats it. */
async function approve(decisions: DecoupledDecisions, answer: Answer): Promise<Answered> {
  const { server } = decisions
  const grant = grantOf(decisions, answer)
  // An approved client lives at least as long as its grants.
  await server.store.clients.keep(answer.client, grant.expiresAt)
  await settle(decisions, answer)
  return { ...answer, grant, isFirst: await openWithinLimit(server, grant) }
}

/**
 * Writes the decision. Of several at once, the first one counts.
 *
 * @returns whether this call wrote it
 * @throws OAuthError if the request has another decision
 */
async function settle(
  { server, transients, kind, answerErrors }: DecoupledDecisions,
  { requestId, request: { grantId }, decision }: Answer,
): Promise<boolean> {
  const written = await changeRecord(transients, requestRecordId(kind, requestId), server, (seen) => {
    const request = requestIn(seen)
    if (request?.grantId !== grantId) throw new OAuthError(answerErrors.gone)
    const next = answered(request, decision, server.now(), answerErrors)
    return next === request ? undefined : next
  })
  return written !== undefined
}

/**
 * The grant of an approved request, whose code is the code that the client polls with. Its id stays taken for as long as the request
 * is stored, so a form that is sent again opens no second grant.
 */
function grantOf(
  { server, origin, grantLifetime }: DecoupledDecisions,
  { request, decision: { subject, scopes, authTime, acr, amr, sid, terms } }: Answer,
): Grant {
  const now = server.now()
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
    origin,
    reference: request.reference,
    network: request.address && coarseNetworkOf(request.address),
    authTime,
    ...(acr && { acr }),
    ...(amr && { amr }),
    ...(sid && { sid }),
    createdAt: now,
    usedAt: now,
    expiresAt: now + grantLifetime,
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
