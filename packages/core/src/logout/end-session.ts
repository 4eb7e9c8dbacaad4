import { z } from 'zod'
import type { Session } from '../authorization/interaction.ts'
import { openTicket, sealTicket } from '../authorization/ticket.ts'
import { publicClient } from '../clients/public-client.ts'
import { formActionSources } from '../clients/redirect-uri.ts'
import { requireOwnForm } from '../http/cross-site.ts'
import { type HttpRequest, type HttpResponse, redirect, securePage } from '../http/http.ts'
import { readMessage } from '../http/message.ts'
import { formParameters, type Parameters, parameters } from '../http/parameters.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { newId } from '../kernel/secrets.ts'
import { type AcceptedSecrets, openText, type SealingKeys, sealText } from '../kernel/server-secret.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import type { LogoutInteraction } from './logout-interaction.ts'
import { LogoutParameters, type LogoutRequest, readLogoutRequest } from './logout-request.ts'

export const LOGOUT_ERRORS = defineErrors({
  logout_ticket_invalid: ['invalid_request', 'This form has expired or belongs to another sign-in'],
})

export interface LogoutContext {
  readonly kernel: Kernel
  readonly keys: SigningKeys
  readonly interaction: LogoutInteraction
  readonly secret: AcceptedSecrets
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
  const { kernel, keys, interaction } = context
  const asked = await readLogoutRequest(kernel, keys, givenIn(context, request.query))
  const session = await interaction.session(request)
  if (isProven(asked, session)) return signOut(context, request, asked, session)
  if (session === undefined) return securePage(await interaction.signedOutPage())
  return askUser(context, request.query, asked, session)
}

/** The user's answer. The query is the request again, and it is validated again. */
export async function confirmLogout(context: LogoutContext, request: HttpRequest): Promise<HttpResponse> {
  const { kernel, keys, interaction, secret } = context
  requireOwnForm(kernel, request)
  const { ticket } = readMessage(LogoutForm, formParameters(request))
  const session = await interaction.session(request)
  const end = session && openTicket(secret, ticketSubject(session, request.query), ticket)
  if (end === undefined || kernel.now() >= end) throw new OAuthError(LOGOUT_ERRORS.logout_ticket_invalid)
  const asked = await readLogoutRequest(kernel, keys, givenIn(context, request.query))
  return signOut(context, request, asked, session)
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
function queryOfForm({ kernel, sealingKeys }: LogoutContext, request: HttpRequest): string {
  const given = readMessage(LogoutParameters, formParameters(request))
  return `${POSTED}=${sealText(sealingKeys, kernel.random, JSON.stringify(given))}`
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
  { kernel, interaction, secret, paths }: LogoutContext,
  query: string,
  { client: asking, target }: LogoutRequest,
  session: Session,
): Promise<HttpResponse> {
  const end = kernel.now() + TICKET_LIFETIME
  const ticket = sealTicket(secret, ticketSubject(session, query), end, newId(kernel.random))
  const sources = target === undefined ? [] : formActionSources(target)
  const action = `${paths.confirm}?${query}`
  const client = asking && publicClient(asking)
  return securePage(
    await interaction.logoutPage({ session, client, action, ticket, formActionSources: sources }),
  )
}

async function signOut(
  { interaction }: LogoutContext,
  request: HttpRequest,
  { target }: LogoutRequest,
  session: Session | undefined,
): Promise<HttpResponse> {
  // Without a session no cookie is set: a form of another site comes without one, and must not take it away.
  const cookie = session && (await interaction.endSession(request))
  const answer = target === undefined ? securePage(await interaction.signedOutPage()) : redirect(target)
  return cookie === undefined ? answer : withCookie(answer, cookie)
}

/** Beside the cookies of the page. */
function withCookie(answer: HttpResponse, cookie: string): HttpResponse {
  const own = answer.headers['set-cookie']
  const cookies = own === undefined ? cookie : [cookie, own].flat()
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookies } }
}

function ticketSubject({ id }: Session, query: string) {
  return { purpose: 'logout', session: id, query } as const
}
