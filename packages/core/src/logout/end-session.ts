import { z } from 'zod'
import type { Session } from '../authorization/interaction.ts'
import type { Tickets } from '../authorization/ticket.ts'
import { publicClient } from '../clients/client-record.ts'
import { formActionSources } from '../clients/redirect-uri.ts'
import type { ServerContext } from '../feature.ts'
import { requireOwnForm } from '../http/cross-site.ts'
import { type HttpRequest, type HttpResponse, redirect, securePage } from '../http/http.ts'
import { readMessage } from '../http/message.ts'
import { formParameters, type Parameters, parameters } from '../http/parameters.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { openText, type SealingKeys, sealText } from '../kernel/server-secret.ts'
import type { LogoutInteraction } from './logout-interaction.ts'
import { LogoutParameters, type LogoutRequest, readLogoutRequest } from './logout-request.ts'

export const LOGOUT_ERRORS = defineErrors({
  logout_ticket_invalid: ['invalid_request', 'This form has expired or belongs to another sign-in'],
})

export interface LogoutContext {
  readonly server: ServerContext
  readonly pages: LogoutInteraction
  readonly tickets: Tickets
  /** Of requests that were posted. */
  readonly sealingKeys: SealingKeys
  /** From the root of the host. */
  readonly paths: { readonly logout: string; readonly confirm: string }
}

/** Time to answer the page, in seconds. */
const TICKET_LIFETIME = 600

/** The end session endpoint (RP-Initiated Logout 2). */
export async function endSession(context: LogoutContext, request: HttpRequest): Promise<HttpResponse> {
  if (request.method === 'POST') return redirect(`${context.paths.logout}?${queryOfForm(context, request)}`)
  const { server, pages } = context
  const requested = await readLogoutRequest(server, server.keys, givenIn(context, request.query))
  const session = await server.interaction.session(request)
  if (isProven(requested, session)) return signOut(context, request, requested, session)
  if (session === undefined) return securePage(await pages.signedOutPage())
  return askUser(context, request.query, requested, session)
}

/** The user's answer. The query is the request again, and it is validated again. */
export async function confirmLogout(context: LogoutContext, request: HttpRequest): Promise<HttpResponse> {
  const { server, tickets } = context
  requireOwnForm(server, request)
  const { ticket } = readMessage(LogoutForm, formParameters(request))
  const session = await server.interaction.session(request)
  const end = session && tickets.open({ session: session.id, query: request.query }, ticket)
  if (end === undefined || server.now() >= end) throw new OAuthError(LOGOUT_ERRORS.logout_ticket_invalid)
  const requested = await readLogoutRequest(server, server.keys, givenIn(context, request.query))
  return signOut(context, request, requested, session)
}

/** The form of the page that asks. */
export const LogoutForm = z.object({ ticket: z.string().max(200) })

/** Carries the parameters of a form, sealed. */
const POSTED = 'posted'

/**
 * The cookie of a session is not sent with a form of another site (SameSite=Lax), but with the GET that follows. Otherwise
 * the client would learn that its user is signed out, although nothing had ended. The URL of that GET must not show the hint,
 * which a client posts to keep it out of histories and logs.
 */
function queryOfForm({ server, sealingKeys }: LogoutContext, request: HttpRequest): string {
  const given = readMessage(LogoutParameters, formParameters(request))
  return `${POSTED}=${sealText(sealingKeys, server.random, JSON.stringify(given))}`
}

/** The parameters of the request. What was not sealed here counts as none, and then the user is asked. */
function givenIn({ sealingKeys }: LogoutContext, query: string): Parameters {
  const given = parameters(query)
  const posted = given[POSTED]
  return typeof posted === 'string' ? JSON.parse(openText(sealingKeys, posted) ?? '{}') : given
}

/** Whether a client asks that signed this very user in, at this sign-in. A session that ended needs no more protection. */
function isProven({ hint }: LogoutRequest, session: Session | undefined): boolean {
  if (hint === undefined) return false
  return session === undefined || (hint.subject === session.subject && hint.authTime === session.authTime)
}

async function askUser(
  { server, pages, tickets, paths }: LogoutContext,
  query: string,
  { client: requesting, target }: LogoutRequest,
  session: Session,
): Promise<HttpResponse> {
  const ticket = tickets.seal({ session: session.id, query }, server.now() + TICKET_LIFETIME)
  const sources = target === undefined ? [] : formActionSources(target)
  const action = `${paths.confirm}?${query}`
  const client = requesting && publicClient(requesting)
  return securePage(await pages.logoutPage({ session, client, action, ticket, formActionSources: sources }))
}

async function signOut(
  { pages }: LogoutContext,
  request: HttpRequest,
  { target }: LogoutRequest,
  session: Session | undefined,
): Promise<HttpResponse> {
  // Without a session no cookie is set: a form of another site comes without one, and must not take it away.
  const cookie = session && (await pages.endSession(request))
  const answer = target === undefined ? securePage(await pages.signedOutPage()) : redirect(target)
  return cookie === undefined ? answer : withCookie(answer, cookie)
}

/** Beside the cookies of the page. */
function withCookie(answer: HttpResponse, cookie: string): HttpResponse {
  const own = answer.headers['set-cookie']
  const cookies = own === undefined ? cookie : [cookie, own].flat()
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookies } }
}
