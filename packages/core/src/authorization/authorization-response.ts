import { withParameters } from '../clients/redirect-uri.ts'
import { reportedError } from '../http/error-response.ts'
import { type HttpRequest, type HttpResponse, redirect } from '../http/http.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { RedirectTarget } from './redirect-target.ts'

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

/** Answers a request whose redirect target is trusted: a refusal goes back to the client. */
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
