/** The sessions of users, as features hear of them: they name sessions to clients, and learn of their end. */
import { revokeGrantsOfSessions } from '../grants/user-grants.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { type AcceptedSecrets, derivedKey, hmacSha256 } from '../kernel/secrets.ts'
import type { Session } from './interaction.ts'

/** What a feature answers that observes sessions. */
export const SESSION_ERRORS = defineErrors({
  session_ended: ['invalid_grant', 'The user has signed out since. Begin again'],
})

/** Sessions of one user that end now. */
export interface EndedSessions {
  readonly subject: string
  /** `Session.firstId`, or else `Session.id`, of each session that the application knows. One that has ended before is no error. */
  readonly sessionIds: readonly string[]
  /** All sessions of the user end: after a change of the password, or when the account is removed. Default false. */
  readonly all?: boolean | undefined
}

/** What one feature does about sessions. */
export interface SessionObserver {
  /** The `sid` of the grants that this client gets in this session. `undefined`: the client does not hear of its end. */
  sidOf(session: Session, client: Client, scopes: readonly string[]): string | undefined
  /** Resolves when everything that follows is stored. A feature never rejects: the session ends all the same. */
  ended(sessions: EndedSessions): Promise<void>
  /** Does what is due now and can be repeated, such as deliveries. */
  deliver(): Promise<void>
}

/** The sessions of users. Without a feature that needs it, nothing happens. */
export interface UserSessions {
  /**
   * Tell the server which sessions of a user end, before you end them: at every sign-out, after a change of the password, and
   * when an account is disabled or removed. `logout()` does it for its own requests. It waits until the messages to clients are
   * stored, never for a delivery. What fails there never rejects.
   *
   * @example
   * ```ts
   * import type { AuthorizationServer } from '@grantkit/core'
   *
   * declare const authorization: AuthorizationServer
   *
   * export async function signOutEverywhere(subject: string, sessionIds: readonly string[]) {
   *   await authorization.sessions.ended({ subject, sessionIds, all: true })
   * }
   * ```
   *
   * @throws OAuthError `temporarily_unavailable` if what ends with them, such as a grant with a restricted scope, could not be ended.
   *   Then leave the sessions as they are, and call it again
   */
  ended(sessions: EndedSessions): Promise<void>
  /**
   * Delivers what is due now, and resolves when it has been tried. Timers do it; call it where no timer runs between requests, as
   * from the cron trigger of a Worker.
   */
  deliver(): Promise<void>
}

/** On a server without a feature that observes sessions. */
export const UNOBSERVED: SessionObserver = {
  sidOf: () => undefined,
  ended: async () => {},
  deliver: async () => {},
}

/** Names sessions to clients: 132 bits of an HMAC, which reveal nothing of the session id (Back-Channel Logout 2.3). */
export function sidsFor(issuer: string, accepted: AcceptedSecrets): (sessionId: string) => readonly string[] {
  const keys = accepted.map((secret) =>
    Buffer.from(derivedKey(`sid of ${issuer}`, secret)).toString('base64url'),
  )
  return (sessionId) => keys.map((key) => hmacSha256(key, sessionId).slice(0, 22))
}

/**
 * Grants with a restricted scope end when the user signs out of the session that they began in, and all of them with all
 * sessions. So a stolen password or session is worth no more than until then. A session that only expires ends no grant.
 *
 * @param observer of a feature. Restricted grants end first, so that an outage changes nothing
 * @param ending what features end with them, in the same way
 */
export function sessionEnds(
  server: Kernel & { readonly secret: AcceptedSecrets },
  observer: SessionObserver,
  ending: readonly ((sessions: EndedSessions) => Promise<void>)[] = [],
): SessionObserver {
  const isRestricted = (name: string) => server.scopes[name]?.restricted === true
  const sidsOf = sidsFor(server.issuer, server.secret)
  async function endRestricted({ subject, sessionIds, all = false }: EndedSessions): Promise<void> {
    const sids = sessionIds.flatMap(sidsOf)
    await revokeGrantsOfSessions(
      server,
      { subject },
      ({ sid, scopes }) => scopes.some(isRestricted) && (all || sids.includes(sid ?? '')),
    )
  }
  return {
    sidOf: (session, client, scopes) =>
      observer.sidOf(session, client, scopes) ??
      (scopes.some(isRestricted) ? sidsOf(session.firstId ?? session.id)[0] : undefined),
    deliver: () => observer.deliver(),
    async ended(sessions) {
      if (Object.keys(server.scopes).some(isRestricted)) await endRestricted(sessions)
      for (const end of ending) await end(sessions)
      await observer.ended(sessions)
    },
  }
}
