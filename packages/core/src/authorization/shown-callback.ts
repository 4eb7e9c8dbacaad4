import { type PublicClient, publicClient } from '../clients/client-record.ts'
import { isLoopback } from '../clients/redirect-uri.ts'
import { type HttpResponse, securePage } from '../http/http.ts'
import type { RedirectTarget } from './redirect-target.ts'

/** The page that shows a callback URL, in place of the redirect to it. */
export interface CallbackView {
  readonly client: PublicClient
  /** For the app that waits for it, as the browser would bring it there. Whoever has it can sign in with it. */
  readonly callbackUrl: string
  /** Whether it has a code. A denial has none, and the app need not hear of it. */
  readonly allowed: boolean
  /** Seconds until its code has expired. */
  readonly lifetime: number
}

export interface CallbackOptions {
  /**
   * Lets the user of an app on another machine take the callback URL there by hand: the loopback address of that app leads
   * nowhere in this browser. The consent page then offers it (`canShowCallback`). Say on both pages who asks for such an
   * address is a thief: somebody can send a user the link of a sign-in that he began himself. Default: not offered.
   */
  readonly callbackPage?: ((view: CallbackView) => HttpResponse | Promise<HttpResponse>) | undefined
}

interface CallbackContext extends CallbackOptions {
  readonly lifetimes: { readonly code: number }
}

/** Only a loopback address can be one of another machine. */
export function canShowCallback({ callbackPage }: CallbackOptions, { redirectUri }: RedirectTarget): boolean {
  return callbackPage !== undefined && isLoopback(redirectUri)
}

/** @param answer to the consent form; it stays as it is unless it is a redirect that may be shown */
export async function shownCallback(
  context: CallbackContext,
  target: RedirectTarget,
  answer: HttpResponse,
): Promise<HttpResponse> {
  const { location } = answer.headers
  const { callbackPage, lifetimes } = context
  if (callbackPage === undefined || location === undefined || !canShowCallback(context, target)) return answer
  const callbackUrl = String(location)
  const allowed = new URL(callbackUrl).searchParams.has('code')
  const view = { client: publicClient(target.client), callbackUrl, allowed, lifetime: lifetimes.code }
  return securePage(await callbackPage(view))
}
