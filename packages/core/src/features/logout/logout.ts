/**
 * OpenID Connect RP-Initiated Logout 1.0: a client redirects the browser here, the user's session ends, and the browser goes
 * back. Grants stay as they are: apps keep their access.
 */
import * as z from 'zod'
import type { Session } from '../../authorization/interaction.ts'
import { errorPages } from '../../authorization/redirect-target.ts'
import type { Tickets } from '../../authorization/ticket.ts'
import type { RegisteredBy } from '../../clients/client-metadata.ts'
import { type PublicClient, publicClient } from '../../clients/client-record.ts'
import {
  formActionSources,
  isLoopback,
  isRegistrableByOperator,
  withParameters,
} from '../../clients/redirect-uri.ts'
import type { Feature, ServerContext } from '../../feature.ts'
import { basePathOf, endpointPath } from '../../http/endpoint.ts'
import { type HttpRequest, type HttpResponse, redirect, securePage } from '../../http/http.ts'
import { formParameters, listOf, type Parameters, parameters, readMessage, text } from '../../http/message.ts'
import { type PageView, pageView, requireOwnForm } from '../../http/page.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError, withCode } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { openText, type SealingKeys, sealingKeys, sealText } from '../../kernel/secrets.ts'
import { type IdTokenHint, verifiedHint } from '../../openid/id-token.ts'

export const LOGOUT_ERRORS = defineErrors(
  withCode('invalid_request', {
    logout_hint_unverified: 'The server cannot verify id_token_hint. Send its latest ID token',
    logout_hint_of_other_client:
      'id_token_hint was issued to another client than client_id. Send both of one client',
    logout_client_missing: 'post_logout_redirect_uri needs id_token_hint or client_id. Send one of them',
    post_logout_redirect_uri_not_registered:
      'post_logout_redirect_uri is not registered for this client. Send a registered one',
    logout_ticket_invalid: 'This form has expired or belongs to another sign-in. Open the page again',
  }),
)

/** The content of the page that asks whether to sign out, and the fields of its form. */
export interface LogoutView extends PageView {
  readonly session: Session
  /** The client that the request names. This is not authenticated. */
  readonly client?: PublicClient | undefined
  /** The form: POST to `action` with `ticket`. */
  readonly action: string
  readonly ticket: string
  /** Sources for `form-action` in the page's Content-Security-Policy: browsers apply it to the redirect after the form. */
  readonly formActionSources: readonly string[]
}

/** The content of the page after signing out. */
export type SignedOutView = PageView

/** The application's part of logout: the end of a session, and two pages. */
export interface LogoutInteraction {
  /** Ends the session of this browser, on the server too. @returns the `Set-Cookie` that replaces its cookie */
  endSession(request: HttpRequest): Promise<string>
  /** Asks whether to sign out. The page must say that apps keep their access. */
  logoutPage(view: LogoutView): HttpResponse | Promise<HttpResponse>
  signedOutPage(view: SignedOutView): HttpResponse | Promise<HttpResponse>
}

interface Logouts {
  readonly server: ServerContext
  readonly pages: LogoutInteraction
  readonly tickets: Tickets
  /** They encrypt the parameters of posted requests. */
  readonly keys: SealingKeys
  /** From the root of the host. */
  readonly path: string
}

export interface LogoutOptions {
  /** The path below the issuer. Default `/oauth/logout`. The confirmation form goes to `/confirm` below it. */
  readonly path?: string | undefined
}

/**
 * Lets clients sign their user out. An `id_token_hint` of the current sign-in ends the session at once; every other request
 * shows a confirmation page. Clients register `post_logout_redirect_uris`.
 *
 * @throws Error that names the option at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { logout, type LogoutInteraction } from '@grantkit/core/logout'
 *
 * declare const pages: LogoutInteraction
 *
 * const features = [logout(pages)]
 * export const authorization = createAuthorizationServer({
 *   ...{ issuer, store, scopes, secret, interaction, keys, claims, features },
 * })
 * ```
 */
export function logout(pages: LogoutInteraction, options: LogoutOptions = {}): Feature {
  const path = endpointPath('logout', options.path, '/oauth/logout')
  return (server) => {
    if (server.keys.algorithms.length === 0)
      throw new Error('logout needs the option keys of the server, to verify ID tokens')
    const keys = sealingKeys(server.secret, 'posted logout requests')
    const absolutePath = basePathOf(server.issuer) + path
    const logouts: Logouts = { server, pages, tickets: server.tickets('logout'), keys, path: absolutePath }
    const page = errorPages(server, (request) => sentParameters(keys, request))
    return {
      endpoints: [
        {
          ...page,
          path,
          metadataName: 'end_session_endpoint',
          summary: 'Sign the user out (RP-Initiated Logout 2)',
          message: LogoutParameters,
          methods: ['GET', 'POST'],
          answer: (request) => endSession(logouts, request),
        },
        {
          ...page,
          path: `${path}/confirm`,
          summary: "The user's answer, sent by the confirmation page",
          message: LogoutForm,
          methods: ['POST'],
          answer: (request) => confirmLogout(logouts, request),
        },
      ],
      clientMetadata: postLogoutMetadata,
      errors: LOGOUT_ERRORS,
    }
  }
}

/** Seconds in which the user can answer the page. */
const TICKET_LIFETIME = 600

/** The end session endpoint (RP-Initiated Logout 2). */
async function endSession(logouts: Logouts, http: HttpRequest): Promise<HttpResponse> {
  const { server, path, keys } = logouts
  if (http.method === 'POST') return redirect(`${path}?${queryOfForm(server, keys, http)}`)
  const request = await readLogoutRequest(server, parametersOf(keys, http.query))
  const session = await server.interaction.session(http)
  if (isProven(request, session)) return signOut(logouts, http, request, session)
  if (session === undefined) return signedOut(logouts, http, request)
  return askUser(logouts, http, request, session)
}

/** The user's answer. The query repeats the logout request, which is validated again. */
async function confirmLogout(logouts: Logouts, http: HttpRequest): Promise<HttpResponse> {
  const { server, tickets, keys } = logouts
  requireOwnForm(server, http)
  const { ticket } = readMessage(LogoutForm, formParameters(http))
  const session = await server.interaction.session(http)
  const end = session && tickets.open({ session: session.id, query: http.query }, ticket)
  if (end === undefined || server.now() >= end) throw new OAuthError(LOGOUT_ERRORS.logout_ticket_invalid)
  const request = await readLogoutRequest(server, parametersOf(keys, http.query))
  return signOut(logouts, http, request, session)
}

/** The form of the confirmation page. */
const LogoutForm = z.object({ ticket: z.string().max(200) })

/** The query parameter with the encrypted parameters of a form. */
const POSTED = 'posted'

/**
 * Browsers do not send the session cookie with a form of another site (SameSite=Lax), but they send it with the GET that
 * follows. Without that GET the session would go on while the client believes that its user is signed out. The parameters
 * are encrypted: a client posts `id_token_hint` to keep it out of histories and logs.
 */
function queryOfForm({ random }: Kernel, keys: SealingKeys, request: HttpRequest): string {
  const posted = readMessage(LogoutParameters, formParameters(request))
  return `${POSTED}=${sealText(keys, random, JSON.stringify(posted))}`
}

/** The parameters of the request. Forged encrypted parameters are ignored; the user must then confirm. */
function parametersOf(keys: SealingKeys, query: string): Parameters {
  const sent = parameters(query)
  const posted = sent[POSTED]
  return typeof posted === 'string' ? JSON.parse(openText(keys, posted) ?? '{}') : sent
}

/** The parameters of a request that may be wrong in every other way, for the language of its error page. */
function sentParameters(keys: SealingKeys, request: HttpRequest): Parameters {
  try {
    const sent = parametersOf(keys, request.query)
    return request.method === 'POST' ? { ...formParameters(request), ...sent } : sent
  } catch {
    return {}
  }
}

/** Whether the hint is of this sign-in of this user. A session that has ended needs no protection. */
function isProven({ hint }: LogoutRequest, session: Session | undefined): boolean {
  if (hint === undefined) return false
  return session === undefined || (hint.subject === session.subject && hint.authTime === session.authTime)
}

async function askUser(
  { server, pages, tickets, path }: Logouts,
  http: HttpRequest,
  { sent, client, target }: LogoutRequest,
  session: Session,
): Promise<HttpResponse> {
  const { query } = http
  const page = await pages.logoutPage({
    ...pageView(server.interaction, http, sent),
    session,
    client: client && publicClient(client),
    action: `${path}/confirm?${query}`,
    ticket: tickets.seal({ session: session.id, query }, server.now() + TICKET_LIFETIME),
    formActionSources: target === undefined ? [] : formActionSources(target),
  })
  return securePage(page)
}

async function signOut(
  logouts: Logouts,
  http: HttpRequest,
  request: LogoutRequest,
  session: Session | undefined,
): Promise<HttpResponse> {
  const { server, pages } = logouts
  // Stored before the session ends: if the process ends in between, a client hears it once more instead of never.
  if (session !== undefined) {
    const { subject, firstId, id } = session
    await server.sessions.ended({ subject, sessionIds: [firstId ?? id] })
  }
  // Without a session no cookie is set: a form of another site arrives without the cookie, and must not delete it.
  const cookie = session && (await pages.endSession(http))
  const { target } = request
  const answer = target === undefined ? await signedOut(logouts, http, request) : redirect(target)
  return cookie === undefined ? answer : withCookie(answer, cookie)
}

async function signedOut(
  { server, pages }: Logouts,
  http: HttpRequest,
  { sent }: LogoutRequest,
): Promise<HttpResponse> {
  return securePage(await pages.signedOutPage(pageView(server.interaction, http, sent)))
}

function withCookie(answer: HttpResponse, cookie: string): HttpResponse {
  const own = answer.headers['set-cookie']
  const cookies = own === undefined ? cookie : [cookie, own].flat()
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookies } }
}

const parameter = text().optional()

/** RP-Initiated Logout 2. */
const LogoutParameters = z.object({
  id_token_hint: parameter,
  client_id: parameter,
  post_logout_redirect_uri: parameter,
  state: parameter,
  // A language that is not offered is no error, so a malformed list of them is none either.
  ui_locales: parameter.catch(undefined),
})

/** A valid request. Whether its hint is about the user of this browser is not checked yet. */
interface LogoutRequest {
  readonly sent: Parameters
  readonly hint?: IdTokenHint | undefined
  readonly client?: Client | undefined
  /** Where the browser goes afterwards. Default: a page of this server. */
  readonly target?: string | undefined
}

/** @throws OAuthError to be shown as a page: an unverified hint must not be used (RP-Initiated Logout 4) */
async function readLogoutRequest(server: ServerContext, sent: Parameters): Promise<LogoutRequest> {
  const { id_token_hint, client_id, post_logout_redirect_uri, state } = readMessage(LogoutParameters, sent)
  const { logout_hint_unverified } = LOGOUT_ERRORS
  const hint =
    id_token_hint === undefined
      ? undefined
      : await verifiedHint(server.keys, server.issuer, id_token_hint, logout_hint_unverified)
  if (hint !== undefined && client_id !== undefined && hint.audience !== client_id)
    throw new OAuthError(LOGOUT_ERRORS.logout_hint_of_other_client)
  const clientId = hint?.audience ?? client_id
  const client = clientId === undefined ? undefined : await server.store.clients.find(clientId)
  if (post_logout_redirect_uri === undefined) return { sent, hint, client }
  if (clientId === undefined) throw new OAuthError(LOGOUT_ERRORS.logout_client_missing)
  const target = postLogoutTarget(client, post_logout_redirect_uri, state)
  return { sent, hint, client, target }
}

const MEMBER = 'post_logout_redirect_uris'
const uris = listOf(text(2048), 20)

/**
 * The client metadata `post_logout_redirect_uris` (RP-Initiated Logout 3.1). An operator may register https URIs. Of a client
 * that registers itself only the loopback URIs are kept, and the answer lists them.
 */
function postLogoutMetadata(registeredBy: RegisteredBy) {
  const kept = uris.transform((sent) => sent.filter(isLoopback))
  const permitted = uris.refine(
    (sent) => sent.every(isRegistrableByOperator),
    'must be https, loopback or private-use URIs',
  )
  return { [MEMBER]: (registeredBy === 'client' ? kept : permitted).optional() }
}

/**
 * Where the browser goes afterwards, with the `state` of the request (RP-Initiated Logout 3).
 *
 * @throws OAuthError unless the client registered exactly this URI
 */
function postLogoutTarget(client: Client | undefined, uri: string, state: string | undefined): string {
  const registered = z.array(z.string()).safeParse(client?.featureMetadata?.[MEMBER]).data ?? []
  if (!registered.includes(uri)) throw new OAuthError(LOGOUT_ERRORS.post_logout_redirect_uri_not_registered)
  return state === undefined ? uri : withParameters(uri, { state })
}
