import { createHmac, randomUUID } from 'node:crypto'
import type { HttpRequest, Session } from '@grantkit/core'
import { parseCookie, stringifySetCookie } from 'cookie'
import { sign, unsign } from 'cookie-signature'
import { z } from 'zod'
import { headerOf } from './http.ts'

/** The sign-in of a browser, sealed into a cookie: replicas store nothing, and a restart loses nothing. */
export interface Sessions {
  read(request: HttpRequest): Promise<Session | undefined>
  /** A new sign-in, and its cookie. */
  start(subject: string): Promise<{ readonly session: Session; readonly cookie: string }>
  /** The cookie that ends it. */
  end(): string
}

const LIFETIME_SECONDS = 12 * 60 * 60
const SessionClaims = z.object({ jti: z.string(), sub: z.string(), iat: z.number() })

/** @param secret the secret of the service; cookies are signed with a key derived from it for this one purpose */
export function sessionsInCookies(secret: string, baseUrl: string): Sessions {
  const cookie = cookieOf('session', baseUrl)
  const key = sealingKey(secret, 'session')
  return {
    async read(request) {
      const claims = open(key, cookie.read(request), SessionClaims)
      return claims && sessionOf(claims)
    },
    async start(subject) {
      const sealed = seal(key, { sub: subject, jti: randomUUID() }, LIFETIME_SECONDS)
      const session = sessionOf(SessionClaims.parse(open(key, sealed, SessionClaims)))
      return { session, cookie: cookie.set(sealed, LIFETIME_SECONDS) }
    },
    end: () => cookie.set('', 0),
  }
}

function sessionOf({ jti, sub, iat }: z.output<typeof SessionClaims>): Session {
  return { id: jti, subject: sub, authTime: iat }
}

export function sealingKey(secret: string, purpose: string): Uint8Array {
  return createHmac('sha256', secret).update(`cookie ${purpose}`).digest()
}

/** Signs on the main thread: while passwords are hashed, the threads of libuv are busy for seconds. */
export function seal(key: Uint8Array, claims: Record<string, string>, seconds: number): string {
  const iat = Math.floor(Date.now() / 1000)
  const content = JSON.stringify({ ...claims, iat, exp: iat + seconds })
  return sign(Buffer.from(content).toString('base64url'), key)
}

const Expiring = z.object({ exp: z.number() })

/** The sealed content, or `undefined` if the cookie is changed, expired or missing. */
export function open<Claims extends z.ZodType>(
  key: Uint8Array,
  sealed: string | undefined,
  claims: Claims,
): z.output<Claims> | undefined {
  const content = unsign(sealed ?? '', key)
  if (content === false) return undefined
  const opened: unknown = JSON.parse(Buffer.from(content, 'base64url').toString())
  return Date.now() < Expiring.parse(opened).exp * 1000 ? claims.safeParse(opened).data : undefined
}

export interface Cookie {
  read(request: HttpRequest): string | undefined
  set(value: string, seconds: number): string
}

/**
 * On https the name prefix stops sibling hosts from setting the cookie. It requires `Secure`, which plain http does not
 * allow.
 */
export function cookieOf(name: string, baseUrl: string): Cookie {
  const secure = baseUrl.startsWith('https:')
  const fullName = secure ? `__Host-${name}` : name
  return {
    read: (request) => parseCookie(headerOf(request, 'cookie'))[fullName],
    set: (value, maxAge) =>
      stringifySetCookie({
        name: fullName,
        value,
        maxAge,
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
        secure,
      }),
  }
}
