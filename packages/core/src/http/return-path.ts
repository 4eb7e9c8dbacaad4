/**
 * Where a sign-in may send the browser: a path of this site, or `home`. A request can name any address to return to, and
 * one that leaves the site is an open redirect (RFC 9700 4.11).
 *
 * @param asked what the request names: of any type, because frameworks parse a repeated parameter to a list
 *
 * @example
 * ```ts with:express
 * import { returnPath } from '@grantkit/core'
 *
 * app.post('/login', (req, res) => {
 *   // … check the password, start the session …
 *   res.redirect(303, returnPath(req.query.to))
 * })
 * ```
 */
export function returnPath(asked: unknown, home = '/'): string {
  // No header holds what is not ASCII; browsers drop tabs and line ends, and read a backslash as a slash (URL Standard 4.4).
  if (typeof asked !== 'string' || !/^\/(?!\/)[!-[\]-~]*$/.test(asked) || !URL.canParse(asked, SITE))
    return home
  const { origin, pathname } = new URL(asked, SITE)
  // `/.//evil.example` keeps its origin; whoever normalizes it once more gets another host.
  return origin === SITE && !pathname.startsWith('//') ? asked : home
}

/** The origin does not matter: no other one is accepted. */
const SITE = 'https://site.invalid'
