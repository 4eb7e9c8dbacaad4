import * as z from 'zod'
import { allowedScopes, ConsentForm } from '../authorization/consent.ts'
import type { Session } from '../authorization/interaction.ts'
import { publicClient } from '../clients/client-record.ts'
import { CLIENT_ERRORS } from '../clients/client-sources.ts'
import { openWithinLimit } from '../grants/user-grants.ts'
import { requireOwnForm } from '../http/cross-site.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../http/http.ts'
import { formParameters, parameters, readMessage } from '../http/message.ts'
import { pageView } from '../http/page-language.ts'
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import type { Client, Grant } from '../kernel/records.ts'
import { pauseAfter } from '../kernel/time.ts'
import { coarseNetworkOf } from '../limits/caller-network.ts'
import type { DeviceContext } from './device-context.ts'
import {
  answered,
  DEVICE_REQUEST_ERRORS,
  type Decision,
  type DeviceRequest,
  findDeviceRequest,
  recordId,
  type StoredDeviceRequest,
} from './device-request.ts'
import { POLL_ERRORS } from './device-token-request.ts'
import { askToSignIn, decisionForm, freshSession, requireOpenForm } from './user-interaction.ts'

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
  const found = await requestShownTo(context, session, requestId, form.ticket)
  const { reference } = found.request
  server.attempts?.know(http, { reference, clientId: found.request.clientId, subject: session.subject })
  const client = await clientOf(context, found.request)
  const scopes = allowedScopes(server, form, found.request.scopes)
  const { subject, authTime } = session
  const facts = server.authenticationClasses.factsOf(session)
  const isRestricted = scopes.some((name) => server.scopes[name]?.restricted)
  // A device outlives the browser session that allowed it, but not with such a scope.
  const sid = isRestricted ? server.sessions.sidOf(session, client, scopes) : undefined
  const decision: Decision = { subject, scopes, authTime, ...facts, ...(sid && { sid }) }
  const answer = { http, client, requestId, found, decision }
  if (scopes.length > 0) await approve(context, answer)
  else await deny(context, answer)
  const about = { client: publicClient(client), allowed: scopes.length > 0 }
  const view = { ...pageView(server.interaction, http), ...about }
  return securePage(await pages.deviceAnsweredPage(view))
}

async function requestShownTo(
  context: DeviceContext,
  session: Session,
  requestId: string,
  ticket: string,
): Promise<StoredDeviceRequest> {
  const found = await findDeviceRequest(context.transients, requestId)
  if (found === undefined) throw new OAuthError(DEVICE_REQUEST_ERRORS.device_request_gone)
  const end = context.decisionTickets.open(decisionForm(session, requestId, found.request), ticket)
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
  readonly found: StoredDeviceRequest
  readonly decision: Decision
}

/** Writes the decision first, then the grant. If the second write is lost, sending the form again repeats it. */
async function approve(
  context: DeviceContext,
  { http, client, requestId, found, decision }: UserAnswer,
): Promise<void> {
  const { server, lifetimes } = context
  const { clients } = server.store
  const { subject, scopes } = decision
  const grant = deviceGrant(found.request, decision, server.now(), lifetimes.deviceGrant)
  // An approved client lives at least as long as its grants.
  await clients.keep(client, grant.expiresAt)
  await settle(context, requestId, found, decision)
  if (!(await openWithinLimit(server, grant))) return
  const ids = { requestId, grantId: grant.id, clientId: client.clientId, subject }
  const { resources } = grant
  server.emit({ type: 'device_approved', ...ids, scopes, resources } satisfies DeviceApproved)
  server.attempts?.step(http, 'allowed', { grant, scopes })
}

async function deny(context: DeviceContext, { http, requestId, found, decision }: UserAnswer): Promise<void> {
  const { emit, attempts } = context.server
  const { subject } = decision
  const { clientId } = found.request
  if (!(await settle(context, requestId, found, decision))) return
  emit({ type: 'device_denied', requestId, clientId, subject } satisfies DeviceDenied)
  attempts?.know(http, { expects: 'denied' })
  attempts?.refused(http, POLL_ERRORS.device_denied)
}

/** People do not lose more races than this on one request. */
const MAX_ATTEMPTS = 4

/**
 * Writes the decision. Of several at once, the first one counts.
 *
 * @returns whether this call wrote it
 * @throws OAuthError if the request has another decision
 */
async function settle(
  { server, transients }: DeviceContext,
  requestId: string,
  first: StoredDeviceRequest,
  decision: Decision,
): Promise<boolean> {
  const id = recordId(requestId)
  let found: StoredDeviceRequest | undefined = first
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, server)
    if (found === undefined || found.request.grantId !== first.request.grantId)
      throw new OAuthError(DEVICE_REQUEST_ERRORS.device_request_gone)
    const next = answered(found.request, decision, server.now())
    if (next === found.request) return false
    if (await transients.replace(id, found.seen, next, next.expiresAt)) return true
    found = await findDeviceRequest(transients, requestId)
  }
  throw new OAuthError(SERVER_ERRORS.contention)
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
