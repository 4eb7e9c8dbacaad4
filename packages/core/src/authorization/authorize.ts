import { publicClient } from '../clients/client-record.ts'
import { type HttpRequest, type HttpResponse, redirect, securePage } from '../http/http.ts'
import { readMessage } from '../http/message.ts'
import { FORM, type Parameters, pairsOf, requireMediaType } from '../http/parameters.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { verifiedHint } from '../openid/id-token-hint.ts'
import {
  type AuthorizationAttempt,
  type AuthorizationContext,
  requestingUser,
} from './authorization-context.ts'
import {
  AuthorizationParameters,
  type AuthorizationRequest,
  readAuthorizationRequest,
} from './authorization-request.ts'
import { answerByRedirect } from './authorization-response.ts'
import { approveRemembered, askForConsent, consentRemembered } from './consent-page.ts'
import { splitLapsedForm } from './expired-form.ts'
import type { Session } from './interaction.ts'
import { arrival, presentedRequest, requirePushed } from './presented-request.ts'
import { PROMPT_ERRORS, requestedPrompts, signInNeeded } from './prompt.ts'
import { validateRedirectTarget } from './redirect-target.ts'
import { markSignIn, signedInSince, splitSignInTicket } from './sign-in-ticket.ts'

/** The authorization endpoint (RFC 6749 3.1 and 4.1.1, OpenID Connect Core 3.1.2). */
export async function authorize(context: AuthorizationContext, request: HttpRequest): Promise<HttpResponse> {
  const { kernel, interaction } = context
  const { query: asked, formLapsed } = splitLapsedForm(queryOf(request))
  const { query, ticket } = splitSignInTicket(asked)
  const presented = presentedRequest(context, query)
  const marked = presented.pushed && (await arrival(context, query, presented))
  if (marked !== undefined) return redirect(`${context.paths.authorize}?${marked}`)
  const { given, requestUri } = presented
  const host = describingHost(context, given)
  const user = host === undefined ? undefined : await interaction.session(request)
  if (host !== undefined && user === undefined) return requireSignIn(context, query, given, host)
  const target = await validateRedirectTarget(context, given, user && requestingUser(context, user))
  return answerByRedirect(kernel, request, target, async () => {
    requirePushed(context, target.client, presented)
    const valid = readAuthorizationRequest(kernel, context.requestOptions, target.client, given)
    const session = user ?? (await interaction.session(request))
    const signedInForThis = signedInSince(context, query, ticket, session)
    return proceed(
      context,
      { target, request: valid, query, requestUri, signedInForThis, formLapsed },
      session,
    )
  })
}

function describingHost({ kernel }: AuthorizationContext, { client_id }: Parameters): string | undefined {
  return typeof client_id === 'string' ? kernel.store.clients.describedBy(client_id) : undefined
}

const StrangersParameters = AuthorizationParameters.pick({ prompt: true, login_hint: true, ui_locales: true })

/**
 * No request without a user causes another request, so all that the sign-in page can name is the host. A refusal is a
 * page: nobody knows yet whether the redirect URI belongs to the client.
 */
async function requireSignIn(
  context: AuthorizationContext,
  query: string,
  given: Parameters,
  clientHost: string,
): Promise<HttpResponse> {
  const { prompt, login_hint: loginHint, ui_locales: uiLocales } = readMessage(StrangersParameters, given)
  if (requestedPrompts(prompt).includes('none')) throw new OAuthError(PROMPT_ERRORS.sign_in_needed)
  const returnTo = `${context.paths.authorize}?${markSignIn(context, query, undefined)}`
  return securePage(await context.interaction.signIn(returnTo, { clientHost, loginHint, uiLocales }))
}

/** The steps between a valid request and a code. Each may need the user. */
async function proceed(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session | undefined,
): Promise<HttpResponse> {
  const { prompts, maxAge, idTokenHint } = attempt.request
  const { kernel, keys } = context
  const hinted = idTokenHint === undefined ? undefined : await verifiedHint(keys, kernel.issuer, idTokenHint)
  const demand = { prompts, maxAge, satisfied: attempt.signedInForThis }
  if (session === undefined || signInNeeded(session, demand, kernel.now()))
    return askToSignIn(context, attempt, session)
  if (hinted !== undefined && hinted.subject !== session.subject)
    return askForHintedUser(context, attempt, session)
  if (await consentRemembered(context, attempt, session)) return approveRemembered(context, attempt, session)
  return askForConsent(context, attempt, session)
}

async function askToSignIn(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session | undefined,
): Promise<HttpResponse> {
  const { target, request, query } = attempt
  if (request.prompts.includes('none')) throw new OAuthError(PROMPT_ERRORS.sign_in_needed)
  const marked = demandsSignIn(request) ? markSignIn(context, query, session) : query
  const returnTo = `${context.paths.authorize}?${marked}`
  const { loginHint, uiLocales } = request
  const { redirectUri } = target
  const client = publicClient(target.client)
  return securePage(await context.interaction.signIn(returnTo, { client, redirectUri, loginHint, uiLocales }))
}

/** Whether this request demands a fresh sign-in, so that it must be recognised when the user comes back. */
function demandsSignIn({ prompts, maxAge, idTokenHint }: AuthorizationRequest): boolean {
  return prompts.length > 0 || maxAge !== undefined || idTokenHint !== undefined
}

/** The code is never for another user than the client asked for (OpenID Connect Core 3.1.2.1, id_token_hint). */
function askForHintedUser(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session,
): Promise<HttpResponse> {
  if (attempt.signedInForThis) throw new OAuthError(PROMPT_ERRORS.sign_in_as_other_user)
  return askToSignIn(context, attempt, session)
}

/** The parameters are in the body of a POST and in the query of a GET (OpenID Connect Core 3.1.2.1). */
function queryOf(request: HttpRequest): string {
  if (request.method === 'GET') return request.query
  requireMediaType(request, FORM)
  return String(pairsOf(request.body))
}
