import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { HttpRequest } from './http.ts'

export const CROSS_SITE_ERRORS = defineErrors({
  form_of_another_site: [
    'access_denied',
    'Another site sent this form. Open the page itself and answer there',
    403,
  ],
})

/**
 * Whether a browser says that another site sent this form: by `Sec-Fetch-Site` (Fetch Metadata) or by `Origin` (Fetch 3.2).
 * Other clients send neither. Two origins are accepted only with `Sec-Fetch-Site: same-origin`: `null`, from browsers
 * that hide referrers, and the origin of the `Host` header, for servers with a second name such as `localhost`.
 *
 * @param issuer a URL of this site
 * @param headers names in lower case
 *
 * @example
 * ```ts with:express
 * import { isCrossSite } from '@grantkit/core/feature'
 *
 * app.post('/account', (req, res, next) => {
 *   if (isCrossSite('https://auth.example', req.headers)) return res.sendStatus(403)
 *   return next()
 * })
 * ```
 */
export function isCrossSite(issuer: string, headers: HttpRequest['headers']): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  if (origin === undefined || origin === new URL(issuer).origin) return false
  return site !== 'same-origin' || !['null', `http://${host}`, `https://${host}`].includes(String(origin))
}

/** For a form that decides something: its ticket must not be the only protection from other sites. @throws OAuthError 403 */
export function requireOwnForm({ issuer }: { readonly issuer: string }, { headers }: HttpRequest): void {
  if (isCrossSite(issuer, headers)) throw new OAuthError(CROSS_SITE_ERRORS.form_of_another_site)
}

/**
 * Where a sign-in may send the browser: a path of this site, or `home`. A request can name any address to return to, and
 * one that leaves the site is an open redirect (RFC 9700 4.11).
 *
 * @param requested the value in the request: of any type, because frameworks parse a repeated parameter to a list
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
export function returnPath(requested: unknown, home = '/'): string {
  // No header holds what is not ASCII; browsers drop tabs and line ends, and read a backslash as a slash (URL Standard 4.4).
  if (
    typeof requested !== 'string' ||
    !/^\/(?!\/)[!-[\]-~]*$/.test(requested) ||
    !URL.canParse(requested, SITE)
  )
    return home
  const { origin, pathname } = new URL(requested, SITE)
  // `/.//evil.example` keeps its origin; software that normalizes it once more gets another host.
  return origin === SITE && !pathname.startsWith('//') ? requested : home
}

/** The origin does not matter: no other one is accepted. */
const SITE = 'https://site.invalid'
