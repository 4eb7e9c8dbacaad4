import { publicClient } from '../clients/client-record.ts'
import { askTerms } from '../grants/request-terms.ts'
import { type HttpRequest, type HttpResponse, redirect, securePage } from '../http/http.ts'
import { FORM, type Parameters, pairsOf, readMessage, requireMediaType } from '../http/message.ts'
import { isCrossSite, type PageView, pageView } from '../http/page.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { verifiedHint } from '../openid/id-token.ts'
import {
  type AuthorizationAttempt,
  type AuthorizationContext,
  requestingUser,
} from './authorization-context.ts'
import { AuthorizationParameters, readAuthorizationRequest } from './authorization-request.ts'
import { approveRemembered, askForConsent, consentRemembered, userInfoOf } from './consent.ts'
import type { Session, SignInHint } from './interaction.ts'
import { presentedRequest } from './presented-request.ts'
import { answered, type Outcome, responseOf, validateRedirectTarget } from './redirect-target.ts'
import {
  markSignIn,
  PROMPT_ERRORS,
  type Prompt,
  queryAfterSignIn,
  requestedPrompts,
  requireNotDeclined,
  signInDemandedAt,
  signInNeeded,
  splitSignInTicket,
} from './sign-in.ts'

/** The authorization endpoint (RFC 6749 3.1 and 4.1.1, OpenID Connect Core 3.1.2). */
export async function authorize(context: AuthorizationContext, request: HttpRequest): Promise<HttpResponse> {
  const { kernel, interaction } = context
  const { observer } = kernel
  const received = queryOf(request)
  if (request.method === 'POST' && (await lacksCookies(context, request)))
    return redirect(`${context.paths.authorize}?${received}`)
  const { query: requested, formExpired } = splitExpiredForm(received)
  const { query, ticket } = splitSignInTicket(requested)
  const presented = presentedRequest(context, query)
  const { sent, opened } = presented
  observer?.report({ fact: 'request_read', parameters: sent }, request)
  const marked = presented.arrival && (await presented.arrival())
  if (marked !== undefined) return redirect(`${context.paths.authorize}?${marked}`)
  observer?.report({ fact: 'authorization_requested' }, request)
  const page = pageView(interaction, request, sent)
  const { client_id: id } = sent
  const clientHost = typeof id === 'string' ? kernel.store.clients.describedBy(id) : undefined
  const user = clientHost === undefined ? undefined : await interaction.session(request)
  if (clientHost !== undefined && user === undefined) requireNotDeclined(ticket)
  if (clientHost !== undefined && user === undefined)
    return requireSignIn(context, request, { query, sent }, { ...page, clientHost })
  const requester = user && requestingUser(context, request, user)
  const target = await validateRedirectTarget(context, request, presented, requester)
  const outcome = async () => {
    context.requestSources?.require(target.client, opened)
    requireNotDeclined(ticket)
    const valid = readAuthorizationRequest(kernel, context.requestOptions, target, sent)
    const session = user ?? (await interaction.session(request))
    const signInDemanded = signInDemandedAt(context, query, ticket, session)
    return proceed(
      context,
      { http: request, target, request: valid, query, opened, signInDemanded, formExpired, page },
      session,
    )
  }
  return answered(kernel, request, target, outcome, (known) => responseOf(known, page))
}

/** Of a POST: browsers send a `SameSite=Lax` cookie with no form of another site, but with the GET that it is redirected to. */
async function lacksCookies(
  { kernel, interaction }: AuthorizationContext,
  request: HttpRequest,
): Promise<boolean> {
  if (!isCrossSite(kernel.issuer, request.headers)) return false
  return (await interaction.session(request)) === undefined
}

const SIGN_IN = { prompt: true, login_hint: true, ui_locales: true } as const
// An invalid one is an error after the sign-in, by a redirect to the client.
const max_age = AuthorizationParameters.shape.max_age.catch(undefined)
const SignInParameters = AuthorizationParameters.pick(SIGN_IN).extend({ max_age })

/**
 * A request without a user causes no fetch, so the sign-in page can only show the host of the client. An error is shown on
 * a page, because it is not known yet whether the redirect URI belongs to the client.
 */
async function requireSignIn(
  context: AuthorizationContext,
  http: HttpRequest,
  { query, sent }: { readonly query: string; readonly sent: Parameters },
  known: PageView & Pick<SignInHint, 'clientHost'>,
): Promise<HttpResponse> {
  const wishes = readMessage(SignInParameters, sent)
  const { prompt, login_hint: loginHint, ui_locales: uiLocales } = wishes
  const maxAge = wishes.max_age === undefined ? undefined : Number(wishes.max_age)
  const prompts = requestedPrompts(prompt)
  if (prompts.includes('none')) throw new OAuthError(PROMPT_ERRORS.sign_in_needed)
  const returnTo = `${context.paths.authorize}?${markSignIn(context, query, undefined)}`
  const acrValues = acrValuesOf(context, sent)
  const hint = { ...known, loginHint, uiLocales, prompt: promptOfSignIn(prompts), maxAge, acrValues }
  return shownSignIn(context, http, await context.interaction.signIn(returnTo, hint))
}

function shownSignIn({ kernel }: AuthorizationContext, http: HttpRequest, page: HttpResponse): HttpResponse {
  kernel.observer?.report({ fact: 'sign_in_shown' }, http)
  return securePage(page)
}

/** The steps between a valid request and a code. Each may need the user. */
async function proceed(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session | undefined,
): Promise<Outcome> {
  const { prompts, maxAge, idTokenHint, acrValues } = attempt.request
  const { kernel, keys, authenticationClasses: classes } = context
  const hinted = idTokenHint === undefined ? undefined : await verifiedHint(keys, kernel.issuer, idTokenHint)
  // Without a page the user cannot sign in more strongly. What is only preferred is then no reason for an error.
  const couldSignIn = classes.required || !prompts.includes('none')
  const weak = session !== undefined && couldSignIn && !classes.meets(session, acrValues)
  const demand = { prompts, maxAge, weak, demandedAt: attempt.signInDemanded }
  if (session === undefined || signInNeeded(session, demand, kernel.now()))
    return askToSignIn(context, attempt, session)
  if (hinted !== undefined && hinted.subject !== session.subject)
    return askForHintedUser(context, attempt, session)
  const { subject, signedInBy } = session
  kernel.observer?.report({ fact: 'signed_in', subject, signedInBy }, attempt.http)
  classes.requireMet(session, acrValues)
  const asked = askTerms(context.requestOptions, attempt.request.asked, userInfoOf(attempt, session))
  const questions = asked instanceof Promise ? await asked : asked
  const { decided } = questions
  if (decided.open && prompts.includes('none')) throw new OAuthError(decided.open)
  if (!decided.open && (await consentRemembered(context, attempt, session, decided.value)))
    return approveRemembered(context, attempt, session, decided.value)
  return askForConsent(context, attempt, session, questions)
}

async function askToSignIn(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session | undefined,
  prompts = attempt.request.prompts,
): Promise<HttpResponse> {
  const { target, request, page } = attempt
  if (request.prompts.includes('none')) throw new OAuthError(PROMPT_ERRORS.sign_in_needed)
  const returnTo = `${context.paths.authorize}?${queryAfterSignIn(context, attempt, session)}`
  const { loginHint, uiLocales, maxAge, acrValues } = request
  const { redirectUri } = target
  const wishes = { loginHint, uiLocales, prompt: promptOfSignIn(prompts), maxAge, acrValues }
  const hint = { ...page, client: publicClient(target.client), redirectUri, ...wishes }
  return shownSignIn(context, attempt.http, await context.interaction.signIn(returnTo, hint))
}

/** The code is never for another user than the client requested (OpenID Connect Core 3.1.2.1, id_token_hint). */
function askForHintedUser(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session,
): Promise<HttpResponse> {
  if (attempt.signInDemanded !== undefined) throw new OAuthError(PROMPT_ERRORS.sign_in_as_other_user)
  // An external single sign-on would return the same user at once, in a loop.
  return askToSignIn(context, attempt, session, [...attempt.request.prompts, 'login'])
}

/** The parameters are in the body of a POST and in the query of a GET (OpenID Connect Core 3.1.2.1). */
function queryOf(request: HttpRequest): string {
  if (request.method === 'GET') return request.query
  requireMediaType(request, FORM)
  return String(pairsOf(request.body))
}

/**
 * The parameters of a request that may be wrong in every other way, for the language of its error page.
 *
 * @param queryIn for a consent form: it repeats the request in its query, and its body has other fields
 */
export function sentParameters(
  context: AuthorizationContext,
  request: HttpRequest,
  queryIn = queryOf,
): Parameters {
  try {
    return presentedRequest(context, queryIn(request)).sent
  } catch {
    return {}
  }
}

/** Makes the consent page say that an earlier form did not count. Any site may append it: it has no other effect. */
const EXPIRED_FORM = '&consent_form=expired'

/**
 * Shows a consent form again if its ticket has expired, or is for another sign-in or request. The redirect repeats the
 * whole request: a form without a valid ticket has no more effect than a link.
 */
export function showFormAgain({ paths }: AuthorizationContext, { query }: HttpRequest): HttpResponse {
  return redirect(`${paths.authorize}?${query}${EXPIRED_FORM}`)
}

function splitExpiredForm(query: string): { readonly query: string; readonly formExpired: boolean } {
  const formExpired = query.endsWith(EXPIRED_FORM)
  return { query: formExpired ? query.slice(0, -EXPIRED_FORM.length) : query, formExpired }
}

// What the sign-in page hears of a request.

/** As for `max_age`: the error comes after the sign-in. */
function acrValuesOf(
  { authenticationClasses }: AuthorizationContext,
  { acr_values }: Parameters,
): readonly string[] | undefined {
  try {
    return typeof acr_values === 'string' ? authenticationClasses.requested(acr_values) : undefined
  } catch {
    return undefined
  }
}

function promptOfSignIn(prompts: readonly Prompt[]): string | undefined {
  const ofSignIn: readonly Prompt[] = ['login', 'select_account']
  return ofSignIn.filter((prompt) => prompts.includes(prompt)).join(' ') || undefined
}
