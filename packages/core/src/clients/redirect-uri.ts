/**
 * Redirect URIs are compared as strings and never rewritten: a URL parser may treat different URIs as equal (RFC 9700
 * 2.1).
 */

const MAX_URI_LENGTH = 2048
/**
 * http, a loopback host, an optional port, then path and query in RFC 3986 characters. No user, wildcard or fragment.
 */
const LOOPBACK_URI =
  /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{0,4}))?((?:\/(?:[\w\-.~!$&'()+,;=:@]|%[2-7][0-9A-Fa-f]|%[89A-Fa-f][0-9A-Fa-f])*)*(?:\?(?:[\w\-.~!$&'()+,;=:@/?]|%[0-9A-Fa-f]{2})*)?)$/

interface LoopbackUri {
  readonly host: string
  /** Everything after the port; it must match exactly. */
  readonly rest: string
}

export function parseLoopback(uri: string): LoopbackUri | undefined {
  if (uri.length > MAX_URI_LENGTH) return undefined
  const [, host, port, rest = ''] = LOOPBACK_URI.exec(uri) ?? []
  if (host === undefined || Number(port ?? 80) > 65535) return undefined
  return { host, rest }
}

export function isLoopback(uri: string): boolean {
  return parseLoopback(uri) !== undefined
}

/**
 * Whether a requested redirect URI matches the registered one: the same string, or the same loopback host with another
 * port. A native app learns its port only when it starts to listen (RFC 8252 7.3; RFC 9700 4.1.3 for `localhost`).
 */
export function redirectUriMatches(registered: string, requested: string): boolean {
  if (registered === requested) return true
  const known = parseLoopback(registered)
  const other = parseLoopback(requested)
  return known !== undefined && known.host === other?.host && known.rest === other.rest
}

/** They run code in the browser, open a local file, belong to the browser, or run an app that they do not name. */
const UNSAFE_SCHEME =
  /^\s*(javascript|data|vbscript|blob|file|filesystem|about|view-source|intent|ms-[a-z0-9+.-]*|wss?):/i

/** No client may have a redirect URI of such a scheme. */
export function hasUnsafeScheme(uri: string): boolean {
  return UNSAFE_SCHEME.test(uri)
}

/** A redirect URI on the web, or of a program on the user's computer. */
export function isHttpsOrLoopback(uri: string): boolean {
  const https = /^https:\/\/[a-z0-9.-]+(?::[0-9]+)?(?:[/?][^#\s\\]*)?$/i.test(uri) && URL.canParse(uri)
  return (https && uri.length <= MAX_URI_LENGTH) || isLoopback(uri)
}

const PRIVATE_USE_URI = /^[a-z][a-z0-9+.-]*:\/[\w\-.~!$&'()+,;=:@/?%]*$/i

/**
 * The URI of an app by a scheme of its own. RFC 8252 7.1 requires a scheme with a period and 8.4 advises against others, which
 * many apps have: only the exact URI of a named app may have one.
 */
export function isPrivateUseUri(uri: string): boolean {
  const privateUse = PRIVATE_USE_URI.test(uri) && !hasUnsafeScheme(uri) && !/^https?:/i.test(uri)
  return privateUse && uri.length <= MAX_URI_LENGTH
}

/** A URI that an operator may register for a client, to return to with a code or after a logout. */
export function isRegistrableByOperator(uri: string): boolean {
  return isHttpsOrLoopback(uri) || isPrivateUseUri(uri)
}

/** The type of a client that names none: `native` if all its redirect URIs are of an app on the user's device. */
export function applicationTypeOf(redirectUris: readonly string[]): 'native' | 'web' {
  return redirectUris.every(isNative) ? 'native' : 'web'
}

/** A redirect URI of an app on the user's device (RFC 8252 7). */
function isNative(uri: string): boolean {
  return isLoopback(uri) || !/^https?:/i.test(uri)
}

/** Adds response parameters to the query of a redirect URI, which may have one already (RFC 6749 4.1.2). */
export function withParameters(uri: string, added: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(added)) if (value !== undefined) query.set(name, value)
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}

/**
 * CSP sources that let a form's answer redirect there. Only a web address has a host in CSP, which cannot spell one of IPv6: for
 * others the scheme stands alone. Browsers check the whole chain of redirects against them.
 */
export function formActionSources(uri: string, hops: readonly string[] = []): string[] {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*:)/i.exec(uri) ?? []
  const [origin = scheme] = /^https?:\/\/[^/?[]+/.exec(uri) ?? []
  return [origin, ...hops]
}
