import { z } from 'zod'
import { CLIENT_ERRORS } from '../clients/client-sources.ts'
import {
  isAcceptedBy,
  isHttpsOrLoopback,
  type RedirectUriPolicy,
  redirectUriMatches,
  withParameters,
} from '../clients/redirect-uri.ts'
import { reportedError, retryAfter } from '../http/error-response.ts'
import { type HttpRequest, type HttpResponse, header, json, redirect, securePage } from '../http/http.ts'
import { type Parameters, readMessage, text } from '../http/message.ts'
import { pageView } from '../http/page-language.ts'
import type { Kernel, RequestingUser } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import type { Interaction } from './interaction.ts'

export const TARGET_ERRORS = defineErrors({
  redirect_uri_missing: ['invalid_request', 'redirect_uri is missing'],
  redirect_uri_not_registered: ['invalid_request', 'redirect_uri is not one that the client registered'],
  redirect_uri_not_accepted: [
    'invalid_redirect_uri',
    'redirect_uri is not accepted here; this server accepts it only of a client that the operator registered',
  ],
})

/** Target of the answer. Until it is known to belong to the client, an error is a page (RFC 6749 4.1.2.1). */
export interface RedirectTarget {
  readonly client: Client
  readonly redirectUri: string
  readonly state?: string | undefined
}

const parameter = text()
export const TargetParameters = z.object({
  client_id: parameter,
  redirect_uri: parameter.optional(),
  /** Every answer returns it, even if the rest of the request is unreadable. */
  state: parameter.optional().catch(undefined),
})
type TargetParameters = z.output<typeof TargetParameters>

interface TargetContext {
  readonly kernel: Kernel
  readonly redirectUriPolicy: RedirectUriPolicy
}

/**
 * Step one: a known client and a redirect URI it registered.
 *
 * @param user present if the document of the client may be fetched
 * @throws OAuthError to be shown as a page
 */
export async function validateRedirectTarget(
  { kernel, redirectUriPolicy }: TargetContext,
  sent: Parameters,
  user?: RequestingUser,
): Promise<RedirectTarget> {
  const requested = readMessage(TargetParameters, sent)
  const client = await kernel.store.clients.describe(requested.client_id, user)
  if (client === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
  return redirectTargetOf(client, requested, redirectUriPolicy)
}

/** The target of a request of a known client. @throws OAuthError */
export function redirectTargetOf(
  client: Client,
  { redirect_uri, state }: TargetParameters,
  redirectUriPolicy: RedirectUriPolicy,
): RedirectTarget {
  if (redirect_uri === undefined) throw new OAuthError(TARGET_ERRORS.redirect_uri_missing)
  if (!client.redirectUris.some((registered) => redirectUriMatches(registered, redirect_uri)))
    throw new OAuthError(TARGET_ERRORS.redirect_uri_not_registered)
  // A document lists what its client uses at any server, so here the policy validates one URI and not the list.
  const trusted = client.origin !== 'document' || (client.httpsCallbacks && isHttpsOrLoopback(redirect_uri))
  if (!trusted && !isAcceptedBy(redirectUriPolicy, redirect_uri))
    throw new OAuthError(TARGET_ERRORS.redirect_uri_not_accepted)
  return { client, redirectUri: redirect_uri, state }
}

/** The answer to the client, sent by redirect. */
type Answer = { readonly code: string } | { readonly error: string; readonly error_description: string }

/** RFC 6749 4.1.2, with the issuer (RFC 9207 2). */
export function authorizationResponse(
  { issuer }: Kernel,
  { redirectUri, state }: RedirectTarget,
  answer: Answer,
): HttpResponse {
  return redirect(withParameters(redirectUri, { ...answer, state, iss: issuer }))
}

/** Answers a request whose redirect target is trusted: an error goes back to the client. */
export async function answerByRedirect(
  kernel: Kernel,
  request: HttpRequest,
  target: RedirectTarget,
  answer: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await answer()
  } catch (thrown) {
    const { error, message } = reportedError(thrown, request, kernel.emit)
    return authorizationResponse(kernel, target, { error, error_description: message })
  }
}

/**
 * An error that must not be sent to the client by redirect (RFC 6749 4.1.2.1): a page for the user. A client never
 * sees that page, so it may send the request itself first and gets the error as JSON, with the issuer as in RFC 9207 2.
 *
 * @param sent parameters of the OAuth request, for the language
 */
export async function showErrorPage(
  {
    interaction,
    kernel,
  }: { interaction: Pick<Interaction, 'errorPage' | 'uiLocales'>; kernel: Pick<Kernel, 'issuer'> },
  refusal: OAuthError,
  request: HttpRequest,
  sent?: Parameters,
): Promise<HttpResponse> {
  const { error, message: description, reason, parameters } = refusal
  // A browser looks for a challenge in a 401, and there is none.
  const status = refusal.status === 401 ? 400 : refusal.status
  if (wantsJson(request)) {
    const answer = { error, error_description: description, reason, iss: kernel.issuer }
    return json(status, answer, retryAfter(refusal))
  }
  const view = { ...pageView(interaction, request, sent), error, description, reason, status, parameters }
  const page = await interaction.errorPage(view)
  return securePage({ ...page, headers: { ...page.headers, ...retryAfter(refusal) } })
}

/** Whatever shows a page to a person accepts `text/html` too. */
function wantsJson(request: HttpRequest): boolean {
  const accepted = (header(request, 'accept') ?? '').toLowerCase().split(/[,;\s]+/)
  return accepted.includes('application/json') && !accepted.includes('text/html')
}
