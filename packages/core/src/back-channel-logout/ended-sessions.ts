/** What follows the end of sessions: messages to their clients, and the end of grants that are bound to them. */
import type { EndedSessions } from '../authorization/user-sessions.ts'
import { revokeGrantsOfSessions } from '../grants/user-grants.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { type LogoutTerms, logoutTermsOf } from './logout-metadata.ts'
import type { LogoutFacts } from './logout-token.ts'
import { type SessionClients, sessionClient } from './session-clients.ts'

interface EndContext {
  readonly kernel: Kernel
  readonly sessions: SessionClients
  readonly outbox: Outbox<LogoutFacts>
  readonly sidsOf: (sessionId: string) => readonly string[]
}

/** @throws OAuthError 503 when something could not be stored; call it again to finish */
export async function endSessions(
  context: EndContext,
  { subject, sessionIds, all = false }: EndedSessions,
): Promise<void> {
  const sessions = sessionIds.flatMap(context.sidsOf)
  const notified = new Map<string, readonly string[]>()
  for (;;) {
    const others = await markEnded(context, sessions, notified)
    if (others.size === 0) return
    await Promise.all([...others].map(([id, sids]) => endForClient(context, id, { subject, sids, all })))
  }
}

/**
 * @param notified the clients of each session that have been notified; the returned ones are added
 * @returns the clients that must be notified first, with their sessions; none if all sessions are marked
 */
async function markEnded(
  { sessions }: EndContext,
  sids: readonly string[],
  notified: Map<string, readonly string[]>,
) {
  const others = new Map<string, string[]>()
  await Promise.all(
    sids.map(async (sid) => {
      const known = notified.get(sid) ?? []
      const left = await sessions.end(sid, known)
      notified.set(sid, [...known, ...left])
      for (const clientId of left) others.set(clientId, [...(others.get(clientId) ?? []), sid])
    }),
  )
  return others
}

interface EndedForClient {
  readonly subject: string
  readonly sids: readonly string[]
  readonly all: boolean
}

async function endForClient(
  { kernel, outbox }: EndContext,
  entry: string,
  ended: EndedForClient,
): Promise<void> {
  const { clientId, hasIdToken } = sessionClient(entry)
  const client = await kernel.store.clients.find(clientId)
  const terms = client && logoutTermsOf(client)
  if (terms === undefined) return
  if (terms.uri !== undefined && hasIdToken) await outbox.add(clientId, factsFor(terms, ended))
  if (terms.sessionBound) await revokeBound(kernel, clientId, ended)
}

/** One message for all sessions, unless the client needs a `sid` in each (Back-Channel Logout 2.4). */
function factsFor(
  { sessionRequired }: LogoutTerms,
  { subject: sub, sids, all }: EndedForClient,
): LogoutFacts[] {
  return all && !sessionRequired ? [{ sub }] : sids.map((sid) => ({ sub, sid }))
}

/** Back-Channel Logout 2.7 recommends it for refresh tokens without `offline_access`; here the operator decides for each client. */
function revokeBound(kernel: Kernel, clientId: string, { subject, sids }: EndedForClient): Promise<void> {
  return revokeGrantsOfSessions(
    kernel,
    { subject, clientId },
    ({ sid, scopes }) => sids.includes(sid ?? '') && !scopes.includes('offline_access'),
  )
}
