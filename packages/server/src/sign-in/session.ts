import { randomUUID } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import { isLoopbackUrl } from '@grantkit/core/feature'
import * as z from 'zod'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import type { UserSession } from '../accounts/sessions.ts'
import { browserOfCaller } from '../audit/caller.ts'
import { classOf } from '../config/authentication-classes.ts'
import { cookieOf, hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import type { RequiredPasskeys } from './required-passkeys.ts'

/**
 * The session of a browser: a row, which a signed cookie names. It ends with its row, when it expires, and when its account
 * is disabled or removed. A cookie that this service has not signed costs no read.
 */
export interface Sessions {
  /**
   * @param cookies the Cookie header of a request
   * @throws OAuthError `temporarily_unavailable` while the database cannot say whether the session has ended
   */
  read(cookies: string | undefined): Promise<UserSession | undefined>
  /**
   * The same with the account, for changes by the user. If the session ends later, a change with this account fails.
   */
  visit(cookies: string | undefined): Promise<Visit | undefined>
  /**
   * A new session, and its cookie. The session that the browser had before ends.
   *
   * @param account as it was when its password, passkey or identity was verified
   * @param cookies the Cookie header of the request
   * @throws OAuthError `temporarily_unavailable`
   */
  start(account: StoredAccount, cookies: string | undefined, signIn?: SignInFacts): Promise<Started>
  /**
   * Ends the session, if it has not ended yet.
   *
   * @throws OAuthError `temporarily_unavailable`; the session then stays valid, unless apps could not be told once more after its end
   */
  end(cookies: string | undefined): Promise<Ended>
  /** Whether the user of this cookie is signed in nowhere any more. `false` without one. @throws OAuthError as above */
  isSignedOutEverywhere(cookies: string | undefined): Promise<boolean>
  /** Seconds from the sign-in. */
  readonly lifetime: number
}

interface Started {
  readonly session: UserSession
  readonly cookie: string
}

export interface Ended {
  /** {@link UserSession.provider}, also of a session that had ended before. */
  readonly provider: string | undefined
  /** Replaces its cookie. */
  readonly cookie: string
}

/** How and when a user signed in. Times are in epoch seconds, and default to now. */
export interface SignInFacts {
  /** `password`, `passkey`, `provider <id>` or `application`. For the operator: {@link UserSession.signedInBy}. */
  readonly signedInBy?: string | undefined
  /** The earliest possible time of the sign-in. Clients receive it as `auth_time`. */
  readonly authTime?: number | undefined
  /** {@link UserSession.confirmedAt}. */
  readonly confirmedAt?: number | undefined
  /** The authentication class. An unknown one counts as the weakest, which is the default. */
  readonly acr?: string | undefined
  /** The authentication methods (RFC 8176), each without a space. */
  readonly amr?: readonly string[] | undefined
  /** {@link UserSession.provider}. Default: that of the session before, if it is of the same user. */
  readonly provider?: string | undefined
  /** {@link UserSession.connectedIn}. */
  readonly connectedIn?: string | undefined
}

/** Those that a session goes on with when another one takes its place. */
export function factsOf({ authTime, confirmedAt, signedInBy, acr, amr, provider }: UserSession): SignInFacts {
  return { authTime, confirmedAt, signedInBy, acr, amr, provider }
}

export interface Visit {
  readonly session: UserSession
  /** As it was when the session was found, or before. */
  readonly account: StoredAccount
}

export interface SessionOptions {
  /** The secret of the service; cookies are signed with a key derived from it for this purpose. */
  readonly secret: ServerSecret
  readonly baseUrl: string
  readonly accounts: Pick<AccountRows, 'find' | 'sessions'>
  /** Whether the account needs a stronger sign-in than this class: then its session is none, at no page and for no app. */
  readonly demandPasskey: RequiredPasskeys['demand']
}

const HOUR = 60 * 60
/** `provider`: a form of a session that has just ended leads where the first click has led. */
const SessionClaims = z.object({ jti: z.string(), sub: z.string(), provider: z.string().optional() })

export function sessionsOfBrowsers({
  secret,
  baseUrl,
  accounts: { find, sessions },
  demandPasskey,
}: SessionOptions): Sessions {
  // Cookies know no ports (RFC 6265 8.5): other programs on the same host may receive them.
  const lifetime = isLoopbackUrl(baseUrl) ? HOUR : 12 * HOUR
  const cookie = cookieOf('session', baseUrl)
  const keys = hmacKeys(secret, 'session')

  const claimsOf = (cookies: string | undefined) =>
    verifyValue(keys, cookie.read(cookies), SessionClaims, lifetime)

  /** The account is read first: while it has this epoch, the session is there. */
  async function found(cookies: string | undefined): Promise<Visit | undefined> {
    const claims = claimsOf(cookies)
    const account = claims && (await find(claims.sub))
    const session = account && (await sessions.find(claims.jti))
    if (session === undefined || session.subject !== account?.id) return undefined
    // A replica of the previous release ends all sessions of an account by its epoch alone.
    if (session.epoch !== account.sessionEpoch) return undefined
    return { session, account }
  }

  async function visit(cookies: string | undefined): Promise<Visit | undefined> {
    const visited = await found(cookies)
    if (visited === undefined) return undefined
    const { account, session } = visited
    // Otherwise it would count again one day, and apps would not hear of a sign-out.
    if (await demandPasskey(account, session.acr)) {
      await sessions.end(account.id, session.id)
      return undefined
    }
    await sessions.used(visited.session)
    return visited
  }

  return {
    visit,
    read: async (cookies) => (await visit(cookies))?.session,
    async start(account, cookies, { signedInBy, acr, amr, connectedIn, ...more } = {}) {
      const { session: before } = (await found(cookies)) ?? {}
      const isSame = before?.subject === account.id
      const { provider = isSame ? before.provider : undefined, ...times } = more
      if (before !== undefined && !isSame) await sessions.end(before.subject, before.id)
      const now = Date.now() / 1000
      const { authTime = Math.floor(now), confirmedAt = authTime } = times
      const session = {
        ...{ id: randomUUID(), firstId: isSame ? (before.firstId ?? before.id) : undefined },
        ...{ subject: account.id, epoch: account.sessionEpoch, authTime, confirmedAt },
        ...{ signedInBy, acr: classOf(acr), amr, provider, connectedIn, ...browserOfCaller() },
        ...{ startedAt: now, usedAt: now, expiresAt: now + lifetime },
      }
      await sessions.start(account, session, isSame ? before : undefined)
      const claims = { jti: session.id, sub: account.id, ...(provider !== undefined && { provider }) }
      const value = signValue(keys, claims, lifetime)
      return { session, cookie: cookie.set(value, lifetime) }
    },
    async end(cookies) {
      const { session } = (await found(cookies)) ?? {}
      if (session !== undefined) await sessions.end(session.subject, session.id)
      const { provider = session?.provider } = claimsOf(cookies) ?? {}
      return { provider, cookie: cookie.set('', 0) }
    },
    async isSignedOutEverywhere(cookies) {
      const { sub } = claimsOf(cookies) ?? {}
      return sub !== undefined && (await sessions.list(sub)).length === 0
    },
    lifetime,
  }
}
