import * as z from 'zod'
import { CLIENT_ERRORS } from '../clients/client-record.ts'
import {
  accepts,
  isHttpsOrLoopback,
  ownerOf,
  type RedirectUriOwner,
  type RedirectUriPolicy,
  type RedirectUriVerdict,
  redirectUriMatches,
  refusalOf,
} from '../clients/redirect-uri.ts'
import { type Endpoint, errorHeaders, reportedError } from '../http/endpoint.ts'
import { type HttpRequest, type HttpResponse, header, json, securePage } from '../http/http.ts'
import { type Parameters, readMessage, text } from '../http/message.ts'
import { type PageView, pageView } from '../http/page.ts'
import { terminalText } from '../kernel/display-text.ts'
import type { Kernel, RequestingUser } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import type { Interaction } from './interaction.ts'
import {
  type AnswerParameters,
  type AnswerTarget,
  QUERY,
  type ResponseMode,
  type ResponseModes,
} from './response-mode.ts'

export const TARGET_ERRORS = defineErrors({
  redirect_uri_missing: ['invalid_request', 'redirect_uri is missing'],
  redirect_uri_not_registered: [
    'invalid_request',
    'redirect_uri is not registered for this client. Send a registered one; only a loopback port may differ',
  ],
  redirect_uri_not_accepted: [
    'invalid_redirect_uri',
    'This server does not allow this redirect_uri. Use a loopback URI, or ask the operator',
  ],
})

/** Target of the answer. Until it is known to belong to the client, an error is a page (RFC 6749 4.1.2.1). */
export interface RedirectTarget extends AnswerTarget {
  readonly responseMode: ResponseMode
  readonly state?: string | undefined
  /** The owner of this redirect URI, if many users share it. */
  readonly owner?: RedirectUriOwner | undefined
}

const parameter = text()
/** Longer than other parameters: some clients seal a request of their own in it. */
export const StateParameter = text(8192).optional()

export const TargetParameters = z.object({
  client_id: parameter,
  redirect_uri: parameter.optional(),
  /** Every answer returns it, even if the rest of the request is unreadable. */
  state: StateParameter.catch(undefined),
  response_mode: parameter.optional().catch(undefined),
})
type TargetParameters = z.output<typeof TargetParameters>

/** What the operator accepts of a target. */
interface TargetRules {
  readonly redirectUriPolicy: RedirectUriPolicy
  readonly requestOptions: { readonly responseModes?: ResponseModes | undefined }
}

/**
 * Step one: a client that exists and a redirect URI it registered.
 *
 * @param http the request that brings the parameters, in a query, a form or one parameter
 * @param user present if the document of the client may be fetched
 * @throws OAuthError to be shown as a page
 */
export async function validateRedirectTarget(
  context: TargetRules & { readonly kernel: Kernel },
  http: HttpRequest,
  { sent, verify }: { readonly sent: Parameters; readonly verify?: (client: Client) => Promise<void> },
  user?: RequestingUser,
): Promise<RedirectTarget> {
  const { observer, store } = context.kernel
  const requested = readMessage(TargetParameters, sent)
  const client = await store.clients.describe(requested.client_id, user)
  if (client === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
  observer?.report({ fact: 'client_found', client }, http)
  if (verify !== undefined) await verify(client)
  const target = redirectTargetOf(client, requested, context)
  observer?.report({ fact: 'redirect_uri_accepted', known: target.owner?.id }, http)
  return target
}

/** Characters of a refused address on the error page. */
const MAX_SHOWN = 300

/** The target of a request of this client. @throws OAuthError */
export function redirectTargetOf(
  client: Client,
  { redirect_uri, state, response_mode }: TargetParameters,
  { redirectUriPolicy, requestOptions }: TargetRules,
): RedirectTarget {
  if (redirect_uri === undefined) throw new OAuthError(TARGET_ERRORS.redirect_uri_missing)
  const registered = client.redirectUris.find((uri) => redirectUriMatches(uri, redirect_uri))
  // A client registered a list, and a document lists what its client uses at any server: here one URI is validated.
  const uri = registered ?? redirect_uri
  const verdict = redirectUriPolicy([uri])
  if (registered === undefined)
    throw refusalOf(verdict, TARGET_ERRORS.redirect_uri_not_registered, {
      facts: { expected: client.redirectUris },
      parameters: { redirect_uri: terminalText(redirect_uri).slice(0, MAX_SHOWN) },
    })
  if (!mayUse(client, uri, verdict)) throw refusalOf(verdict, TARGET_ERRORS.redirect_uri_not_accepted)
  const owner = ownerOf(verdict)
  // All users of a vendor share its callback: consent is requested each time, and PKCE is required, whatever the operator registered.
  const withoutExceptions = owner && { ...client, rememberConsent: false, pkceOptional: false }
  const responseMode =
    requestOptions.responseModes?.of({ client, redirectUri: redirect_uri }, response_mode) ?? QUERY
  return { client: withoutExceptions ?? client, redirectUri: redirect_uri, responseMode, state, owner }
}

/** The policy is checked again, so that a stricter one applies at once to clients that are already registered. */
function mayUse(client: Client, uri: string, verdict: RedirectUriVerdict): boolean {
  if (client.origin === 'integration') return true
  if (client.origin === 'registered') return accepts(verdict, uri)
  if (client.httpsCallbacks && client.knownClient === undefined && isHttpsOrLoopback(uri)) return true
  const owner = ownerOf(verdict)?.id
  return accepts(verdict, uri) && (owner === undefined || owner === client.knownClient)
}

/** An answer to a client, before its response mode has made a response of it. */
export interface AuthorizationAnswer {
  readonly target: RedirectTarget
  readonly parameters: AnswerParameters
}

/** What comes of a request: a page for the user, or an answer to the client. */
export type Outcome = HttpResponse | AuthorizationAnswer

export function isAnswer(outcome: Outcome): outcome is AuthorizationAnswer {
  return 'parameters' in outcome
}

type Answer = { readonly code: string } | { readonly error: string; readonly error_description: string }

/** RFC 6749 4.1.2, with the issuer (RFC 9207 2). */
export function authorizationAnswer(
  { issuer }: Kernel,
  target: RedirectTarget,
  answer: Answer,
): AuthorizationAnswer {
  return { target, parameters: { ...answer, state: target.state, iss: issuer } }
}

/** Responds to a request whose redirect target is trusted: an error is an answer to the client. */
export async function answered(
  kernel: Kernel,
  request: HttpRequest,
  target: RedirectTarget,
  outcome: () => Promise<Outcome>,
  respond: (outcome: Outcome) => HttpResponse | Promise<HttpResponse>,
): Promise<HttpResponse> {
  let known: Outcome
  try {
    known = await outcome()
  } catch (thrown) {
    const { error, errorDescription: error_description } = reportedError(thrown, request, kernel)
    known = authorizationAnswer(kernel, target, { error, error_description })
  }
  return respond(known)
}

/** An answer goes to its client in the response mode of the request. */
export function responseOf(outcome: Outcome, page: PageView): HttpResponse | Promise<HttpResponse> {
  if (!isAnswer(outcome)) return outcome
  const { target, parameters } = outcome
  return target.responseMode.answer(target, parameters, page)
}

interface ErrorPages {
  readonly interaction: Pick<Interaction, 'errorPage' | 'uiLocales'>
  readonly kernel: Pick<Kernel, 'issuer'>
}

/**
 * An error that must not be sent to the client by redirect (RFC 6749 4.1.2.1): a page for the user. A client never
 * sees that page, so it may send the request itself first and gets the error as JSON, with the issuer as in RFC 9207 2.
 *
 * @param sent parameters of the OAuth request, for the language
 */
export async function showErrorPage(
  { interaction, kernel }: ErrorPages,
  failure: OAuthError,
  request: HttpRequest,
  sent?: Parameters,
): Promise<HttpResponse> {
  const { error, message: description, reason, parameters, reference } = failure
  // A browser looks for a challenge in a 401, and there is none.
  const status = failure.status === 401 ? 400 : failure.status
  if (wantsJson(request)) {
    const answer = { ...failure.toJSON(), reason, iss: kernel.issuer }
    return json(status, answer, errorHeaders(failure))
  }
  const content = { error, description, reason, status, parameters, ...(reference && { reference }) }
  const view = { ...pageView(interaction, request, sent), ...content }
  const page = await interaction.errorPage(view)
  return securePage({ ...page, headers: { ...page.headers, ...errorHeaders(failure) } })
}

/** How an endpoint for browsers shows its errors. No script of another origin may read it. @param sentOf as `sent` above */
export function errorPages(
  server: ErrorPages['kernel'] & Pick<ErrorPages, 'interaction'>,
  sentOf?: (request: HttpRequest) => Parameters,
): Pick<Endpoint, 'cors' | 'refusal'> {
  const context = { kernel: server, interaction: server.interaction }
  return {
    cors: false,
    refusal: (error, request) => showErrorPage(context, error, request, sentOf?.(request)),
  }
}

/** Whatever shows a page to a person accepts `text/html` too. */
function wantsJson(request: HttpRequest): boolean {
  const accepted = (header(request, 'accept') ?? '').toLowerCase().split(/[,;\s]/)
  return accepted.includes('application/json') && !accepted.includes('text/html')
}
