import type { StoredAccount } from '../accounts/accounts.ts'
import type { SignIn, SignInHistory } from '../audit/sign-in-history.ts'
import type { Sessions } from './session.ts'

/**
 * The browsers in which a user is signed in. The trail lists the sign-ins; the epoch of the account and the store's
 * records of ended sessions decide which of them still count. The trail may lack a session: of many sign-ins it keeps
 * some, and of those the last twenty are looked at. "Sign out everywhere" ends the others too.
 */
export interface ActiveSessions {
  /** The newest first. @throws OAuthError `temporarily_unavailable` */
  among(account: StoredAccount, signIns: readonly SignIn[]): Promise<readonly SignIn[]>
  /** Ends one of them; nothing if it is not there. @throws OAuthError `temporarily_unavailable` */
  end(account: StoredAccount, sessionId: string): Promise<void>
}

export function activeSessions(sessions: Sessions, history: SignInHistory): ActiveSessions {
  async function among(
    { sessionEpoch }: StoredAccount,
    signIns: readonly SignIn[],
  ): Promise<readonly SignIn[]> {
    const oldest = Date.now() / 1000 - sessions.lifetime
    const possible = signIns.filter(({ at, epoch = sessionEpoch }) => at > oldest && epoch === sessionEpoch)
    const ended = await Promise.all(possible.map(({ sessionId }) => sessions.hasEnded(sessionId)))
    return possible.filter((_, index) => !ended[index])
  }

  return {
    among,
    async end(account, sessionId) {
      const active = await among(account, await history.list(account.id))
      const found = active.find((session) => session.sessionId === sessionId)
      if (found === undefined) return
      const { firstId, at } = found
      await sessions.endOther({ id: sessionId, firstId, subject: account.id, at })
    },
  }
}
