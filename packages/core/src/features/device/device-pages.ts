import * as z from 'zod'
import {
  askForDecision,
  askToSignIn,
  type DecisionView,
  type DecoupledDecisions,
  freshSession,
  requireOpenForm,
  WeakSession,
} from '../../authorization/decoupled-decision.ts'
import type { Session } from '../../authorization/interaction.ts'
import type { Tickets } from '../../authorization/ticket.ts'
import type { PublicClient } from '../../clients/client-record.ts'
import { type DecoupledRequest, findRequest, isOpen } from '../../grants/decoupled-request.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../../http/http.ts'
import { formParameters, parameters, readMessage } from '../../http/message.ts'
import { type PageView, pageView, requireOwnForm } from '../../http/page.ts'
import { defineErrors } from '../../kernel/oauth-error.ts'
import { sha256 } from '../../kernel/secrets.ts'
import type { RateLimits } from '../../limits/rate-limits.ts'
import {
  DEVICE_REQUEST_ERRORS,
  type DeviceGrant,
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
export interface DeviceView extends DecisionView {
  /** The code, for comparison with the one on the device. */
  readonly userCode: string
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

export interface DevicePages extends DeviceGrant, Omit<DecoupledDecisions, 'server'> {
  readonly pages: DeviceInteraction
  readonly codeTickets: Tickets
}

export const DEVICE_PAGE_ERRORS = defineErrors({
  too_many_user_codes: ['temporarily_unavailable', 'Too many wrong codes. Try again later', 429],
  device_ticket_invalid: [
    'invalid_request',
    'This form has expired or belongs to another sign-in. Open the page again',
  ],
})

/** Of an answer, by the names that every flow has. */
export const DEVICE_ANSWER_ERRORS = {
  gone: DEVICE_REQUEST_ERRORS.device_request_gone,
  answered: DEVICE_REQUEST_ERRORS.device_request_answered,
  formExpired: DEVICE_PAGE_ERRORS.device_ticket_invalid,
}

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
const CodePageQuery = z.object({ user_code: z.string().catch(''), ...WeakSession })

export const UserCodeForm = z.object({ ticket: z.string().max(200), user_code: z.string().default('') })

/** Seconds in which the user can type the code. */
const TICKET_LIFETIME = 600

/** The page for a code (RFC 8628 3.3). It looks up no request. */
export async function showCodePage(context: DevicePages, request: HttpRequest): Promise<HttpResponse> {
  const { user_code } = readMessage(CodePageQuery, parameters(request.query))
  const code = context.completeUri ? typedUserCode(user_code) : undefined
  const typed = code === undefined ? '' : shownUserCode(code)
  const session = await freshSession(context, request)
  if (session === undefined) return askToSignIn(context, request, typed === '' ? '' : queryWith(typed))
  return askForCode(context, request, { session, typed, wrong: false })
}

/** Of the page whose code field has this value. */
function queryWith(typed: string): string {
  return `?user_code=${typed}`
}

/** The form with a code: shows the page of the decision, or the form again. */
export async function enterCode(context: DevicePages, request: HttpRequest): Promise<HttpResponse> {
  const { server, codeTickets } = context
  const { limiter } = server
  requireOwnForm(server, request)
  const { ticket, user_code } = readMessage(UserCodeForm, formParameters(request))
  const session = await freshSession(context, request)
  if (session === undefined) return askToSignIn(context, request)
  requireOpenForm(server, codeTickets.open(formOf(session), ticket), DEVICE_PAGE_ERRORS.device_ticket_invalid)
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
  const { userCode } = found
  const { weak } = readMessage(CodePageQuery, parameters(request.query))
  const shown = { ...found, session, returnQuery: queryWith(userCode), weak }
  return askForDecision(context, shown, request, (view) => context.pages.devicePage({ ...view, userCode }))
}

/** A request that was answered or has expired looks like an unknown one. */
async function openRequest(context: DevicePages, code: string): Promise<TypedRequest | undefined> {
  for (const accepted of context.server.secret) {
    const requestId = requestIdOf(accepted, code)
    const request = await findRequest(context, requestId)
    if (request !== undefined && isOpen(request, context.server.now()))
      return { request, requestId, userCode: shownUserCode(code) }
  }
  return undefined
}

async function askForCode(
  { server, pages, codeTickets, page }: DevicePages,
  request: HttpRequest,
  content: { session: Session; typed: string; wrong: boolean },
): Promise<HttpResponse> {
  const ticket = codeTickets.seal(formOf(content.session), server.now() + TICKET_LIFETIME)
  const { weak } = readMessage(CodePageQuery, parameters(request.query))
  const action = weak === undefined ? page : `${page}?${new URLSearchParams({ weak })}`
  const view = { ...pageView(server.interaction, request), ...content, action, ticket }
  const shown = await pages.userCodePage(view)
  return securePage(content.wrong ? { ...shown, status: 400 } : shown)
}

function formOf({ id }: Session) {
  return { session: id, query: '' }
}

interface TypedRequest {
  readonly request: DecoupledRequest
  readonly requestId: string
  readonly userCode: string
}
