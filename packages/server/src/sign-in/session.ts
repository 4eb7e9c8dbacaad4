import { createHmac, type KeyObject, randomUUID } from 'node:crypto'
import type { ServerSecret, Session, Store } from '@grantkit/core'
import { isLoopbackUrl } from '@grantkit/core/feature'
import type { EndedSessions } from '@grantkit/core/internal'
import * as z from 'zod'
import type { Account, Accounts, StoredAccount } from '../accounts/accounts.ts'
import type { SignIn, SignInHistory } from '../audit/reading.ts'
import { classOf } from '../config/authentication-classes.ts'
import { storeErrorsAs503 } from '../database/errors-as-503.ts'
import type { SignedOut } from '../events.ts'
import { CLOCK_TOLERANCE, cookieOf, hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'

/**
 * The session of a browser, in a signed cookie, so that a restart loses nothing. It ends when it expires, with the
 * epoch of the account, and on every replica when the user signs out or signs in again: the store records that.
 */
export interface Sessions {
  /**
   * @param cookies the Cookie header of a request
   * @throws OAuthError `temporarily_unavailable` while the store cannot say whether the session was ended
   */
  read(cookies: string | undefined): Promise<BrowserSession | undefined>
  /**
   * The same with the account, for changes by the user. If the session ends later, a change with this account fails.
   */
  visit(cookies: string | undefined): Promise<Visit | undefined>
  /**
   * A new session, and its cookie. The session that the browser had before ends.
   *
   * @param account as it was when its password, passkey or identity was verified
   * @param cookies the Cookie header of the request
   * @throws OAuthError `temporarily_unavailable` if the browser had a session, which then stays valid
   */
  start(account: StoredAccount, cookies: string | undefined, signIn?: SignInFacts): Promise<Started>
  /**
   * Ends the session, and returns the cookie that replaces it.
   *
   * @throws OAuthError `temporarily_unavailable`; the session then stays valid
   */
  end(cookies: string | undefined): Promise<string>
  /** Ends a session in another browser. The caller checks that it belongs to this user. */
  endOther(session: SessionElsewhere): Promise<void>
  hasEnded(id: string): Promise<boolean>
  /** Seconds from the sign-in. */
  readonly lifetime: number
}

/** A session that is not the one of the request. */
interface SessionElsewhere {
  readonly id: string
  /** {@link Session.firstId}. */
  readonly firstId?: string | undefined
  readonly subject: string
  /** When it began or later, in epoch seconds. */
  readonly at: number
}

interface Started {
  readonly session: Session
  readonly cookie: string
}

/** How and when a user signed in. Times are in epoch seconds, and default to now. */
export interface SignInFacts {
  /** `password`, `passkey`, `provider <id>` or `application`. For the operator: {@link Session.signedInBy}. */
  readonly signedInBy?: string | undefined
  /** The earliest possible time of the sign-in. Clients receive it as `auth_time`. */
  readonly authTime?: number | undefined
  /** When the user last confirmed their presence. Required to change sign-in methods. */
  readonly confirmedAt?: number | undefined
  /** The authentication class. An unknown one counts as the weakest, which is the default. */
  readonly acr?: string | undefined
  /** The authentication methods (RFC 8176), each without a space. */
  readonly amr?: readonly string[] | undefined
}

interface BrowserSession extends Session {
  /** Epoch seconds. */
  readonly confirmedAt: number
}

export interface Visit {
  readonly session: BrowserSession
  /** As it was when the session was validated against its epoch. */
  readonly account: StoredAccount
}

export interface SessionOptions {
  /** The secret of the service; cookies are signed with a key derived from it for this purpose. */
  readonly secret: ServerSecret
  readonly baseUrl: string
  readonly accounts: Pick<Accounts, 'find'>
  readonly store: Store
  readonly onEvent: (event: SignedOut) => void
  /**
   * Called before a session ends, for back-channel logout, and once more after: until then it may open a grant. Default: no
   * app is notified.
   */
  readonly onEnding?: (ended: EndedSessions) => Promise<void>
}

const HOUR = 60 * 60
const SessionClaims = z.object({
  jti: z.string(),
  /** The id of the session that it continues, after the same user signed in again. */
  first: z.string().optional(),
  sub: z.string(),
  /**
   * The previous release has no epochs. It reads this mark instead, and a password that it sets changes the mark alone.
   * The next release can drop it.
   */
  password: z.string(),
  epoch: z.coerce.number().default(0),
  iat: z.number(),
  /** Present if the user had signed in earlier at a provider. */
  auth_time: z.coerce.number().optional(),
  confirmed_at: z.coerce.number().optional(),
  signed_in_by: z.string().optional(),
  acr: z.string().optional(),
  /** Separated by spaces. */
  amr: z.string().optional(),
})
type SessionClaims = z.output<typeof SessionClaims>

export function sessionsInCookies(options: SessionOptions): Sessions {
  const { secret, baseUrl, accounts, store, onEvent, onEnding = notifyNoApp } = options
  // Cookies know no ports (RFC 6265 8.5): other programs on the same host may receive them.
  const lifetime = isLoopbackUrl(baseUrl) ? HOUR : 12 * HOUR
  const cookie = cookieOf('session', baseUrl)
  const keys = hmacKeys(secret, 'session')
  const ended = endedSessions(store)

  /** The claims and their account, if its sessions have not ended since. */
  async function current(cookies: string | undefined) {
    const claims = verifyValue(keys, cookie.read(cookies), SessionClaims, lifetime)
    const account = claims && (await accounts.find(claims.sub))
    if (account === undefined || account.sessionEpoch !== claims?.epoch) return undefined
    return keys.some((key) => passwordMark(key, account) === claims.password)
      ? { claims, account }
      : undefined
  }

  /** @param isContinued another session goes on in the apps, which hear of its end */
  async function endOne({ id, firstId = id, subject, at }: SessionElsewhere, isContinued = false) {
    const report = async () => isContinued || onEnding({ subject, sessionIds: [firstId] })
    await report()
    if (await ended.add(id, at + lifetime)) onEvent({ type: 'signed_out', subject, sessionId: id })
    await report()
  }

  /**
   * Ends the session of the browser, if there is one.
   *
   * @param next who signs in instead. The same user goes on in the apps
   * @returns the first id of a session that goes on
   */
  async function endCurrent(cookies: string | undefined, next?: string): Promise<string | undefined> {
    const { claims } = (await current(cookies)) ?? {}
    if (claims === undefined) return undefined
    const { jti: id, first: firstId = id, sub: subject, iat: at } = claims
    const isSame = next === subject && !(await ended.has(id))
    await endOne({ id, firstId, subject, at }, isSame)
    return isSame ? firstId : undefined
  }

  async function visit(cookies: string | undefined): Promise<Visit | undefined> {
    const found = await current(cookies)
    if (found === undefined || (await ended.has(found.claims.jti))) return undefined
    return { session: sessionOf(found.claims), account: found.account }
  }

  return {
    visit,
    read: async (cookies) => (await visit(cookies))?.session,
    async start(account, cookies, { authTime, confirmedAt, signedInBy, acr, amr } = {}) {
      const first = await endCurrent(cookies, account.id)
      const claims = {
        sub: account.id,
        jti: randomUUID(),
        ...(first === undefined ? {} : { first }),
        password: passwordMark(keys[0], account),
        epoch: String(account.sessionEpoch),
        ...(authTime === undefined ? {} : { auth_time: String(authTime) }),
        ...(confirmedAt === undefined ? {} : { confirmed_at: String(confirmedAt) }),
        ...(signedInBy === undefined ? {} : { signed_in_by: signedInBy }),
        ...(acr === undefined ? {} : { acr: classOf(acr) }),
        ...(amr === undefined ? {} : { amr: amr.join(' ') }),
      }
      const value = signValue(keys, claims, lifetime)
      const session = sessionOf(SessionClaims.parse(verifyValue(keys, value, SessionClaims, lifetime)))
      return { session, cookie: cookie.set(value, lifetime) }
    },
    async end(cookies) {
      await endCurrent(cookies)
      return cookie.set('', 0)
    },
    endOther: (session) => endOne(session),
    hasEnded: (id) => ended.has(id),
    lifetime,
  }
}

async function notifyNoApp(): Promise<void> {}

/** Changes with the password, and reveals nothing about it. */
function passwordMark(key: KeyObject, { password }: Account): string {
  return createHmac('sha256', key).update(password).digest('base64url')
}

/** Records of ended sessions, kept for as long as any replica accepts the cookie. */
function endedSessions({ transients }: Store) {
  if (transients === undefined) throw new Error('The store must keep transients')
  const idOf = (session: string) => `ended session ${session}`
  return storeErrorsAs503({
    has: async (session: string) => (await transients.find(idOf(session))) !== undefined,
    add: (session: string, end: number) => {
      const expiresAt = end + CLOCK_TOLERANCE
      return transients.insert(idOf(session), { kind: 'ended_session', expiresAt }, expiresAt)
    },
  })
}

function sessionOf({
  jti,
  first,
  sub,
  iat,
  auth_time: authTime = iat,
  confirmed_at: confirmedAt = authTime,
  signed_in_by: signedInBy,
  acr,
  amr,
}: SessionClaims): BrowserSession {
  const facts = { ...(first && { firstId: first }), ...(signedInBy && { signedInBy }) }
  const authentication = { acr: classOf(acr), ...(amr && { amr: amr.split(' ') }) }
  return { id: jti, subject: sub, authTime, confirmedAt, ...facts, ...authentication }
}

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
