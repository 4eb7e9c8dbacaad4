import type { Session } from '../authorization/interaction.ts'
import type { ServerContext } from '../feature.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../http/http.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { DeviceContext } from './device-context.ts'

export const DEVICE_PAGE_ERRORS = defineErrors({
  device_ticket_invalid: ['invalid_request', 'This form has expired or belongs to another sign-in'],
})

/** The session of who may decide. Phishing lives on sessions that people forgot, so an old one is none here. */
export async function freshSession(
  { server, maxAge }: DeviceContext,
  request: HttpRequest,
): Promise<Session | undefined> {
  const session = await server.interaction.session(request)
  return session !== undefined && server.now() - session.authTime <= maxAge ? session : undefined
}

/** @param typed the code that fills in the field afterwards */
export async function askToSignIn({ server, paths }: DeviceContext, typed = ''): Promise<HttpResponse> {
  const query = typed === '' ? '' : `?user_code=${typed}`
  return securePage(await server.interaction.signIn(paths.device + query, {}))
}

/** @param end epoch seconds, from the ticket of a form; `undefined` for the form of another session */
export function requireOpenForm({ now }: ServerContext, end: number | undefined): void {
  if (end === undefined || now() >= end) throw new OAuthError(DEVICE_PAGE_ERRORS.device_ticket_invalid)
}
