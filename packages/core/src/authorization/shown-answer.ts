/** Pages in place of the redirect to a client, where the redirect alone would not do. */
import { publicClient } from '../clients/client-record.ts'
import { isLoopback, isPrivateUseUri } from '../clients/redirect-uri.ts'
import { type HttpResponse, securePage } from '../http/http.ts'
import { codeLifetime } from './approval.ts'
import type { AuthorizationAttempt, AuthorizationContext } from './authorization-context.ts'
import type { CallbackView } from './interaction.ts'
import type { RedirectTarget } from './redirect-target.ts'

type AnswerContext = Pick<AuthorizationContext, 'interaction' | 'callbackPage' | 'lifetimes'>

/**
 * What the browser gets as the answer of its user.
 *
 * @param answer stays as it is, unless it is a redirect to the client that a page replaces
 * @param showCallback whether the user takes the callback URL to another computer
 */
export async function shownAnswer(
  context: AnswerContext,
  { target, page }: Pick<AuthorizationAttempt, 'target' | 'page'>,
  answer: HttpResponse,
  showCallback = false,
): Promise<HttpResponse> {
  const { callbackPage, lifetimes, interaction } = context
  const { redirectUri } = target
  const callbackUrl = String(answer.headers.location)
  // A consent form that is shown again may be a redirect too, to a page of the application.
  if (!callbackUrl.startsWith(redirectUri)) return answer
  const view = (): CallbackView => ({
    ...page,
    client: publicClient(target.client),
    callbackUrl,
    allowed: new URL(callbackUrl).searchParams.has('code'),
    lifetime: codeLifetime(lifetimes, target),
  })
  if (callbackPage && showCallback && canShowCallback(context, target))
    return securePage(await callbackPage(view()))
  // A policy of the operator may accept other URIs. No page navigates to those.
  return interaction.openAppPage && isPrivateUseUri(redirectUri)
    ? appOpener(await interaction.openAppPage({ ...view(), redirectUri }), callbackUrl)
    : answer
}

/** Only a loopback address can be one of another machine. */
export function canShowCallback(
  { callbackPage }: Pick<AnswerContext, 'callbackPage'>,
  { redirectUri }: RedirectTarget,
): boolean {
  return callbackPage !== undefined && isLoopback(redirectUri)
}

/** For a page that says nothing about its content: text alone. */
const TEXT_ALONE = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

/**
 * A browser opens the app and leaves its own page standing, which would be the consent form. One that opens no app without a
 * click has the link of the page.
 */
function appOpener(own: HttpResponse, callbackUrl: string): HttpResponse {
  const page = securePage({ ...own, headers: { 'content-security-policy': TEXT_ALONE, ...own.headers } })
  // The page has no form that would need its origin, and its address has the request in it.
  const headers = { refresh: `0;url=${callbackUrl}`, 'referrer-policy': 'no-referrer' }
  return { ...page, headers: { ...page.headers, ...headers } }
}
