import { env } from 'cloudflare:workers'
import { createHmac, randomUUID } from 'node:crypto'
import type { Session } from '@grantkit/core'
import type { Context } from 'hono'
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie'
import { hasUser } from './users.ts'

/** In seconds. */
const LIFETIME = 8 * 60 * 60

const SECURE = env.ISSUER.startsWith('https:')
/** No other host of the domain can set a cookie with the prefix. */
const COOKIE = SECURE ? '__Host-session' : 'session'
/** The authorization server derives other keys from the same secret. */
const KEY = Uint8Array.from(createHmac('sha256', env.SECRET).update('session cookie').digest())

/** Who is signed in in this browser. The whole session is in the cookie: it ends with its time, or with its user. */
export async function sessionOf(c: Context): Promise<Session | undefined> {
  const cookie = await getSignedCookie(c, KEY, COOKIE)
  if (!cookie) return undefined
  const session: Session = JSON.parse(cookie)
  const isOver = session.authTime + LIFETIME <= now()
  return isOver || !hasUser(env.USERS, session.subject) ? undefined : session
}

/** Each session has an id of its own: a consent form is bound to it. */
export async function startSession(c: Context, subject: string): Promise<void> {
  const session: Session = { id: randomUUID(), subject, authTime: now() }
  await setSignedCookie(c, COOKIE, JSON.stringify(session), KEY, {
    ...{ httpOnly: true, secure: SECURE, path: '/', maxAge: LIFETIME },
    // Not `Strict`: the browser comes from the site of the app, and must send the cookie.
    sameSite: 'Lax',
  })
}

export function endSession(c: Context): void {
  deleteCookie(c, COOKIE, { path: '/', secure: SECURE })
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
