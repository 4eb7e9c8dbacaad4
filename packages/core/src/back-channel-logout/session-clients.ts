/**
 * The clients that got an ID token in a session, and those that are bound to it, in one transient for each session. A list of live
 * tokens would miss the clients whose grant has ended: they may still have a session of their own.
 */
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Transient } from '../kernel/records.ts'
import { changeRecord, type Transients } from '../kernel/store.ts'
import type { WaitingPorts } from '../kernel/time.ts'

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
const MAX_RACES = 32

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
     * @returns whether there was room for it
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
