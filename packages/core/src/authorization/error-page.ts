import { retryAfter } from '../http/error-response.ts'
import { type HttpRequest, type HttpResponse, header, json, securePage } from '../http/http.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { OAuthError } from '../kernel/oauth-error.ts'
import type { Interaction } from './interaction.ts'

/**
 * A refusal that must not be sent to the client by redirect (RFC 6749 4.1.2.1): a page for the user. A client never
 * sees that page, so it may ask first and gets the refusal as JSON, with the issuer as in RFC 9207 2.
 */
export async function showErrorPage(
  { interaction, kernel }: { interaction: Pick<Interaction, 'errorPage'>; kernel: Pick<Kernel, 'issuer'> },
  refusal: OAuthError,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { error, message: description, reason } = refusal
  // A browser looks for a challenge in a 401, and there is none.
  const status = refusal.status === 401 ? 400 : refusal.status
  if (wantsJson(request)) {
    const answer = { error, error_description: description, reason, iss: kernel.issuer }
    return json(status, answer, retryAfter(refusal))
  }
  const page = await interaction.errorPage({ error, description, reason, status })
  return securePage({ ...page, headers: { ...page.headers, ...retryAfter(refusal) } })
}

/** Whatever shows a page to a person accepts `text/html` too. */
function wantsJson(request: HttpRequest): boolean {
  const accepted = (header(request, 'accept') ?? '').toLowerCase().split(/[,;\s]+/)
  return accepted.includes('application/json') && !accepted.includes('text/html')
}
