/**
 * The clients of a session: which of them hear of its end, and what follows then. Those that got an ID token in it and those that are
 * bound to it are in one transient for each session. A list of live tokens would miss the clients whose grant has ended: they may still
 * have a session of their own.
 */
import { OAuthError } from '@grantkit/core'
import type { Client, Kernel, Transient, Transients } from '@grantkit/core/feature'
import {
  CLOCK_TOLERANCE,
  type ClientMetadataMembers,
  changeRecord,
  type EndedSessions,
  httpsParts,
  type PublicUrlRule,
  publicUrlFault,
  type RegisteredBy,
  revokeGrantsOfSessions,
  SESSION_ERRORS,
  text,
} from '@grantkit/core/internal'
import * as z from 'zod'
import type { Outbox } from './outbox.ts'
import type { Ports } from './queue.ts'

/** The server sends to this address, so only the operator names one. The post refuses private addresses behind the name too. */
export function logoutMetadata(registeredBy: RegisteredBy, rule: PublicUrlRule): ClientMetadataMembers {
  if (registeredBy === 'client') return {}
  const address = text(2048).superRefine((uri, context) => {
    const fault = publicUrlFault(uri, rule)
    if (fault !== undefined) context.addIssue(fault)
  })
  return {
    backchannel_logout_uri: address.optional(),
    backchannel_logout_session_required: z.boolean().optional(),
    session_bound: z.boolean().optional(),
  }
}

const Registered = z.object({
  backchannel_logout_uri: z.string().optional(),
  backchannel_logout_session_required: z.boolean().optional(),
  session_bound: z.boolean().optional(),
})

export interface LogoutTerms {
  /** Where its logout tokens go. */
  readonly uri?: string | undefined
  /** Each of its logout tokens names a session. */
  readonly sessionRequired: boolean
  /** Its grants end with the session they began in. */
  readonly sessionBound: boolean
}

/**
 * What happens to a client at the end of a session; `undefined` if nothing does. A client that registered itself is never notified,
 * and a document names only an address on its own host: no client can make the server send to others.
 */
export function logoutTermsOf({ clientId, origin, featureMetadata = {} }: Client): LogoutTerms | undefined {
  const read = origin === 'registered' ? undefined : Registered.safeParse(featureMetadata).data
  const { backchannel_logout_uri: named, backchannel_logout_session_required, session_bound } = read ?? {}
  const uri = origin === 'document' && named !== undefined && !isOnHostOf(clientId, named) ? undefined : named
  const sessionBound = origin === 'integration' && session_bound === true
  if (uri === undefined && !sessionBound) return undefined
  return { uri, sessionRequired: backchannel_logout_session_required === true, sessionBound }
}

function isOnHostOf(clientId: string, uri: string): boolean {
  const host = httpsParts(uri)?.authority
  return host !== undefined && host === httpsParts(clientId)?.authority
}

interface SessionRecord extends Transient {
  readonly kind: 'session-clients'
  /** Client ids, and those of `withoutIdToken`. */
  readonly clients: readonly string[]
  /** It has ended: no code of it is redeemed any more. */
  readonly ended?: true | undefined
}

/** No client id has a line break (RFC 6749 A.1). */
const WITHOUT_ID_TOKEN = '\n'

/** The entry of a client that got no ID token: no message tells it, but its grants may end with the session. */
export function withoutIdToken(clientId: string): string {
  return WITHOUT_ID_TOKEN + clientId
}

function sessionClient(entry: string): { readonly clientId: string; readonly hasIdToken: boolean } {
  const hasIdToken = !entry.startsWith(WITHOUT_ID_TOKEN)
  return { clientId: hasIdToken ? entry : entry.slice(WITHOUT_ID_TOKEN.length), hasIdToken }
}

/** In one session. A client beyond it does not hear of the end. */
export const MAX_CLIENTS = 100
const MAX_RACES = 32

interface SessionClientsOptions {
  readonly transients: Transients
  readonly ports: Ports
  /** Seconds that a session may last. */
  readonly lifetime: number
  /** Seconds that a code may live. */
  readonly codeLifetime: number
}

export type SessionClients = ReturnType<typeof sessionClients>

export function sessionClients({ transients, ports, lifetime, codeLifetime }: SessionClientsOptions) {
  const { now } = ports
  const idOf = (sid: string) => `session.${sid}`

  /** @param next `undefined` leaves the record as it is. It may run several times */
  function change(
    sid: string,
    next: (record: Partial<SessionRecord>) => Pick<SessionRecord, 'clients' | 'ended'> | undefined,
  ) {
    return changeRecord(transients, idOf(sid), { ...ports, races: MAX_RACES }, (seen) => {
      const record = next(seen === undefined ? {} : (seen as SessionRecord))
      // The mark of an end is for the codes of the session, on replicas whose clocks differ.
      const expiresAt = record?.ended
        ? now() + codeLifetime + 2 * CLOCK_TOLERANCE
        : Math.max(now() + lifetime, seen?.expiresAt ?? 0)
      return record && ({ kind: 'session-clients', expiresAt, ...record } satisfies SessionRecord)
    })
  }

  return {
    /**
     * @returns `false` if the session has the maximum number of clients without it
     * @throws OAuthError `invalid_grant` if the session has ended
     */
    async add(sid: string, clientId: string): Promise<boolean> {
      let hasRoom = true
      await change(sid, ({ ended, clients = [], expiresAt = 0 }) => {
        if (ended) throw new OAuthError(SESSION_ERRORS.session_ended)
        const isKnown = clients.includes(clientId)
        hasRoom = isKnown || clients.length < MAX_CLIENTS
        // Half of a life more is enough: a sign-in that goes on for longer is rare, and each write takes time.
        if (!hasRoom || (isKnown && expiresAt > now() + lifetime / 2)) return undefined
        return { clients: isKnown ? clients : [...clients, clientId] }
      })
      return hasRoom
    },

    /** Marks its end, unless clients are left to tell. @param notified clients @returns the others; none if it has ended before */
    async end(sid: string, notified: readonly string[]): Promise<readonly string[]> {
      let others: readonly string[] = []
      await change(sid, ({ ended, clients = [] }) => {
        others = ended ? [] : clients.filter((clientId) => !notified.includes(clientId))
        return ended || others.length > 0 ? undefined : { clients, ended: true }
      })
      return others
    },
  }
}

/** Who is signed out where. */
export interface LogoutFacts {
  readonly sub: string
  /** Absent: every session of the user. */
  readonly sid?: string | undefined
}

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
