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
 * allow. The name has the port, because cookies know none (RFC 6265 8.5): two services on one host keep apart.
 */
export function cookieOf(name: string, baseUrl: string): Cookie {
  const { protocol, port } = new URL(baseUrl)
  const secure = protocol === 'https:'
  const fullName = `${secure ? '__Host-' : ''}${name}${port === '' ? '' : `-${port}`}`
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
