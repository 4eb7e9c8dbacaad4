import { createHmac, type KeyObject, randomUUID } from 'node:crypto'
import type { ServerSecret, Session, Store } from '@grantkit/core'
import { isLoopbackUrl } from '@grantkit/core/feature'
import { z } from 'zod'
import type { Account, Accounts, StoredAccount } from '../accounts/accounts.ts'
import { storeErrorsAs503 } from '../database/errors-as-503.ts'
import { cookieOf } from '../http/cookies.ts'
import { open, seal, sealingKeys } from '../http/sealed.ts'

/**
 * The sign-in of a browser, sealed into a cookie, so that a restart loses nothing. It ends with its time, with the epoch
 * of the account, and on every replica when the user signs out or signs in again: the store remembers that.
 */
export interface Sessions {
  /**
   * @param cookies the Cookie header of a request
   * @throws OAuthError `temporarily_unavailable` while the store cannot say whether the session was ended
   */
  read(cookies: string | undefined): Promise<BrowserSession | undefined>
  /** The same with the account, for what the user changes: whatever ends the session afterwards makes the account outdated. */
  visit(cookies: string | undefined): Promise<Visit | undefined>
  /**
   * A new session, and its cookie. The session that the browser had before ends.
   *
   * @param account as it was when its password, passkey or identity was found to be right
   * @param cookies the Cookie header of the request
   * @throws OAuthError `temporarily_unavailable` if the browser had a session, which then lives on
   */
  start(account: StoredAccount, cookies: string | undefined, signIn?: SignInTimes): Promise<Started>
  /**
   * Ends the session, and returns the cookie that takes its place.
   *
   * @throws OAuthError `temporarily_unavailable`; the session then lives on
   */
  end(cookies: string | undefined): Promise<string>
}

interface Started {
  readonly session: Session
  readonly cookie: string
}

/** In epoch seconds. Both are now, if they are absent. */
export interface SignInTimes {
  /** The earliest moment at which the user can have signed in. Clients get to know it as `auth_time`. */
  readonly authTime?: number | undefined
  /** When the user proved to be there. For who may change how to sign in. */
  readonly confirmedAt?: number | undefined
}

interface BrowserSession extends Session {
  /** Epoch seconds. */
  readonly confirmedAt: number
}

export interface Visit {
  readonly session: BrowserSession
  /** As it was when the session was found to belong to its epoch. */
  readonly account: StoredAccount
}

/** The user ended the session, or replaced it by signing in again. */
export interface SignedOut {
  readonly type: 'signed_out'
  readonly subject: string
  readonly sessionId: string
}

export interface SessionOptions {
  /** The secret of the service; cookies are signed with a key derived from it for this one purpose. */
  readonly secret: ServerSecret
  readonly baseUrl: string
  readonly accounts: Pick<Accounts, 'find'>
  readonly store: Store
  readonly onEvent: (event: SignedOut) => void
}

const HOUR = 60 * 60
const SessionClaims = z.object({
  jti: z.string(),
  sub: z.string(),
  /** The release before this one has no epoch, and reads the mark of the password instead. */
  password: z.string(),
  epoch: z.coerce.number().default(0),
  iat: z.number(),
  /** If the user had signed in before, at a provider. */
  auth_time: z.coerce.number().optional(),
  confirmed_at: z.coerce.number().optional(),
})
type SessionClaims = z.output<typeof SessionClaims>

export function sessionsInCookies(options: SessionOptions): Sessions {
  const { secret, baseUrl, accounts, store, onEvent } = options
  // Cookies know no ports (RFC 6265 8.5): every program on this machine may get to see them.
  const lifetime = isLoopbackUrl(baseUrl) ? HOUR : 12 * HOUR
  const cookie = cookieOf('session', baseUrl)
  const keys = sealingKeys(secret, 'session')
  const ended = endedSessions(store)

  /** The claims and their account, if its sessions have not ended since. */
  async function current(cookies: string | undefined) {
    const claims = open(keys, cookie.read(cookies), SessionClaims, lifetime)
    const account = claims && (await accounts.find(claims.sub))
    if (account === undefined || account.sessionEpoch !== claims?.epoch) return undefined
    return keys.some((key) => passwordMark(key, account) === claims.password)
      ? { claims, account }
      : undefined
  }

  async function endCurrent(cookies: string | undefined): Promise<void> {
    const { claims } = (await current(cookies)) ?? {}
    if (claims && (await ended.add(claims.jti, claims.iat + lifetime)))
      onEvent({ type: 'signed_out', subject: claims.sub, sessionId: claims.jti })
  }

  async function visit(cookies: string | undefined): Promise<Visit | undefined> {
    const found = await current(cookies)
    if (found === undefined || (await ended.has(found.claims.jti))) return undefined
    return { session: sessionOf(found.claims), account: found.account }
  }

  return {
    visit,
    read: async (cookies) => (await visit(cookies))?.session,
    async start(account, cookies, { authTime, confirmedAt } = {}) {
      await endCurrent(cookies)
      const claims = {
        sub: account.id,
        jti: randomUUID(),
        password: passwordMark(keys[0], account),
        epoch: String(account.sessionEpoch),
        ...(authTime === undefined ? {} : { auth_time: String(authTime) }),
        ...(confirmedAt === undefined ? {} : { confirmed_at: String(confirmedAt) }),
      }
      const sealed = seal(keys, claims, lifetime)
      const session = sessionOf(SessionClaims.parse(open(keys, sealed, SessionClaims, lifetime)))
      return { session, cookie: cookie.set(sealed, lifetime) }
    },
    async end(cookies) {
      await endCurrent(cookies)
      return cookie.set('', 0)
    },
  }
}

/** Differs after every change of the password, and tells nothing about it. */
function passwordMark(key: KeyObject, { password }: Account): string {
  return createHmac('sha256', key).update(password).digest('base64url')
}

/** Between the clocks of the store and of the replicas. */
const CLOCK_TOLERANCE = 60

/** Marks of the sessions that their users ended, kept for as long as any replica takes the cookie for good. */
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
  sub,
  iat,
  auth_time: authTime = iat,
  confirmed_at,
}: SessionClaims): BrowserSession {
  return { id: jti, subject: sub, authTime, confirmedAt: confirmed_at ?? authTime }
}
