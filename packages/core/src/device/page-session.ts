import type { Session } from '../authorization/interaction.ts'
import { openTicket, type TicketSubject } from '../authorization/ticket.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../http/http.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { DeviceContext } from './device-context.ts'

export const DEVICE_PAGE_ERRORS = defineErrors({
  device_ticket_invalid: ['invalid_request', 'This form has expired or belongs to another sign-in'],
})

/** The session of who may decide. Phishing lives on sessions that people forgot, so an old one is none here. */
export async function freshSession(
  { kernel, interaction, maxAge }: DeviceContext,
  request: HttpRequest,
): Promise<Session | undefined> {
  const session = await interaction.session(request)
  return session !== undefined && kernel.now() - session.authTime <= maxAge ? session : undefined
}

/** @param typed the code that fills in the field afterwards */
export async function askToSignIn({ interaction, paths }: DeviceContext, typed = ''): Promise<HttpResponse> {
  const query = typed === '' ? '' : `?user_code=${typed}`
  return securePage(await interaction.signIn(paths.device + query, {}))
}

/** @throws OAuthError for the form of another session, or one that was open for too long */
export function requireTicket({ secret, kernel }: DeviceContext, about: TicketSubject, ticket: string): void {
  const end = openTicket(secret, about, ticket)
  if (end === undefined || kernel.now() >= end) throw new OAuthError(DEVICE_PAGE_ERRORS.device_ticket_invalid)
}
