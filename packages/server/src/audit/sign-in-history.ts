import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { AuditEntry } from './entry.ts'
import { auditPage } from './reading.ts'
import type { AuditTrail } from './trail.ts'

/** A sign-in, as shown to its user. */
export interface SignIn {
  /** The id of the session it started. */
  readonly sessionId: string
  /** The id of the first session, if this one continues another. */
  readonly firstId?: string | undefined
  /** Epoch seconds. */
  readonly at: number
  /** The network of the caller, if known. */
  readonly network?: string | undefined
  /** Of the account at the time. Absent if an older release recorded the sign-in. */
  readonly epoch?: number | undefined
}

export interface SignInHistory {
  /**
   * The last sign-ins of a user, the newest first.
   *
   * @param most default: twenty
   * @throws OAuthError `temporarily_unavailable`
   */
  list(subject: string, most?: number): Promise<readonly SignIn[]>
}

const LATEST = 20

/** From the audit trail, so with sign-ins at other replicas and before a restart. */
export function signInHistory(database: Database, trail: Pick<AuditTrail, 'flush'>): SignInHistory {
  return errorsAs503<SignInHistory>({
    async list(subject, most = LATEST) {
      // The latest sign-in may still wait to be written.
      await trail.flush()
      const { entries } = await auditPage(database, { subject, types: ['sign_in_succeeded'] }, most)
      return entries.map(signInOf)
    },
  })
}

function signInOf({ at, sessionId, firstId, network, epoch }: AuditEntry): SignIn {
  return {
    sessionId: String(sessionId),
    firstId: typeof firstId === 'string' ? firstId : undefined,
    at: Math.floor(Date.parse(at) / 1000),
    network: typeof network === 'string' ? network : undefined,
    epoch: typeof epoch === 'number' ? epoch : undefined,
  }
}
