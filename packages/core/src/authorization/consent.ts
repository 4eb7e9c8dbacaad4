import * as z from 'zod'
import { requireOwnForm } from '../http/cross-site.ts'
import type { HttpRequest, HttpResponse } from '../http/http.ts'
import { formParameters, readMessage } from '../http/message.ts'
import { pageView } from '../http/page-language.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { isReading, OPENID } from '../kernel/scope.ts'
import { approve, deny } from './approval.ts'
import { type AuthorizationContext, requestingUser } from './authorization-context.ts'
import { readAuthorizationRequest } from './authorization-request.ts'
import { askForConsent } from './consent-page.ts'
import type { Session } from './interaction.ts'
import { presentedRequest } from './presented-request.ts'
import { answerByRedirect, validateRedirectTarget } from './redirect-target.ts'
import { shownAnswer } from './shown-answer.ts'
import { openedTicket, shownDocument } from './ticket.ts'

export const CONSENT_ERRORS = defineErrors({
  consent_ticket_invalid: [
    'invalid_request',
    'This consent form has expired or belongs to another sign-in. Answer it again',
  ],
})

/** The form of the consent page. */
export const ConsentForm = z.object({
  ticket: z.string().max(200),
  decision: z.enum(['allow', 'allow_reading', 'deny']),
  scope: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((value) => [value ?? []].flat()),
  /** `show`: the app runs on another computer. */
  callback: z.string().optional().catch(undefined),
})
type ConsentForm = z.infer<typeof ConsentForm>

/**
 * Handles the user's decision. The query is the authorization request again, and it is validated again. The ticket
 * proves that this session was shown this request.
 */
export async function consent(context: AuthorizationContext, request: HttpRequest): Promise<HttpResponse> {
  const { kernel } = context
  requireOwnForm(kernel, request)
  const { sent, pushed } = presentedRequest(context, request.query)
  const requestUri = pushed?.requestUri
  kernel.attempts?.know(request, { sent })
  const page = pageView(context.interaction, request, sent)
  const form = readMessage(ConsentForm, formParameters(request))
  const { ticket } = form
  kernel.attempts?.know(request, { expects: 'expired' })
  const { session, secret, shown } = await sessionOfTicket(context, request, ticket)
  kernel.attempts?.know(request, { subject: session.subject })
  // What the ticket opens is derived by the secret that made it, also when another is the current one by now.
  const completing = { ...context, secret: [secret] as const }
  const target = await validateRedirectTarget(
    context,
    request,
    sent,
    requestingUser(context, request, session, shown),
  )
  const answer = await answerByRedirect(kernel, request, target, async () => {
    const requested = readAuthorizationRequest(kernel, context.requestOptions, target.client, sent)
    const scopes = allowedScopes(kernel, form, requested.scopes)
    if (scopes.length === 0) return deny(completing, { http: request, target, session, ticket, requestUri })
    // The document has changed since the page was made, so the user has not seen what would be approved.
    if ((target.client.document?.hash ?? '') !== shown) {
      const attempt = {
        http: request,
        target,
        request: requested,
        query: request.query,
        requestUri,
        signedInForThis: true,
        formExpired: false,
        page,
      }
      return askForConsent(context, attempt, session)
    }
    return approve(completing, {
      http: request,
      target,
      request: requested,
      requestUri,
      session,
      scopes,
      ticket,
    })
  })
  return shownAnswer(context, { target, page }, answer, form.callback === 'show')
}

/** @throws OAuthError after which the form is shown again: a forged one must not cause a redirect to a client */
async function sessionOfTicket(
  { kernel, interaction, secret }: AuthorizationContext,
  request: HttpRequest,
  ticket: string,
): Promise<{ readonly session: Session; readonly secret: string; readonly shown: string }> {
  const session = await interaction.session(request)
  if (session === undefined) throw new OAuthError(CONSENT_ERRORS.consent_ticket_invalid)
  const about = { purpose: 'consent', session: session.id, query: request.query } as const
  const opened = openedTicket(secret, about, ticket)
  if (opened === undefined || kernel.now() >= opened.time)
    throw new OAuthError(CONSENT_ERRORS.consent_ticket_invalid)
  return { session, secret: opened.secret, shown: shownDocument(opened.nonce) }
}

/** The requested scopes that are still ticked. `openid` cannot be left out. */
export function allowedScopes(
  { scopes }: Kernel,
  { decision, scope: ticked }: Pick<ConsentForm, 'decision' | 'scope'>,
  requested: readonly string[],
): readonly string[] {
  if (decision === 'deny') return []
  const allowed = requested.filter((scope) => scope === OPENID || ticked.includes(scope))
  return decision === 'allow' ? allowed : allowed.filter((scope) => isReading(scope, scopes[scope]?.access))
}
