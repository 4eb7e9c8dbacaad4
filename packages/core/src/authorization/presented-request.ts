import * as z from 'zod'
import { type Parameters, parameters, readMessage, text } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { type AcceptedSecrets, newId } from '../kernel/secrets.ts'
import {
  type AuthorizationRequestSource,
  type OpenedRequest,
  REQUEST_ERRORS,
} from './authorization-request.ts'
import { grantOfTicket, namedGrantId, openTicket, sealTicket, spentUntil } from './ticket.ts'

const INVALID = 'request_uri is not valid or has expired. Begin again in the application'

export const PUSHED_ERRORS = /* @__PURE__ */ defineErrors({
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

interface OpeningContext {
  readonly kernel: Kernel
  readonly secret: AcceptedSecrets
  readonly lifetimes: { readonly consentTicket: number }
  /** Absent if all requests are plain parameters. */
  readonly requestSources?: RequestSources | undefined
}

/** The request that a browser brings: in its query, or as one parameter of it. */
interface PresentedRequest {
  readonly sent: Parameters
  readonly opened?: OpenedRequest | undefined
  /** As that of what is opened, with the time at which the browser arrived. */
  readonly verify?: (client: Client) => Promise<void>
  /**
   * Such a request lives until the browser arrives (RFC 9126 2.2). From then on the query has a mark, so that the
   * user may take longer to sign in, reload and read.
   *
   * @returns the marked query if the browser has just arrived: it must go there
   * @throws OAuthError to be shown as a page, if it arrives too late or the request was answered
   */
  readonly arrival?: () => Promise<string | undefined>
}

/** @throws OAuthError to be shown as a page: the redirect target is not known yet */
export function presentedRequest(context: OpeningContext, query: string): PresentedRequest {
  const sent = parameters(query)
  return context.requestSources?.presented(context, query, sent) ?? { sent }
}

const PARAMETERS = ['request_uri', 'request'] as const
const value = () => text(8000).optional()

/** The sources of a server. Its features make it: a server without them does not have it. */
export class RequestSources {
  readonly list: readonly AuthorizationRequestSource[]
  /** RFC 9126 4. Nothing else of such a query is read (RFC 9101 5). */
  readonly #parameters = z.object({ client_id: text(), request_uri: value(), request: value() })

  constructor(list: RequestSources['list']) {
    this.list = list
  }

  and({ list }: RequestSources): RequestSources {
    return new RequestSources([...this.list, ...list])
  }

  presented(
    { kernel, secret, lifetimes }: OpeningContext,
    query: string,
    sent: Parameters,
  ): PresentedRequest | undefined {
    const opened = this.opened(sent)
    if (opened === undefined) return undefined
    const { name, expiresAt, errors } = opened
    const [, before, mark = ''] = MARK.exec(query) ?? []
    const seen = before === undefined ? undefined : openTicket(secret, markSubject(before), mark)
    // 0 for a forged mark.
    const arrivedAt = before === undefined ? undefined : (seen?.time ?? 0)
    return {
      sent: opened.sent,
      opened,
      verify: async (client) => opened.verify?.(client, arrivedAt ?? kernel.now()),
      async arrival() {
        const now = kernel.now()
        const end = arrivedAt === undefined ? expiresAt : arrivedAt + lifetimes.consentTicket
        if (now >= end) throw new OAuthError(errors.expired)
        const isSpent = (await kernel.store.grants.find(namedGrantId(name))) !== undefined
        if (isSpent) throw new OAuthError(errors.spent)
        if (arrivedAt !== undefined) return undefined
        return `${query}&presented=${sealTicket(secret, markSubject(query), now, newId(kernel.random))}`
      },
    }
  }

  /** @returns `undefined` for plain parameters @throws OAuthError for a parameter that no source can open */
  opened(sent: Parameters): OpenedRequest | undefined {
    const parameter = PARAMETERS.find((name) => sent[name] !== undefined)
    if (parameter === undefined || !this.list.some((source) => source.parameter === parameter))
      return undefined
    const { client_id, [parameter]: given = '' } = readMessage(this.#parameters, sent)
    for (const source of this.list) {
      const opened = source.parameter === parameter ? source.open(given, client_id) : undefined
      if (opened !== undefined) return opened
    }
    if (given.startsWith('urn:')) throw new OAuthError(PUSHED_ERRORS.request_uri_unknown)
    throw new OAuthError(
      REQUEST_ERRORS.request_uri_unsupported,
      'Nothing is fetched from a request_uri. Push it',
    )
  }

  /** The sources say how the requests of a client must come. @param pushing it is not in a `request_uri` yet @throws OAuthError */
  require(client: Client, opened: OpenedRequest | undefined, pushing = false): void {
    for (const source of this.list) {
      const counts = !pushing || source.parameter === 'request'
      const refusal = counts ? source.refusal(client, opened) : undefined
      if (refusal !== undefined) throw new OAuthError(refusal)
    }
  }
}

/** The mark of a query that was here in time, at the end of it. */
const MARK = /^(.*)&presented=([\w.-]+)$/s

/** Not bound to a session: the user may sign in in between. */
function markSubject(query: string) {
  return { purpose: 'pushed', session: '', query } as const
}

/**
 * What the answer to a form spends and opens: the id of the grant, which stays taken until `ticketEndsAt`, and its code. A request
 * with a name has one answer, however many forms were made of it (RFC 9126 4).
 *
 * @param context of the secret that made the ticket
 */
export function completionOf(
  { secret: [secret], lifetimes }: OpeningContext,
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
