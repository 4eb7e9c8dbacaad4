import { z } from 'zod'
import { approve } from '../approval.ts'
import { answerByRedirect, readAuthorizationRequest, trustedTarget } from '../authorization-request.ts'
import { formParameters, type HttpRequest, type HttpResponse, parameters } from '../http.ts'
import type { Session } from '../interaction.ts'
import { readMessage } from '../message.ts'
import { OAuthError } from '../oauth-error.ts'
import { openTicket } from '../rules/ticket.ts'
import type { ServerContext } from '../server-context.ts'

/** What the consent page sends back. */
const ConsentForm = z.object({
  ticket: z.string().max(200),
  decision: z.enum(['allow', 'deny']),
  scope: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((value) => [value ?? []].flat()),
})
type ConsentForm = z.infer<typeof ConsentForm>

/**
 * Takes the decision of the user. The query is the authorization request once more: it is validated again, and
 * the ticket proves that this very request was shown to this very session.
 */
export async function consent(server: ServerContext, request: HttpRequest): Promise<HttpResponse> {
  const given = parameters(request.query)
  const form = readMessage(ConsentForm, formParameters(request))
  const target = await trustedTarget(server, given)
  const session = await sessionOfTicket(server, request, form.ticket)
  return answerByRedirect(server, request, target, async () => {
    const asked = readAuthorizationRequest(server, target.client, given)
    const scopes = allowedScopes(form, asked.scopes)
    if (scopes.length === 0) {
      server.onEvent({ type: 'consent_denied', clientId: target.client.clientId, subject: session.subject })
      throw new OAuthError('consent_denied')
    }
    return approve(server, { target, request: asked, session, scopes, ticket: form.ticket })
  })
}

/** @throws OAuthError shown as a page, since a forged form must not even cause a redirect */
async function sessionOfTicket(
  server: ServerContext,
  request: HttpRequest,
  ticket: string,
): Promise<Session> {
  const session = await server.interaction.session(request)
  if (session === undefined) throw new OAuthError('consent_ticket_invalid')
  const about = { purpose: 'consent', session: session.id, query: request.query } as const
  const end = openTicket(server.secret, about, ticket)
  if (end === undefined || server.now() >= end) throw new OAuthError('consent_ticket_invalid')
  return session
}

/** What stayed ticked of what was asked; whoever signs in at all cannot leave out `openid`. */
function allowedScopes(form: ConsentForm, asked: readonly string[]): readonly string[] {
  if (form.decision === 'deny') return []
  return asked.filter((scope) => scope === 'openid' || form.scope.includes(scope))
}
