import {
  type AuthorizationRequest,
  type AuthorizationTarget,
  authorizationResponse,
} from './authorization-request.ts'
import type { HttpResponse } from './http.ts'
import type { Session } from './interaction.ts'
import { OAuthError } from './oauth-error.ts'
import { keptUntil, openGrant } from './rules/grant.ts'
import { grantOfTicket } from './rules/ticket.ts'
import type { ServerContext } from './server-context.ts'
import type { Grant } from './store.ts'
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
  const { target, request, session, scopes } = approved
  const { id, code } = grantOfTicket(server.secret, approved.ticket)
  const now = server.now()
  const approval = {
    id,
    subject: session.subject,
    clientId: target.client.clientId,
    scopes,
    redirectUri: target.redirectUri,
  }
  const { resources, challenge, nonce } = request
  const terms = { ...approval, resources, challenge, nonce, authTime: session.authTime, code }
  const grant = detached(openGrant(terms, now, server.lifetimes))
  await outlive(server, target.client.clientId, grant.expiresAt)
  // Kept while the ticket is good: the id is what stops the same form from opening a second grant.
  const opened = await server.store.grants.insert(
    id,
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

/** A copy that shares no text with the request: V8 keeps a whole string alive for a piece of it. */
function detached(grant: Grant): Grant {
  return JSON.parse(JSON.stringify(grant))
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
