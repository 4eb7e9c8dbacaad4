import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import { parseCookie, stringifySetCookie } from 'cookie'
import * as z from 'zod'

/** Values that a browser holds and returns, authenticated with an HMAC: cookies and form tokens. */

/** The keys for one purpose: the first one signs, all of them verify. */
export type HmacKeys = readonly [current: KeyObject, ...previous: KeyObject[]]

/**
 * Derived from the secrets of the service. Key objects, because Node takes six times as long to sign with raw bytes.
 */
export function hmacKeys(secret: ServerSecret, purpose: string): HmacKeys {
  const [current, ...previous] = typeof secret === 'string' ? ([secret] as const) : secret
  const keyOf = (accepted: string) =>
    createSecretKey(createHmac('sha256', accepted).update(`cookie ${purpose}`).digest())
  return [keyOf(current), ...previous.map(keyOf)]
}

/** Signs on the main thread: while passwords are hashed, the threads of libuv are busy for seconds. */
export function signValue([key]: HmacKeys, claims: Record<string, string>, seconds: number): string {
  const iat = Math.floor(Date.now() / 1000)
  const content = Buffer.from(JSON.stringify({ ...claims, iat, exp: iat + seconds })).toString('base64url')
  return `${content}.${signature(key, content)}`
}

const Lifetime = z.object({ iat: z.number(), exp: z.number() })

/** Seconds between the clocks of replicas, of their store, and of other hosts that sign or verify. */
export const CLOCK_TOLERANCE = 60

/**
 * The content of a signed value, or `undefined` if it is modified, expired or missing.
 *
 * @param seconds the maximum lifetime, whatever `exp` the content has
 */
export function verifyValue<Claims extends z.ZodType>(
  keys: HmacKeys,
  value: string | undefined,
  claims: Claims,
  seconds: number,
): z.output<Claims> | undefined {
  if (value === undefined) return undefined
  const [content = '', signed = ''] = value.split('.')
  if (!keys.some((key) => isSignature(signed, key, content))) return undefined
  const verified: unknown = JSON.parse(Buffer.from(content, 'base64url').toString())
  return isAlive(Lifetime.parse(verified), seconds) ? claims.safeParse(verified).data : undefined
}

function isAlive({ iat, exp }: z.output<typeof Lifetime>, seconds: number): boolean {
  const now = Date.now() / 1000
  return iat <= now + CLOCK_TOLERANCE && now < Math.min(exp, iat + seconds)
}

function isSignature(signed: string, key: KeyObject, content: string): boolean {
  const [actual, expected] = [Buffer.from(signed), Buffer.from(signature(key, content))]
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

function signature(key: KeyObject, content: string): string {
  return createHmac('sha256', key).update(content).digest('base64url')
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
 *
 * @param suffix of the whole name
 */
export function cookieOf(name: string, baseUrl: string, suffix = '') {
  const { protocol, port, pathname } = new URL(baseUrl)
  const secure = protocol === 'https:'
  const path = pathname === '/' ? '' : createHash('sha256').update(pathname).digest('hex').slice(0, 8)
  const parts = [secure ? `__Host-${name}` : name, port, path]
  const fullName = parts.filter((part) => part !== '').join('-') + suffix
  return {
    name: fullName,
    /** @param cookies the Cookie header of a request */
    read: (cookies = '') => parseCookie(cookies)[fullName],
    set: (value: string, maxAge: number) =>
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
