import { publicClient } from '../clients/client-record.ts'
import { formActionSources, isLoopback } from '../clients/redirect-uri.ts'
import { liveUntil } from '../grants/change-grant.ts'
import { type HttpResponse, securePage } from '../http/http.ts'
import type { PageView } from '../http/page-language.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Grant } from '../kernel/records.ts'
import { coversResources } from '../kernel/resource-indicator.ts'
import { includesAll, OPENID, scopeInLanguage } from '../kernel/scope.ts'
import { newId } from '../kernel/secrets.ts'
import { approve } from './approval.ts'
import type { AuthorizationAttempt, AuthorizationContext } from './authorization-context.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { ClientIdentity, ConsentScope, Interaction, Session } from './interaction.ts'
import type { RedirectTarget } from './redirect-target.ts'
import { canShowCallback, shownAnswer } from './shown-answer.ts'
import { PROMPT_ERRORS, queryAfterSignIn } from './sign-in.ts'
import { consentNonce, sealTicket } from './ticket.ts'

/** The page on which the user decides. */
export async function askForConsent(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session,
): Promise<HttpResponse> {
  const { http, target, request, query } = attempt
  const { attempts } = context.kernel
  if (request.prompts.includes('none')) throw new OAuthError(PROMPT_ERRORS.consent_needed)
  const page = await context.interaction.consentPage({
    ...attempt.page,
    client: publicClient(target.client),
    session,
    identity: identityOf(target),
    redirectUri: target.redirectUri,
    scopes: await consentScopes(context, attempt, session),
    resources: request.resources,
    action: `${context.paths.consent}?${query}`,
    returnTo: `${context.paths.authorize}?${queryAfterSignIn(context, attempt, session)}`,
    ticket: consentTicket(context, attempt, session),
    formActionSources: formActionSources(target.redirectUri, target.known?.formActionHops),
    formExpired: attempt.formExpired,
    ...(canShowCallback(context, target) ? { canShowCallback: true } : undefined),
    ...(attempts && { reference: attempts.shownReferenceOf(http) }),
  })
  attempts?.step(http, 'consent_shown', { scopes: request.scopes })
  return securePage(page)
}

/**
 * Only consent to an integration is remembered: anyone can claim to be a public client (RFC 8252 8.6). No consent to a
 * restricted scope is.
 */
export async function consentRemembered(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session,
): Promise<boolean> {
  const { target, request } = attempt
  const { client } = target
  const mayRemember = client.rememberConsent === true && client.tokenEndpointAuthMethod !== 'none'
  if (!mayRemember || request.prompts.includes('consent')) return false
  if (request.scopes.some((name) => context.kernel.scopes[name]?.restricted)) return false
  const live = await liveGrants(context, attempt, session)
  return live.some((grant) => covers(grant, request))
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

function covers({ scopes, resources }: Grant, requested: AuthorizationRequest): boolean {
  return includesAll(scopes, requested.scopes) && coversResources(resources, requested.resources)
}

export async function approveRemembered(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session,
): Promise<HttpResponse> {
  const { http, target, request, requestUri } = attempt
  const answer = await approve(context, {
    http,
    target,
    request,
    requestUri,
    session,
    scopes: request.scopes,
    ticket: consentTicket(context, attempt, session),
  })
  // Nothing is shown then (OpenID Connect Core 3.1.2.1).
  return request.prompts.includes('none') ? answer : shownAnswer(context, attempt, answer)
}

function consentTicket(
  context: AuthorizationContext,
  { query, target }: AuthorizationAttempt,
  session: Session,
): string {
  const end = context.kernel.now() + context.lifetimes.consentTicket
  return sealTicket(
    context.secret,
    { purpose: 'consent', session: session.id, query },
    end,
    consentNonce(newId(context.kernel.random), target.client),
  )
}

async function consentScopes(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  session: Session,
): Promise<ConsentScope[]> {
  const { scopes: requested, resources } = attempt.request
  const { kernel, interaction } = context
  // The marks are optional: if the store fails, the page is shown without them.
  const grants = await liveGrants(context, attempt, session).catch(() => [])
  const allows = (grant: Grant, scope: string) =>
    grant.scopes.includes(scope) && coversResources(grant.resources, resources)
  return scopesInWords({ scopes: kernel.scopes, interaction }, requested, attempt.page, (name) =>
    grants.some((grant) => allows(grant, name)),
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
function identityOf({ client, redirectUri, known: entry }: RedirectTarget): ClientIdentity | undefined {
  const known = redirectUri.startsWith('https:') && entry ? { name: entry.name, host: entry.host } : undefined
  const host = client.origin === 'document' ? new URL(client.clientId).host : known?.host
  return host === undefined ? undefined : { host, loopback: isLoopback(redirectUri), ...(known && { known }) }
}
