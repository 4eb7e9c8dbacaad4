import * as z from 'zod'
import { type Parameters, parameters, readMessage, text } from '../http/message.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { newId } from '../kernel/secrets.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import type { PushedRequest } from './authorization-request.ts'
import { grantOfTicket, openTicket, pushedGrantId, sealTicket, spentUntil } from './ticket.ts'

const INVALID = 'request_uri is not valid or has expired. Begin again in the application'

export const PUSHED_ERRORS = defineErrors({
  request_uri_unknown: ['invalid_request_uri', INVALID],
  request_uri_expired: ['invalid_request_uri', INVALID],
  request_uri_of_other_client: ['invalid_request_uri', INVALID],
  request_uri_spent: [
    'invalid_request_uri',
    'This request_uri was used before. Begin again in the application',
  ],
  request_not_pushed: [
    'invalid_request',
    'The request must be pushed first. Use pushed_authorization_request_endpoint (RFC 9126)',
  ],
  pushed_without_proof: [
    'invalid_request',
    'The keys of the client were unknown when it pushed the request. Push it again, or ask the operator',
  ],
})

/** The request that a browser brings: in its query, or behind a `request_uri`. */
export interface PresentedRequest {
  readonly sent: Parameters
  readonly pushed?: PresentedPush | undefined
}

interface PresentedPush extends PushedRequest {
  readonly requestUri: string
  /** The browser must arrive before then. Epoch seconds. */
  readonly expiresAt: number
}

/** RFC 9126 4. Nothing else of such a query is read (RFC 9101 5). */
const PresentedParameters = z.object({ client_id: text(), request_uri: text(8000) })

/** @throws OAuthError to be shown as a page: the redirect target is not known yet */
export function presentedRequest(context: AuthorizationContext, query: string): PresentedRequest {
  const requested = parameters(query)
  if (context.requestSources.length === 0 || requested.request_uri === undefined) return { sent: requested }
  const { client_id, request_uri } = readMessage(PresentedParameters, requested)
  for (const source of context.requestSources) {
    const pushed = source.open(request_uri)
    if (pushed === undefined) continue
    if (pushed.clientId !== client_id) throw new OAuthError(PUSHED_ERRORS.request_uri_of_other_client)
    const expiresAt = pushed.pushedAt + source.lifetime
    return { sent: parameters(pushed.query), pushed: { ...pushed, requestUri: request_uri, expiresAt } }
  }
  throw new OAuthError(PUSHED_ERRORS.request_uri_unknown)
}

/** The mark of a query that was here in time, at the end of it. */
const MARK = /^(.*)&presented=([\w.-]+)$/s

/**
 * The `request_uri` lives until the browser arrives (RFC 9126 2.2). From then on the query has a mark, so that the
 * user may take longer to sign in, reload and read.
 *
 * @returns the marked query if the browser has just arrived: it must go there
 * @throws OAuthError to be shown as a page, if it arrives too late or the request was answered
 */
export async function arrival(
  { kernel, secret, lifetimes }: AuthorizationContext,
  query: string,
  { requestUri, expiresAt }: PresentedPush,
): Promise<string | undefined> {
  const now = kernel.now()
  const [, before, mark = ''] = MARK.exec(query) ?? []
  const arrivedAt =
    before === undefined ? undefined : (openTicket(secret, markSubject(before), mark)?.time ?? 0)
  const end = arrivedAt === undefined ? expiresAt : arrivedAt + lifetimes.consentTicket
  if (now >= end) throw new OAuthError(PUSHED_ERRORS.request_uri_expired)
  if ((await kernel.store.grants.find(pushedGrantId(requestUri))) !== undefined)
    throw new OAuthError(PUSHED_ERRORS.request_uri_spent)
  if (arrivedAt !== undefined) return undefined
  return `${query}&presented=${sealTicket(secret, markSubject(query), now, newId(kernel.random))}`
}

/** Not bound to a session: the user may sign in in between. */
function markSubject(query: string) {
  return { purpose: 'pushed', session: '', query } as const
}

/** A push without authentication counts as a plain request. @throws OAuthError to be sent to the client by redirect */
export function requirePushed(
  { requestSources }: AuthorizationContext,
  client: Client,
  { pushed }: PresentedRequest,
): void {
  if (!requestSources.some((source) => source.required(client))) return
  if (pushed === undefined) throw new OAuthError(PUSHED_ERRORS.request_not_pushed)
  if (pushed.unapproved && client.tokenEndpointAuthMethod !== 'none')
    throw new OAuthError(PUSHED_ERRORS.pushed_without_proof)
}

/**
 * What the answer to a form spends and opens: the id of the grant, which stays taken until `ticketEndsAt`, and its code. A pushed
 * request has one answer, however many forms were made of it (RFC 9126 4).
 *
 * @param context of the secret that made the ticket
 */
export function completionOf(
  { secret: [secret], lifetimes, requestSources }: AuthorizationContext,
  ticket: string,
  requestUri: string | undefined,
  now: number,
) {
  const ticketEndsAt = spentUntil(now, lifetimes)
  const { id, code } = grantOfTicket(secret, ticket)
  if (requestUri === undefined) return { id, code, ticketEndsAt }
  // Until then a browser can arrive with it, wait, and send a form.
  const later = Math.max(0, ...requestSources.map(({ lifetime }) => lifetime)) + lifetimes.consentTicket
  return { id: pushedGrantId(requestUri), code, ticketEndsAt: ticketEndsAt + later }
}
