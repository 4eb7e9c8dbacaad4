import {
  type AuthorizationRequest,
  type AuthorizationTarget,
  authorizationResponse,
} from './authorization-request.ts'
import type { HttpResponse } from './http.ts'
import type { Session } from './interaction.ts'
import { OAuthError } from './oauth-error.ts'
import { type Approval, keptUntil, openGrant } from './rules/grant.ts'
import { grantOfTicket } from './rules/ticket.ts'
import type { ServerContext } from './server-context.ts'
import { formatCode } from './tokens/token-string.ts'

export interface Approved {
  readonly target: AuthorizationTarget
  readonly request: AuthorizationRequest
  readonly session: Session
  readonly scopes: readonly string[]
  /** What the user approved with. The grant and its code follow from it. */
  readonly ticket: string
}

/** Opens the grant of an approval and sends the browser back with its code. */
export async function approve(server: ServerContext, approved: Approved): Promise<HttpResponse> {
  const { target, scopes } = approved
  const { id, code } = grantOfTicket(server.secret, approved.ticket)
  const now = server.now()
  const grant = openGrant(termsOf(server, approved, id, code), now, server.lifetimes)
  await outlive(server, grant.clientId, grant.expiresAt)
  // Kept while the ticket is good: the id is what stops the same form from opening a second grant.
  const opened = await server.store.grants.insert(
    grant.id,
    grant,
    Math.max(keptUntil(grant), now + server.lifetimes.consentTicket),
  )
  if (!opened) await requireOutstandingCode(server, id)
  else
    server.onEvent({
      type: 'consent_granted',
      grantId: id,
      clientId: grant.clientId,
      subject: grant.subject,
      scopes,
    })
  return authorizationResponse(server, target, { code: formatCode({ grantId: id, secret: code }) })
}

function termsOf(
  server: ServerContext,
  { target: { client, redirectUri }, request, session, scopes }: Approved,
  id: string,
  code: string,
): Approval {
  const catalogue = Object.keys(server.scopes)
  return {
    id: ownText(id),
    subject: ownText(session.subject),
    clientId: client.clientId,
    scopes: scopes.map((scope) => ownText(scope, catalogue)),
    resources: request.resources.map((resource) => ownText(resource, server.resources)),
    redirectUri: ownText(redirectUri, client.redirectUris),
    authTime: session.authTime,
    challenge: ownText(request.challenge),
    nonce: request.nonce && ownText(request.nonce),
    code,
  }
}

/** The same text as it is kept already or else a copy of it: V8 keeps a whole request alive for a piece of its text. */
function ownText(text: string, kept: readonly string[] = []): string {
  return kept.find((same) => same === text) ?? Buffer.from(text).toString()
}

/** A form sent twice, as a double click does, is answered twice with the one code while that is still unused. */
async function requireOutstandingCode(server: ServerContext, grantId: string): Promise<void> {
  const grant = (await server.store.grants.find(grantId))?.value
  const outstanding =
    grant !== undefined && grant.code.redeemedAt === undefined && server.now() < grant.code.expiresAt
  if (!outstanding) throw new OAuthError('consent_ticket_spent')
}

/** An approved client lives at least as long as its grants. */
async function outlive(server: ServerContext, clientId: string, expiresAt: number): Promise<void> {
  const { clients } = server.store
  for (let attempt = 0; attempt < 4; attempt++) {
    const seen = await clients.find(clientId)
    if (seen === undefined) throw new OAuthError('client_unknown')
    if (seen.value.expiresAt >= expiresAt) return
    if (await clients.replace(clientId, seen, { ...seen.value, expiresAt }, expiresAt)) return
  }
  throw new OAuthError('contention')
}
