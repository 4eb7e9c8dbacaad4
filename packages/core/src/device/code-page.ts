import { z } from 'zod'
import type { Session } from '../authorization/interaction.ts'
import { requireOwnForm } from '../http/cross-site.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../http/http.ts'
import { formParameters, parameters, readMessage } from '../http/message.ts'
import { askUser, type TypedRequest } from './decision-page.ts'
import type { DeviceContext } from './device-context.ts'
import { findDeviceRequest, isOpen } from './device-request.ts'
import { askToSignIn, freshSession, requireOpenForm } from './page-session.ts'
import { countTry, requestIdOf, shownUserCode, typedUserCode } from './user-code.ts'

/** A code was tried that nobody can answer: wrong, expired or answered already. */
export interface UserCodeWrong {
  readonly type: 'user_code_wrong'
  readonly subject: string
}

/** What the address of the page can bring along: it only fills in the field (RFC 8628 3.3.1). */
const CodePageQuery = z.object({ user_code: z.string().optional().catch(undefined) })

/** The form of the page. */
export const UserCodeForm = z.object({ ticket: z.string().max(200), user_code: z.string().default('') })

/** Time to type a code, in seconds. */
const TICKET_LIFETIME = 600

/** The page for a code (RFC 8628 3.3). It looks nothing up and decides nothing. */
export async function showCodePage(context: DeviceContext, request: HttpRequest): Promise<HttpResponse> {
  const { user_code = '' } = readMessage(CodePageQuery, parameters(request.query))
  const code = context.completeUri ? typedUserCode(user_code) : undefined
  const typed = code === undefined ? '' : shownUserCode(code)
  const session = await freshSession(context, request)
  if (session === undefined) return askToSignIn(context, typed)
  return askForCode(context, session, typed, false)
}

/** A code that was typed: the question to its user, or the form again. */
export async function enterCode(context: DeviceContext, request: HttpRequest): Promise<HttpResponse> {
  const { server, codeTickets } = context
  requireOwnForm(server, request)
  const { ticket, user_code } = readMessage(UserCodeForm, formParameters(request))
  const session = await freshSession(context, request)
  if (session === undefined) return askToSignIn(context)
  requireOpenForm(server, codeTickets.open(formOf(session), ticket))
  const refund = await countTry(server.limiter, session.subject, request)
  const code = typedUserCode(user_code)
  const found = code === undefined ? undefined : await openRequest(context, code)
  if (code === undefined || found === undefined) {
    server.emit({ type: 'user_code_wrong', subject: session.subject } satisfies UserCodeWrong)
    return askForCode(context, session, user_code.slice(0, 32), true)
  }
  await refund()
  return askUser(context, session, found, request)
}

/** What cannot be answered any more looks like what never was. */
async function openRequest(
  { transients, server }: DeviceContext,
  code: string,
): Promise<TypedRequest | undefined> {
  for (const accepted of server.secret) {
    const requestId = requestIdOf(accepted, code)
    const found = await findDeviceRequest(transients, requestId)
    if (found !== undefined && isOpen(found.request, server.now()))
      return { ...found, requestId, userCode: shownUserCode(code) }
  }
  return undefined
}

async function askForCode(
  { server, pages, codeTickets, paths }: DeviceContext,
  session: Session,
  typed: string,
  wrong: boolean,
): Promise<HttpResponse> {
  const ticket = codeTickets.seal(formOf(session), server.now() + TICKET_LIFETIME)
  const page = await pages.userCodePage({ session, action: paths.device, ticket, typed, wrong })
  return securePage(wrong ? { ...page, status: 400 } : page)
}

function formOf({ id }: Session) {
  return { session: id, query: '' }
}
