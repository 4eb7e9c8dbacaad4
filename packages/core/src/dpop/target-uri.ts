/** RFC 3986 2.3. */
const UNRESERVED = /[\w.~-]/

/**
 * A URI in the form in which `htu` is compared (RFC 9449 4.3, RFC 3986 6.2.2 and 6.2.3): without query and fragment, lower
 * case in scheme and host, no default port, no dot segments, no needless escapes. A trailing slash counts.
 *
 * @returns `undefined` for what is no http or https URI, or names a user
 */
export function comparableUri(uri: string): string | undefined {
  if (!/^https?:\/\//i.test(uri) || !URL.canParse(uri)) return undefined
  const { username, password, origin, pathname } = new URL(uri)
  if (username !== '' || password !== '') return undefined
  return origin + pathname.replace(/%[0-9a-f]{2}/gi, unescaped)
}

/** Paths that a URL parser rewrites and a router does not: dot segments (plain or escaped), backslashes and fragments. */
const REWRITTEN = /[\\#]|\/(\.|%2e){1,2}(\/|$)/i

/**
 * Whether a proof is for the URI of the request. `/b/../a` may be another route than `/a`, so a proof for `/a` is none for it.
 *
 * @param expected the URI of the request, without its query
 */
export function isSameUri(htu: string, expected: string): boolean {
  if (htu === expected) return true
  if (REWRITTEN.test(expected)) return false
  const target = comparableUri(htu)
  return target !== undefined && target === comparableUri(expected)
}

function unescaped(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return UNRESERVED.test(character) ? character : escaped.toUpperCase()
}
