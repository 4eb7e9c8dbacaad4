import { publicClient } from '../clients/client-record.ts'
import { isLoopback, isPrivateUseUri } from '../clients/redirect-uri.ts'
import { endedGrant } from '../grants/change-grant.ts'
import { type Approval, extentOf, openGrant } from '../grants/grant.ts'
import { sameAnswer } from '../grants/request-terms.ts'
import { openWithinLimit, revokeUserGrant } from '../grants/user-grants.ts'
import { type HttpResponse, securePage } from '../http/http.ts'
import type { PageView } from '../http/page.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Terms } from '../kernel/records.ts'
import { sha256 } from '../kernel/secrets.ts'
import { formatCode } from '../tokens/credential.ts'
import type { AuthorizationAttempt, AuthorizationContext } from './authorization-context.ts'
import type { CallbackView, Session } from './interaction.ts'
import { completionOf } from './presented-request.ts'
import {
  type AuthorizationAnswer,
  authorizationAnswer,
  isAnswer,
  type Outcome,
  type RedirectTarget,
  responseOf,
} from './redirect-target.ts'

export const APPROVAL_ERRORS = defineErrors({
  consent_denied: ['access_denied', 'The user denied access'],
  consent_ticket_spent: [
    'invalid_request',
    'This consent form was already answered. Return to the application',
  ],
})

/** The user allowed a client to act for them: a grant is open. */
export interface ConsentGranted {
  readonly type: 'consent_granted'
  readonly grantId: string
  readonly clientId: string
  readonly subject: string
  readonly scopes: readonly string[]
  /** The resource indicators (RFC 8707); empty means every resource of this server. */
  readonly resources: readonly string[]
  /** What the user decided beside the scopes. */
  readonly terms?: Terms | undefined
  /** The id of the client to which the redirect URI belongs. */
  readonly known?: string | undefined
}

interface UserAnswer {
  readonly session: Session
  /** Those that the user allows. */
  readonly scopes: readonly string[]
  /** What they decide beside the scopes. */
  readonly terms?: Terms | undefined
  /** The consent ticket. The ids and secrets of the grant and its code are derived from it. */
  readonly ticket: string
}

/** Opens the grant, and answers with its code. */
export async function approve(
  context: AuthorizationContext,
  attempt: AuthorizationAttempt,
  allowed: UserAnswer,
): Promise<AuthorizationAnswer> {
  const { kernel, lifetimes } = context
  const { http, target } = attempt
  const { store, emit, observer } = kernel
  const now = kernel.now()
  const approval = approvalOf(context, attempt, allowed, now)
  const { id: grantId, subject, code } = approval
  const grant = openGrant(approval, now, { ...lifetimes, code: codeLifetime(lifetimes, target) })
  const { clientId } = grant
  observer?.report({ fact: 'consent_answered', grant }, http)
  // An approved client lives at least as long as its grants.
  await store.clients.keep(target.client, grant.expiresAt)
  if (await openWithinLimit(kernel, grant)) {
    const ids = { grantId, clientId, subject }
    const known = target.owner && { known: target.owner.id }
    emit({ type: 'consent_granted', ...ids, ...extentOf(grant), ...known } satisfies ConsentGranted, http)
    attempt.opened?.accepted?.(http, { subject })
  } else await requireSameAnswer(kernel, approval)
  observer?.report({ fact: 'code_sent' }, http)
  return authorizationAnswer(kernel, target, { code: formatCode({ grantId, secret: code }) })
}

/** Seconds: the code of an address that other people share must be redeemed soon (RFC 8252 8.1). */
const MAX_SHARED_CODE = 60

function codeLifetime({ code }: AuthorizationContext['lifetimes'], { owner }: RedirectTarget): number {
  return owner === undefined ? code : Math.min(code, MAX_SHARED_CODE)
}

function approvalOf(
  context: AuthorizationContext,
  { http, target: { client, redirectUri }, request, opened }: AuthorizationAttempt,
  { session, scopes, terms, ticket }: UserAnswer,
  now: number,
): Approval {
  const { kernel } = context
  const { id, code, ticketEndsAt } = completionOf(context, ticket, opened, now)
  const sid = context.sessions.sidOf(session, client, scopes)
  const signIn = context.authenticationClasses.factsOf(session)
  const catalogue = Object.keys(kernel.scopes)
  const withheld = [...request.scopes.filter((scope) => !scopes.includes(scope)), ...request.ignoredScopes]
  return {
    id: detachedText(id),
    subject: detachedText(session.subject),
    clientId: client.clientId,
    scopes: scopes.map((scope) => detachedText(scope, catalogue)),
    withheldScopes:
      withheld.length === 0 ? undefined : withheld.map((scope) => detachedText(scope, catalogue)),
    resources: request.resources.map((resource) => detachedText(resource, kernel.resources)),
    redirectUri: detachedText(redirectUri, client.redirectUris),
    nonce: request.nonce && detachedText(request.nonce),
    authTime: session.authTime,
    ...(terms && { terms }),
    ...(sid && { sid }),
    ...signIn,
    challenge: request.challenge && detachedText(request.challenge),
    jkt: request.jkt && detachedText(request.jkt),
    ticketEndsAt,
    reference: kernel.observer?.identityOf(http)?.recorded,
    code,
  }
}

/** Reuses an already stored string, or copies it: V8 keeps a whole request alive for one substring. */
function detachedText<Text extends string>(text: Text, kept: readonly string[] = []): Text {
  return (kept.find((same) => same === text) ?? Buffer.from(text).toString()) as Text
}

/**
 * A form that is sent twice (a double click) gets the same code twice while that code is unused. If the user has ticked
 * other scopes, or decided otherwise, neither answer counts: the grant ends.
 */
async function requireSameAnswer(
  kernel: Kernel,
  { id, subject, scopes, terms, code }: Approval,
): Promise<void> {
  const first = (await kernel.store.grants.find(id))?.value
  const sent = first?.code
  // Another form of the pushed request was answered, by this user or another one: that code is not for this form.
  if (sent !== undefined && sent.hash !== sha256(code))
    throw new OAuthError(APPROVAL_ERRORS.consent_ticket_spent)
  const same = first !== undefined && sameAnswer(first, { scopes, terms })
  if (same && sent !== undefined && sent.redeemedAt === undefined && kernel.now() < sent.expiresAt) return
  if (!same) await revokeUserGrant(kernel, subject, id)
  throw new OAuthError(APPROVAL_ERRORS.consent_ticket_spent)
}

/** The user denied what a client requested. */
export interface ConsentDenied {
  readonly type: 'consent_denied'
  readonly clientId: string
  readonly subject: string
}

/**
 * Spends the ticket, so that it opens no grant. If it has opened one already, the user revokes the approval: the grant ends.
 *
 * @throws OAuthError `access_denied`, always
 */
export async function deny(
  context: AuthorizationContext,
  { http, target, opened }: AuthorizationAttempt,
  { subject }: Session,
  ticket: string,
): Promise<never> {
  const { kernel } = context
  const { store, emit, observer } = kernel
  const now = kernel.now()
  observer?.report({ fact: 'consent_answered' }, http)
  const { id, ticketEndsAt: end } = completionOf(context, ticket, opened, now)
  if (await store.grants.insert(id, endedGrant(id, now, end), end))
    emit({ type: 'consent_denied', clientId: target.client.clientId, subject } satisfies ConsentDenied)
  else await revokeUserGrant(kernel, subject, id)
  throw new OAuthError(APPROVAL_ERRORS.consent_denied)
}

// Pages in place of the redirect to a client, where the redirect alone would not do.

/**
 * What the browser gets as the answer of its user.
 *
 * @param outcome a page stays as it is
 * @param showCallback whether the user takes the callback URL to another computer
 */
export async function shownAnswer(
  context: AuthorizationContext,
  page: PageView,
  outcome: Outcome,
  showCallback = false,
): Promise<HttpResponse> {
  const response = await responseOf(outcome, page)
  if (!isAnswer(outcome) || !outcome.target.responseMode.redirects) return response
  const { callbackPage, lifetimes, interaction } = context
  const { target, parameters } = outcome
  const { redirectUri } = target
  const callbackUrl = String(response.headers.location)
  const view = (): CallbackView => ({
    ...page,
    client: publicClient(target.client),
    callbackUrl,
    allowed: parameters.code !== undefined,
    lifetime: Math.min(
      codeLifetime(lifetimes, target),
      target.responseMode.lifetime ?? Number.POSITIVE_INFINITY,
    ),
  })
  if (callbackPage && showCallback && canShowCallback(context, target))
    return securePage(await callbackPage(view()))
  // A policy of the operator may accept other URIs. No page navigates to those.
  return interaction.openAppPage && isPrivateUseUri(redirectUri)
    ? appOpener(await interaction.openAppPage({ ...view(), redirectUri }), callbackUrl)
    : response
}

/** Only a loopback address can be one of another machine. */
export function canShowCallback(
  { callbackPage }: AuthorizationContext,
  { redirectUri, responseMode }: RedirectTarget,
): boolean {
  return callbackPage !== undefined && responseMode.redirects && isLoopback(redirectUri)
}

/** For a page that says nothing about its content: text alone. */
const TEXT_ALONE = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

/**
 * A browser opens the app and leaves its own page standing, which would be the consent form. One that opens no app without a
 * click has the link of the page.
 */
function appOpener(own: HttpResponse, callbackUrl: string): HttpResponse {
  const page = securePage({ ...own, headers: { 'content-security-policy': TEXT_ALONE, ...own.headers } })
  // The page has no form that would need its origin, and its address has the request in it.
  const headers = { refresh: `0;url=${callbackUrl}`, 'referrer-policy': 'no-referrer' }
  return { ...page, headers: { ...page.headers, ...headers } }
}
