import * as z from 'zod'
import { publicClient } from '../clients/client-record.ts'
import { formActionSources, isLoopback } from '../clients/redirect-uri.ts'
import { liveUntil } from '../grants/change-grant.ts'
import {
  askTerms,
  type DecidedTerms,
  decideTerms,
  sameTerms,
  TERM_ERRORS,
  type TermQuestions,
  type UserInfo,
} from '../grants/request-terms.ts'
import { reportedError } from '../http/endpoint.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../http/http.ts'
import { formParameters, readMessage } from '../http/message.ts'
import { type PageView, pageView, requireOwnForm } from '../http/page.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { Grant, Terms } from '../kernel/records.ts'
import { coversResources } from '../kernel/resource-indicator.ts'
import { includesAll, isReading, OPENID, scopeInLanguage } from '../kernel/scope.ts'
import { newId } from '../kernel/secrets.ts'
import { approve, canShowCallback, deny, shownAnswer } from './approval.ts'
import {
  type AuthorizationAttempt,
  type AuthorizationContext,
  requestingUser,
} from './authorization-context.ts'
import { readAuthorizationRequest } from './authorization-request.ts'
import type { ClientIdentity, ConsentScope, Interaction, Session } from './interaction.ts'
import { presentedRequest } from './presented-request.ts'
import { answered, type Outcome, type RedirectTarget, validateRedirectTarget } from './redirect-target.ts'
import { PROMPT_ERRORS, queryAfterSignIn } from './sign-in.ts'
import { consentNonce, openTicket, sealTicket, shownDocument } from './ticket.ts'

export const CONSENT_ERRORS = defineErrors({
  consent_ticket_invalid: [
    'invalid_request',
    'This consent form has expired or belongs to another sign-in. Answer it again',
  ],
})

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
  const presented = presentedRequest(context, request.query)
  const { sent, opened } = presented
  kernel.observer?.report({ fact: 'request_read', parameters: sent }, request)
  const page = pageView(context.interaction, request, sent)
  const fields = formParameters(request)
  const form = readMessage(ConsentForm, fields)
  const { ticket } = form
  const { session, secret, shown } = await sessionOfTicket(context, request, ticket)
  kernel.observer?.report({ fact: 'form_accepted', subject: session.subject }, request)
  // What the ticket opens is derived by the secret that made it, also when another is the current one by now.
  const completing = { ...context, secret: [secret] as const }
  const user = requestingUser(context, request, session, shown)
  const target = await validateRedirectTarget(context, request, presented, user)
  const outcome = async () => {
    const attempt = {
      http: request,
      target,
      request: readAuthorizationRequest(kernel, context.requestOptions, target, sent),
      query: request.query,
      opened,
      formExpired: false,
      page,
    }
    if (form.decision === 'deny') return deny(completing, attempt, session, ticket)
    const scopes = allowedScopes(kernel, form, attempt.request.scopes)
    // The document has changed since the page was made, so the user has not seen what would be approved.
    if ((target.client.document?.hash ?? '') !== shown) return askForConsent(context, attempt, session)
    // A page of an application that lacks a field would be shown for ever: its operator hears of it.
    const askAgain = (missing: ErrorDefinition, allowsNothing: boolean) => {
      reportedError(new OAuthError(missing), request, kernel)
      return askForConsent(context, { ...attempt, allowsNothing }, session)
    }
    if (scopes.length === 0) return askAgain(TERM_ERRORS.user_decision_missing, true)
    const about = userInfoOf(attempt, session)
    const decided = await decideTerms(context.requestOptions, attempt.request.asked, fields, about)
    if (decided.open) return askAgain(decided.open, false)
    return approve(completing, attempt, { session, scopes, terms: decided.value, ticket })
  }
  return answered(kernel, request, target, outcome, (known) =>
    shownAnswer(context, page, known, form.callback === 'show'),
  )
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
  const opened = openTicket(secret, about, ticket)
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

/** Whom the terms of a request ask. */
export function userInfoOf(
  { target: { client }, request: { scopes, resources }, page: { locale } }: AuthorizationAttempt,
  { subject }: Session,
): UserInfo {
  return { subject, client, scopes, resources, locale }
}

/** The page on which the user decides. @param questions of the terms, if they are known */
export async function askForConsent(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session,
  questions?: TermQuestions,
): Promise<HttpResponse> {
  const { http, target, request, query } = attempt
  const { observer } = context.kernel
  if (request.prompts.includes('none')) throw new OAuthError(PROMPT_ERRORS.consent_needed)
  const { views, decided } =
    questions ?? (await askTerms(context.requestOptions, request.asked, userInfoOf(attempt, session)))
  const page = await context.interaction.consentPage({
    ...attempt.page,
    client: publicClient(target.client),
    session,
    identity: identityOf(target),
    redirectUri: target.redirectUri,
    scopes: await consentScopes(context, attempt, session, decided),
    resources: request.resources,
    action: `${context.paths.consent}?${query}`,
    returnTo: `${context.paths.authorize}?${queryAfterSignIn(context, attempt, session)}`,
    ticket: consentTicket(context, attempt, session),
    formActionSources: sourcesOfForm(target),
    formExpired: attempt.formExpired,
    ...(attempt.allowsNothing ? { allowsNothing: true } : undefined),
    ...(canShowCallback(context, target) ? { canShowCallback: true } : undefined),
    ...(views && { terms: views }),
    reference: observer?.identityOf(http)?.reference,
  })
  observer?.report({ fact: 'consent_shown', scopes: request.scopes }, http)
  return securePage(page)
}

/** The answer to the form redirects the browser, or it is a page. */
function sourcesOfForm({ redirectUri, responseMode, owner }: RedirectTarget): string[] {
  return responseMode.redirects ? formActionSources(redirectUri, owner?.formActionHops) : []
}

/**
 * Only consent to an integration is remembered: anyone can claim to be a public client (RFC 8252 8.6). No consent to a
 * restricted scope is.
 */
export async function consentRemembered(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session,
  decided: Terms | undefined,
): Promise<boolean> {
  const { target, request } = attempt
  const { client } = target
  const mayRemember = client.rememberConsent === true && client.tokenEndpointAuthMethod !== 'none'
  if (!mayRemember || request.prompts.includes('consent')) return false
  if (request.scopes.some((name) => context.kernel.scopes[name]?.restricted)) return false
  const live = await liveGrants(context, attempt, session)
  return live.some(
    ({ scopes, resources, terms }) =>
      includesAll(scopes, request.scopes) &&
      coversResources(resources, request.resources, context.kernel.resources) &&
      sameTerms(terms, decided),
  )
}

/** The live grants that this user gave this client. What an assertion allowed (RFC 7523) is no consent. */
async function liveGrants(
  { kernel: { store, now, maxGrantsPerClient: limit } }: AuthorizationContext,
  { target: { client } }: AuthorizationAttempt,
  { subject }: Session,
): Promise<Grant[]> {
  const { grants } = await store.grants.list({ subject, clientId: client.clientId }, { limit })
  return grants.filter((grant) => grant.authority === undefined && now() < liveUntil(grant))
}

export async function approveRemembered(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session,
  terms: Terms | undefined,
): Promise<Outcome> {
  const { scopes, prompts } = attempt.request
  const ticket = consentTicket(context, attempt, session)
  const answer = await approve(context, attempt, { session, scopes, terms, ticket })
  // Nothing is shown then (OpenID Connect Core 3.1.2.1).
  return prompts.includes('none') ? answer : shownAnswer(context, attempt.page, answer)
}

function consentTicket(
  context: AuthorizationContext,
  { query, target }: AuthorizationAttempt,
  session: Session,
): string {
  const { kernel, lifetimes, secret } = context
  const end = kernel.now() + lifetimes.consentTicket
  const about = { purpose: 'consent', session: session.id, query } as const
  return sealTicket(secret, about, end, consentNonce(newId(kernel.random), target.client))
}

async function consentScopes(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session,
  decided: DecidedTerms,
): Promise<ConsentScope[]> {
  const { scopes: requested, resources } = attempt.request
  const { kernel, interaction } = context
  // The marks are optional: if the store fails, the page is shown without them.
  const live = await liveGrants(context, attempt, session).catch(() => [])
  const grants = live.filter(({ terms }) => !decided.open && sameTerms(terms, decided.value))
  return scopesInWords({ scopes: kernel.scopes, interaction }, requested, attempt.page, (name) =>
    grants.some(
      (grant) => grant.scopes.includes(name) && coversResources(grant.resources, resources, kernel.resources),
    ),
  )
}

/** The requested scopes in the language of the page, in the order of the catalogue. */
export function scopesInWords(
  { scopes, interaction: { uiLocales } }: Pick<Kernel, 'scopes'> & { readonly interaction: Interaction },
  requested: readonly string[],
  { locale }: PageView,
  allowedBefore: (name: string) => boolean = () => false,
): ConsentScope[] {
  return Object.entries(scopes)
    .filter(([name]) => requested.includes(name))
    .map((scope) => ({
      ...scopeInLanguage(scope, locale, uiLocales),
      required: scope[0] === OPENID,
      allowedBefore: allowedBefore(scope[0]),
    }))
}

/** The host that describes a client by its document (draft-ietf-oauth-client-id-metadata-document 8.5), or that gets the code. */
function identityOf({ client, redirectUri, owner }: RedirectTarget): ClientIdentity | undefined {
  const known = redirectUri.startsWith('https:') && owner ? { name: owner.name, host: owner.host } : undefined
  const host = client.origin === 'document' ? new URL(client.clientId).host : known?.host
  return host === undefined ? undefined : { host, loopback: isLoopback(redirectUri), ...(known && { known }) }
}
