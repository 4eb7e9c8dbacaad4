import type { Session } from '@grantkit/core'
import type { EndedSessions } from '@grantkit/core/internal'
import { type Selectable, sql } from 'kysely'
import { type Database, lookup, type Rows } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import { inSteps } from '../database/row-queue.ts'
import type { SessionRow } from '../database/tables.ts'
import type { SignedOut } from '../events.ts'
import {
  type AccountCondition,
  type AccountValues,
  changeAccount,
  isCurrent,
  type StoredAccount,
} from './accounts.ts'

/** A browser in which a user is signed in. Times are in epoch seconds. */
export interface UserSession extends Session {
  /** {@link StoredAccount.sessionEpoch} of the sign-in. With a later one, the session has ended. */
  readonly epoch: number
  /** When the user last confirmed their presence. Required to change sign-in methods. */
  readonly confirmedAt: number
  readonly startedAt: number
  /** The last request of a page, within five minutes. */
  readonly usedAt: number
  readonly expiresAt: number
  /** Of the sign-in, such as `Firefox on Windows`, if the browser says so. */
  readonly device?: string | undefined
  /** Of the sign-in, if known. */
  readonly network?: string | undefined
  /** Of the pages that the browser prefers, if it says so: a BCP 47 tag. */
  readonly language?: string | undefined
  /** The id of the provider at which the user signed in for this session, or for one that it continues, and still is signed in. */
  readonly provider?: string | undefined
  /** The id of the session before providers were connected in this browser, each of which began another one. */
  readonly connectedIn?: string | undefined
}

/** What a connection with a provider is bound to. It outlasts the connections that other tabs make meanwhile. */
export function connectionIdOf({ id, connectedIn = id }: UserSession): string {
  return connectedIn
}

/**
 * Called before sessions end: sends logout tokens to apps (back-channel logout), and ends the grants that end with them. And once more
 * after: until then they may have opened grants. Then the end of all names no session, because a new one may have begun.
 */
export type SessionsEnding = (
  ended: EndedSessions & { readonly resetBy?: ResetBy | undefined },
) => Promise<void>

/** Who resets the password, which ends the personal access tokens too: whoever knew the old one may have created one. */
export type ResetBy = 'user' | 'operator'

/** Changes the account, and ends all its sessions. `false`: it is not there, or the condition does not hold. */
export type ChangeAndEnd = (values: AccountValues, condition?: AccountCondition) => Promise<boolean>

/** Rows of one account. When all its sessions end, each takes two calls of the store, and all rows are deleted in one statement. */
const MAX_ROWS = 100
/** Rows beyond it that one sign-in deletes. */
const MAX_DELETED = 500
/** Seconds. A row stays as long after its session, because an app may know the session as long as that. */
const KEPT = 12 * 60 * 60
const USED_EVERY = 5 * 60
const SWEEP_EVERY = 10 * 60

export type UserSessions = ReturnType<typeof sessionEnds>['sessions']

export function sessionEnds(
  database: Database,
  onEvent: (event: SignedOut) => void,
  ending: SessionsEnding,
  onError: (error: unknown) => void,
) {
  const rows = database.selectFrom('session').selectAll()
  // Every request of a signed-in browser reads one.
  const withId = lookup(database, rows.where('id', '=', ''))
  const ofAccount = (id: string) => rows.where('account', '=', id).orderBy('started_at', 'desc')
  let sweepAt = 0
  let noUseBefore = 0

  async function sweep(now: number): Promise<void> {
    if (now < sweepAt) return
    sweepAt = now + SWEEP_EVERY
    const over = database
      .selectFrom('session')
      .select('id')
      .where('expires_at', '<', timeOf(now - KEPT))
    await inSteps(async (most) => {
      const ended = database.deleteFrom('session').where('id', 'in', over.limit(most))
      return (await ended.executeTakeFirst()).numDeletedRows
    })
  }

  async function find(id: string): Promise<UserSession | undefined> {
    const row = await withId(id)
    return row && row.expires_at > timeOf(Date.now() / 1000) ? sessionOf(row) : undefined
  }

  /** Sends apps the end of all sessions that the account has or had lately. */
  async function tellAll(subject: string, resetBy?: ResetBy): Promise<void> {
    const known = await ofAccount(subject).limit(MAX_ROWS).execute()
    const sessionIds = known.map(sessionOf).map(({ id, firstId = id }) => firstId)
    await ending({ subject, sessionIds: [...new Set(sessionIds)], all: true, resetBy })
  }

  /** The sessions of users: a row is a session, and whoever deletes it ends it. @throws OAuthError `temporarily_unavailable` */
  const sessions = errorsAs503({
    find,
    /** Where a user is signed in, the newest first. */
    async list(subject: string): Promise<readonly UserSession[]> {
      const now = timeOf(Date.now() / 1000)
      return (await ofAccount(subject).where('expires_at', '>', now).execute()).map(sessionOf)
    },
    /**
     * Nothing starts if the sessions of the account have ended since it was read. Of more than a hundred, the oldest ends.
     *
     * @param before ends, and the new session goes on in its apps, which hear of its end
     */
    async start(account: StoredAccount, session: UserSession, before?: UserSession): Promise<void> {
      const removed = await database.transaction().execute(async (rows) => {
        // The lock: whoever ends all sessions meanwhile finds this one, or this one does not start.
        if (await isCurrent(rows, account)) await insert(rows, session)
        return before !== undefined && remove(rows, before.id)
      })
      if (removed && before) onEvent({ type: 'signed_out', subject: account.id, sessionId: before.id })
      await sweep(session.startedAt).catch(onError)
    },
    /** Records a use. It never fails. */
    async used({ id, usedAt }: UserSession): Promise<void> {
      const now = Date.now() / 1000
      if (now < Math.max(usedAt + USED_EVERY, noUseBefore)) return
      try {
        const use = database.updateTable('session').set({ used_at: timeOf(now) })
        await use.where('id', '=', id).execute()
      } catch {
        // Otherwise each request would wait for a write that fails.
        noUseBefore = now + USED_EVERY
      }
    },
    /**
     * Ends one session. Apps get a logout token first. Nothing happens if the user has no such session: also if an outage after its
     * end kept what it opened meanwhile.
     *
     * @returns whether the user had this session
     */
    async end(subject: string, id: string, by?: 'operator'): Promise<boolean> {
      const session = await find(id)
      if (session?.subject !== subject) return false
      const ended = { subject, sessionIds: [session.firstId ?? id] }
      await ending(ended)
      if (await remove(database, id))
        onEvent({ type: 'signed_out', subject, sessionId: id, ...(by && { by }) })
      await ending(ended)
      return true
    },
  })

  return {
    sessions,
    tellAll,
    /** Expires the sessions of all accounts, whose rows stay until `tellAll`. */
    async expireAll(): Promise<void> {
      const now = new Date().toISOString()
      const live = database.selectFrom('session').select('id').where('expires_at', '>', now)
      const expire = database.updateTable('session').set({ expires_at: now })
      await inSteps(
        async (most) => (await expire.where('id', 'in', live.limit(most)).executeTakeFirst()).numUpdatedRows,
      )
    },
    /**
     * The one way to end all sessions of an account: nothing else has the next epoch. Apps get logout tokens first: if the
     * process ends in between, they get one too many instead of none.
     */
    async endAll<Result>(
      subject: string,
      change: (end: ChangeAndEnd, rows: Rows) => Promise<Result>,
      resetBy?: ResetBy,
    ): Promise<Result> {
      await tellAll(subject, resetBy)
      const result = await database.transaction().execute((rows) =>
        change(async (values, condition) => {
          const next = { ...values, session_epoch: sql<number>`session_epoch + 1` }
          const changed = await changeAccount(rows, subject, next, condition)
          if (changed) await rows.deleteFrom('session').where('account', '=', subject).execute()
          return changed
        }, rows),
      )
      await ending({ subject, sessionIds: [], all: true, resetBy })
      return result
    },
  }
}

/** The oldest sessions of the account end without a logout token, as if they had expired. */
async function insert(rows: Rows, session: UserSession): Promise<void> {
  await rows.insertInto('session').values(rowOf(session)).execute()
  const ofAccount = rows.selectFrom('session').select('id').where('account', '=', session.subject)
  const oldest = ofAccount.orderBy('started_at', 'desc').limit(MAX_DELETED).offset(MAX_ROWS)
  await rows.deleteFrom('session').where('id', 'in', oldest).execute()
}

async function remove(rows: Database | Rows, id: string): Promise<boolean> {
  return (await rows.deleteFrom('session').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
}

function rowOf({ id, subject, startedAt, usedAt, expiresAt, ...facts }: UserSession): SessionRow {
  return {
    id,
    account: subject,
    facts: JSON.stringify(facts),
    started_at: timeOf(startedAt),
    used_at: timeOf(usedAt),
    expires_at: timeOf(expiresAt),
  }
}

function sessionOf({ id, account, facts, ...times }: Selectable<SessionRow>): UserSession {
  return {
    ...(JSON.parse(facts) as UserSession),
    id,
    subject: account,
    startedAt: secondsOf(times.started_at),
    usedAt: secondsOf(times.used_at),
    expiresAt: secondsOf(times.expires_at),
  }
}

function timeOf(seconds: number): string {
  return new Date(Math.round(seconds * 1000)).toISOString()
}

function secondsOf(time: string): number {
  return Date.parse(time) / 1000
}
