/**
 * The clients that got an ID token in a session, and those that are bound to it, in one transient for each session. A list of live
 * tokens would miss the clients whose grant has ended: they may still have a session of their own.
 */
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { defineErrors, OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import type { Transient } from '../kernel/records.ts'
import type { Stored, Transients } from '../kernel/store.ts'
import { pauseAfter, type WaitingPorts } from '../kernel/time.ts'

export const SESSION_ERRORS = defineErrors({
  session_ended: ['invalid_grant', 'The user has signed out since. Begin again'],
})

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

/** The client of an entry. */
export function sessionClient(entry: string): { readonly clientId: string; readonly hasIdToken: boolean } {
  const hasIdToken = !entry.startsWith(WITHOUT_ID_TOKEN)
  return { clientId: hasIdToken ? entry : entry.slice(WITHOUT_ID_TOKEN.length), hasIdToken }
}

/** In one session. A client beyond it does not hear of the end. */
export const MAX_CLIENTS = 100
const MAX_ATTEMPTS = 32

interface SessionClientsOptions {
  readonly transients: Transients
  /** Epoch seconds. */
  readonly now: () => number
  /** Seconds that a session may last. */
  readonly lifetime: number
  readonly ports: WaitingPorts
  /** Seconds that a code may live. */
  readonly codeLifetime: number
}

export type SessionClients = ReturnType<typeof sessionClients>

export function sessionClients({ transients, now, lifetime, codeLifetime, ports }: SessionClientsOptions) {
  const idOf = (sid: string) => `session.${sid}`
  const recordIn = (seen: Stored<Transient> | undefined) => seen?.value as SessionRecord | undefined

  function write(
    sid: string,
    seen: Stored<Transient> | undefined,
    record: Pick<SessionRecord, 'clients' | 'ended'>,
  ) {
    const expiresAt = record.ended
      ? // The mark is for the codes of the session, on replicas whose clocks differ.
        now() + codeLifetime + 2 * CLOCK_TOLERANCE
      : Math.max(now() + lifetime, seen?.value.expiresAt ?? 0)
    const value: SessionRecord = { kind: 'session-clients', expiresAt, ...record }
    return seen === undefined
      ? transients.insert(idOf(sid), value, expiresAt)
      : transients.replace(idOf(sid), seen, value, expiresAt)
  }

  return {
    /**
     * @returns whether there was room for it
     * @throws OAuthError `invalid_grant` if the session has ended
     */
    async add(sid: string, clientId: string): Promise<boolean> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        if (attempt > 0) await pauseAfter(attempt - 1, ports)
        const seen = await transients.find(idOf(sid))
        const { ended, clients = [], expiresAt = 0 } = recordIn(seen) ?? {}
        if (ended) throw new OAuthError(SESSION_ERRORS.session_ended)
        const isKnown = clients.includes(clientId)
        if (!isKnown && clients.length >= MAX_CLIENTS) return false
        // Half of a life more is enough: a sign-in that goes on for longer is rare, and each write takes time.
        if (isKnown && expiresAt > now() + lifetime / 2) return true
        if (await write(sid, seen, { clients: isKnown ? clients : [...clients, clientId] })) return true
      }
      throw new OAuthError(SERVER_ERRORS.contention)
    },

    /** Marks its end, unless clients are left to tell. @param notified clients @returns the others; none if it has ended before */
    async end(sid: string, notified: readonly string[]): Promise<readonly string[]> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        if (attempt > 0) await pauseAfter(attempt - 1, ports)
        const seen = await transients.find(idOf(sid))
        const { ended, clients = [] } = recordIn(seen) ?? {}
        const others = ended ? [] : clients.filter((clientId) => !notified.includes(clientId))
        if (ended || others.length > 0 || (await write(sid, seen, { clients, ended: true }))) return others
      }
      throw new OAuthError(SERVER_ERRORS.contention)
    },
  }
}
