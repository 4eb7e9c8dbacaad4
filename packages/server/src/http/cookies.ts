import { createHash } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'

export interface Cookie {
  /** @param cookies the Cookie header of a request */
  read(cookies: string | undefined): string | undefined
  set(value: string, seconds: number): string
}

/** Browsers drop a longer cookie; this leaves room for its name and attributes (RFC 6265 6.1). */
const MAX_VALUE = 3800

/** Whether a browser would drop a cookie with this value. */
export function isTooLongForCookie(value: string): boolean {
  return encodeURIComponent(value).length > MAX_VALUE
}

/**
 * On https the name prefix stops sibling hosts from setting the cookie. It requires `Secure`, which plain http does not
 * allow. The name has the port, because cookies know none (RFC 6265 8.5), and a hash of the path of the service, because a
 * cookie with the prefix is sent to every path: two services on one host keep apart.
 */
export function cookieOf(name: string, baseUrl: string): Cookie {
  const { protocol, port, pathname } = new URL(baseUrl)
  const secure = protocol === 'https:'
  const path = pathname === '/' ? '' : createHash('sha256').update(pathname).digest('hex').slice(0, 8)
  const fullName = [secure ? `__Host-${name}` : name, port, path].filter((part) => part !== '').join('-')
  return {
    read: (cookies = '') => parseCookie(cookies)[fullName],
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
