import * as z from 'zod'
import { allowedScopes, ConsentForm } from '../../authorization/consent.ts'
import { publicClient } from '../../clients/client-record.ts'
import { openWithinLimit } from '../../grants/user-grants.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../../http/http.ts'
import { formParameters, parameters, readMessage } from '../../http/message.ts'
import { pageView, requireOwnForm } from '../../http/page.ts'
import { CLOCK_TOLERANCE } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import type { Client, Grant } from '../../kernel/records.ts'
import { changeRecord } from '../../kernel/store.ts'
import { coarseNetworkOf } from '../../limits/caller-network.ts'
import {
  answered,
  DEVICE_REQUEST_ERRORS,
  type Decision,
  type DeviceRequest,
  deviceRequestIn,
  findDeviceRequest,
  recordId,
} from './device-authorization.ts'
import {
  askToSignIn,
  clientOf,
  type DevicePages,
  decisionForm,
  freshSession,
  requireOpenForm,
} from './device-pages.ts'

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
export async function answerDevice(context: DevicePages, http: HttpRequest): Promise<HttpResponse> {
  const { server, pages, transients, decisionTickets } = context
  requireOwnForm(server, http)
  const { request: requestId } = readMessage(DecisionQuery, parameters(http.query))
  const form = readMessage(ConsentForm, formParameters(http))
  const session = await freshSession(context, http)
  if (session === undefined) return askToSignIn(context, http)
  const request = await findDeviceRequest(transients, requestId)
  if (request === undefined) throw new OAuthError(DEVICE_REQUEST_ERRORS.device_request_gone)
  requireOpenForm(server, decisionTickets.open(decisionForm(session, requestId, request), form.ticket))
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
  const allowed = scopes.length > 0
  const event = await (allowed ? approve : deny)(context, { client, requestId, request, decision })
  if (event !== undefined) server.emit({ ...event }, http)
  const view = { ...pageView(server.interaction, http), client: publicClient(client), allowed }
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
  return { type: 'device_approved', ...ids, scopes, resources: grant.resources }
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
