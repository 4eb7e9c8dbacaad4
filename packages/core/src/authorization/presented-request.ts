import * as z from 'zod'
import { type Parameters, parameters, readMessage, text } from '../http/message.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { newId } from '../kernel/secrets.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import {
  type AuthorizationRequestSource,
  type OpenedRequest,
  REQUEST_ERRORS,
} from './authorization-request.ts'
import { grantOfTicket, namedGrantId, openTicket, sealTicket, spentUntil } from './ticket.ts'

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

/** The request that a browser brings: in its query, or as one parameter of it. */
export interface PresentedRequest {
  readonly sent: Parameters
  readonly opened?: OpenedRequest | undefined
  /** When the browser arrived with what is opened, in epoch seconds; absent if it has just arrived. */
  readonly arrivedAt?: number | undefined
  /** As that of what is opened, with the time at which the browser arrived. */
  readonly verify?: (client: Client) => Promise<void>
}

const PARAMETERS = ['request_uri', 'request'] as const
const value = text(8000).optional()
/** RFC 9126 4. Nothing else of such a query is read (RFC 9101 5). */
const PresentedParameters = z.object({ client_id: text(), request_uri: value, request: value })

/** @throws OAuthError to be shown as a page: the redirect target is not known yet */
export function presentedRequest(context: AuthorizationContext, query: string): PresentedRequest {
  const requested = parameters(query)
  const opened = openedRequest(context.requestSources, requested)
  if (opened === undefined) return { sent: requested }
  const at = arrivedAt(context, query)
  const verify = async (client: Client) => opened.verify?.(client, at ?? context.kernel.now())
  return { sent: opened.sent, opened, arrivedAt: at, verify }
}

/** @throws OAuthError for one that no source can open */
export function openedRequest(
  sources: readonly AuthorizationRequestSource[],
  requested: Parameters,
): OpenedRequest | undefined {
  const parameter = PARAMETERS.find((name) => requested[name] !== undefined)
  if (parameter === undefined || !sources.some((source) => source.parameter === parameter)) return undefined
  const { client_id, [parameter]: given = '' } = readMessage(PresentedParameters, requested)
  for (const source of sources) {
    const opened = source.parameter === parameter ? source.open(given, client_id) : undefined
    if (opened !== undefined) return opened
  }
  if (given.startsWith('urn:')) throw new OAuthError(PUSHED_ERRORS.request_uri_unknown)
  throw new OAuthError(
    REQUEST_ERRORS.request_uri_unsupported,
    'Nothing is fetched from a request_uri. Push it',
  )
}

/** The mark of a query that was here in time, at the end of it. */
const MARK = /^(.*)&presented=([\w.-]+)$/s

/** By the mark; 0 for a forged one. */
function arrivedAt({ secret }: AuthorizationContext, query: string): number | undefined {
  const [, before, mark = ''] = MARK.exec(query) ?? []
  return before === undefined ? undefined : (openTicket(secret, markSubject(before), mark)?.time ?? 0)
}

/**
 * Such a request lives until the browser arrives (RFC 9126 2.2). From then on the query has a mark, so that the
 * user may take longer to sign in, reload and read.
 *
 * @returns the marked query if the browser has just arrived: it must go there
 * @throws OAuthError to be shown as a page, if it arrives too late or the request was answered
 */
export async function arrival(
  { kernel, secret, lifetimes }: AuthorizationContext,
  query: string,
  { opened, arrivedAt }: PresentedRequest,
): Promise<string | undefined> {
  if (opened === undefined) return undefined
  const { name, expiresAt, errors } = opened
  const now = kernel.now()
  const end = arrivedAt === undefined ? expiresAt : arrivedAt + lifetimes.consentTicket
  if (now >= end) throw new OAuthError(errors.expired)
  if ((await kernel.store.grants.find(namedGrantId(name))) !== undefined) throw new OAuthError(errors.spent)
  if (arrivedAt !== undefined) return undefined
  return `${query}&presented=${sealTicket(secret, markSubject(query), now, newId(kernel.random))}`
}

/** Not bound to a session: the user may sign in in between. */
function markSubject(query: string) {
  return { purpose: 'pushed', session: '', query } as const
}

/** The sources say how the requests of a client must come. @throws OAuthError to be sent to the client by redirect */
export function requireSource(
  sources: readonly AuthorizationRequestSource[],
  client: Client,
  opened: OpenedRequest | undefined,
): void {
  for (const source of sources) {
    const refusal = source.refusal(client, opened)
    if (refusal !== undefined) throw new OAuthError(refusal)
  }
}

/**
 * What the answer to a form spends and opens: the id of the grant, which stays taken until `ticketEndsAt`, and its code. A request
 * with a name has one answer, however many forms were made of it (RFC 9126 4).
 *
 * @param context of the secret that made the ticket
 */
export function completionOf(
  { secret: [secret], lifetimes }: AuthorizationContext,
  ticket: string,
  opened: OpenedRequest | undefined,
  now: number,
) {
  const ticketEndsAt = spentUntil(now, lifetimes)
  const { id, code } = grantOfTicket(secret, ticket)
  if (opened === undefined) return { id, code, ticketEndsAt }
  // Until then a browser can arrive with it, wait, and send a form.
  const { name, expiresAt, nameExpiresAt = 0 } = opened
  const later = Math.max(0, expiresAt - now, nameExpiresAt - now) + lifetimes.consentTicket
  return { id: namedGrantId(name), code, ticketEndsAt: ticketEndsAt + later }
}
