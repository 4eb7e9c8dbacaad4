import { type Approval, keptUntil, openGrant } from '../grants/grant.ts'
import type { HttpResponse } from '../http/http.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError, refusals } from '../kernel/oauth-error.ts'
import type { GrantId, Secret } from '../kernel/secrets.ts'
import { formatCode } from '../tokens/credential.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import type { AuthorizationRequest, RedirectTarget } from './authorization-request.ts'
import { authorizationResponse } from './authorization-response.ts'
import type { Session } from './interaction.ts'
import { grantOfTicket } from './ticket.ts'

export const APPROVAL_REFUSALS = refusals({
  consent_ticket_spent: ['invalid_request', 'This consent form was already answered'],
})

export interface ConsentGranted {
  readonly type: 'consent_granted'
  readonly grantId: string
  readonly clientId: string
  readonly subject: string
  readonly scopes: readonly string[]
}

export interface Approved {
  readonly target: RedirectTarget
  readonly request: AuthorizationRequest
  readonly session: Session
  readonly scopes: readonly string[]
  /** The consent ticket. The ids and secrets of the grant and its code are derived from it. */
  readonly ticket: string
}

/** Opens the grant and redirects the browser back with its code. */
export async function approve(
  { kernel, secret, lifetimes }: AuthorizationContext,
  approved: Approved,
): Promise<HttpResponse> {
  const { store, now, emit } = kernel
  const { id, code } = grantOfTicket(secret, approved.ticket)
  const grant = openGrant(approvalOf(kernel, approved, id, code), now(), lifetimes)
  const { clientId, scopes } = grant
  // An approved client lives at least as long as its grants.
  await store.clients.extendExpiry(clientId, grant.expiresAt)
  // The record lives as long as the ticket: its id stops the same form from opening a second grant.
  const end = Math.max(keptUntil(grant), now() + lifetimes.consentTicket)
  const opened = await store.grants.insert(grant.id, grant, end)
  if (!opened) await requireOutstandingCode(kernel, id)
  else {
    const { subject } = approved.session
    emit({ type: 'consent_granted', grantId: id, clientId, subject, scopes } satisfies ConsentGranted)
  }
  return authorizationResponse(kernel, approved.target, { code: formatCode({ grantId: id, secret: code }) })
}

function approvalOf(
  kernel: Kernel,
  { target: { client, redirectUri }, request, session, scopes }: Approved,
  id: GrantId,
  code: Secret,
): Approval {
  const catalogue = Object.keys(kernel.scopes)
  return {
    id: detachedText(id),
    subject: detachedText(session.subject),
    clientId: client.clientId,
    scopes: scopes.map((scope) => detachedText(scope, catalogue)),
    resources: request.resources.map((resource) => detachedText(resource, kernel.resources)),
    redirectUri: detachedText(redirectUri, client.redirectUris),
    authTime: session.authTime,
    challenge: detachedText(request.challenge),
    nonce: request.nonce && detachedText(request.nonce),
    code,
  }
}

/** Reuses a string that is stored already, or copies it: V8 keeps a whole request alive for one substring. */
function detachedText<Text extends string>(text: Text, kept: readonly string[] = []): Text {
  return (kept.find((same) => same === text) ?? Buffer.from(text).toString()) as Text
}

/** A form that is sent twice (a double click) gets the same code twice while that code is unused. */
async function requireOutstandingCode({ store, now }: Kernel, grantId: string): Promise<void> {
  const code = (await store.grants.find(grantId))?.value.code
  const outstanding = code !== undefined && code.redeemedAt === undefined && now() < code.expiresAt
  if (!outstanding) throw new OAuthError(APPROVAL_REFUSALS.consent_ticket_spent)
}
