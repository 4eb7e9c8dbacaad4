import { z } from 'zod'
import { allowedScopes, ConsentForm } from '../authorization/consent.ts'
import type { Session } from '../authorization/interaction.ts'
import { CLIENT_ERRORS } from '../clients/client-sources.ts'
import { publicClient } from '../clients/public-client.ts'
import { openWithinLimit } from '../grants/user-grants.ts'
import { requireOwnForm } from '../http/cross-site.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../http/http.ts'
import { readMessage } from '../http/message.ts'
import { formParameters, parameters } from '../http/parameters.ts'
import { OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { decisionSubject } from './decision-page.ts'
import type { DeviceContext } from './device-context.ts'
import { deviceGrant } from './device-grant.ts'
import {
  answered,
  DEVICE_REQUEST_ERRORS,
  type Decision,
  type DeviceRequest,
  findDeviceRequest,
  recordId,
  type StoredDeviceRequest,
} from './device-request.ts'
import { askToSignIn, freshSession, requireTicket } from './page-session.ts'

export interface DeviceApproved {
  readonly type: 'device_approved'
  readonly requestId: string
  readonly grantId: string
  readonly clientId: string
  readonly subject: string
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

export interface DeviceDenied {
  readonly type: 'device_denied'
  readonly requestId: string
  readonly clientId: string
  readonly subject: string
}

const DecisionQuery = z.object({ request: z.string().max(100) })

/** The user's answer. The ticket proves that this session was shown this request. */
export async function answerDevice(context: DeviceContext, http: HttpRequest): Promise<HttpResponse> {
  requireOwnForm(context.kernel, http)
  const { request: requestId } = readMessage(DecisionQuery, parameters(http.query))
  const form = readMessage(ConsentForm, formParameters(http))
  const session = await freshSession(context, http)
  if (session === undefined) return askToSignIn(context)
  const found = await requestShownTo(context, session, requestId, form.ticket)
  const client = await clientOf(context, found.request)
  const scopes = allowedScopes(context.kernel, form, found.request.scopes)
  const decision = { subject: session.subject, scopes, authTime: session.authTime }
  if (scopes.length > 0) await approve(context, client, requestId, found, decision)
  else await deny(context, requestId, found, decision)
  const view = { client: publicClient(client), allowed: scopes.length > 0 }
  return securePage(await context.interaction.deviceAnsweredPage(view))
}

async function requestShownTo(
  context: DeviceContext,
  session: Session,
  requestId: string,
  ticket: string,
): Promise<StoredDeviceRequest> {
  const found = await findDeviceRequest(context.transients, requestId)
  if (found === undefined) throw new OAuthError(DEVICE_REQUEST_ERRORS.device_request_gone)
  requireTicket(context, decisionSubject(session, requestId, found.request), ticket)
  return found
}

async function clientOf({ kernel }: DeviceContext, { clientId }: DeviceRequest): Promise<Client> {
  const client = await kernel.store.clients.find(clientId)
  if (client === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
  return client
}

/** First the answer, then the grant. If the second write is lost, the same form sent again makes up for it. */
async function approve(
  context: DeviceContext,
  client: Client,
  requestId: string,
  found: StoredDeviceRequest,
  decision: Decision,
): Promise<void> {
  const { kernel, lifetimes } = context
  const { clients } = kernel.store
  const { subject, scopes } = decision
  const grant = deviceGrant(found.request, decision, kernel.now(), lifetimes.deviceGrant)
  // An approved client lives at least as long as its grants.
  await clients.keep(client, grant.expiresAt)
  await settle(context, requestId, found, decision)
  if (!(await openWithinLimit(kernel, grant))) return
  const ids = { requestId, grantId: grant.id, clientId: client.clientId, subject }
  const { resources } = grant
  kernel.emit({ type: 'device_approved', ...ids, scopes, resources } satisfies DeviceApproved)
}

async function deny(
  context: DeviceContext,
  requestId: string,
  found: StoredDeviceRequest,
  decision: Decision,
): Promise<void> {
  const { subject } = decision
  const { clientId } = found.request
  if (await settle(context, requestId, found, decision))
    context.kernel.emit({ type: 'device_denied', requestId, clientId, subject } satisfies DeviceDenied)
}

/** More lost races than this on one request are no people. */
const MAX_ATTEMPTS = 4

/**
 * Writes the answer. Of any number at once, the first one counts.
 *
 * @returns whether this call wrote it
 * @throws OAuthError when somebody has given another answer
 */
async function settle(
  { kernel, transients }: DeviceContext,
  requestId: string,
  first: StoredDeviceRequest,
  decision: Decision,
): Promise<boolean> {
  const id = recordId(requestId)
  let found: StoredDeviceRequest | undefined = first
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (found === undefined || found.request.grantId !== first.request.grantId)
      throw new OAuthError(DEVICE_REQUEST_ERRORS.device_request_gone)
    const next = answered(found.request, decision, kernel.now())
    if (next === found.request) return false
    if (await transients.replace(id, found.seen, next, next.expiresAt)) return true
    found = await findDeviceRequest(transients, requestId)
  }
  throw new OAuthError(SERVER_ERRORS.contention)
}
