import { lookUpLanguage } from '../kernel/display-text.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { type HttpRequest, header } from './http.ts'
import type { Parameters } from './message.ts'

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
  if (typeof requested !== 'string' || !PATH.test(requested) || !URL.canParse(requested, SITE)) return home
  const { origin, pathname } = new URL(requested, SITE)
  // `/.//evil.example` keeps its origin; software that normalizes it once more gets another host.
  return origin === SITE && !pathname.startsWith('//') ? requested : home
}

/** No header holds what is not ASCII; browsers drop tabs and line ends, and read a backslash as a slash (URL Standard 4.4). */
const PATH = /^\/(?!\/)[!-[\]-~]*$/
/** The origin does not matter: no other one is accepted. */
const SITE = 'https://site.invalid'

/** What every page gets. */
export interface PageView {
  /** The request of the browser. */
  readonly request: HttpRequest
  /** The language of the page, as `Interaction.uiLocales` spells it; `en` without that. */
  readonly locale: string
}

/**
 * The language of a page: what the client asks for comes first, then what the browser prefers, then the first of `offered`.
 *
 * @param offered `Interaction.uiLocales`
 * @param sent parameters of the OAuth request, with `ui_locales` (OpenID Connect Core 3.1.2.1)
 *
 * @example
 * ```ts
 * import type { HttpRequest } from '@grantkit/core'
 * import { pageView, type ServerContext } from '@grantkit/core/feature'
 *
 * export const askToSignIn = ({ interaction }: ServerContext, request: HttpRequest) =>
 *   interaction.signIn('/invoices', pageView(interaction, request))
 * ```
 */
export function pageView(
  { uiLocales: offered = ['en'] }: { readonly uiLocales?: readonly string[] | undefined },
  request: HttpRequest,
  { ui_locales }: Parameters = {},
): PageView {
  if (offered.length === 1 && offered[0] !== undefined) return { request, locale: offered[0] }
  const requested = typeof ui_locales === 'string' ? bounded(ui_locales).split(' ') : []
  const preferred = [...requested, ...acceptedLanguages(header(request, 'accept-language') ?? '')]
  const found = preferred.map((range) => (range === '*' ? offered[0] : lookUpLanguage(range, offered)))
  return { request, locale: found.find((tag) => tag !== undefined) ?? offered[0] ?? 'en' }
}

/** The ranges of `Accept-Language`, the preferred ones first (RFC 9110 12.5.4). */
function acceptedLanguages(accepted: string): string[] {
  return bounded(accepted)
    .split(',')
    .map((item) => /^\s*([a-z0-9-]+|\*)\s*(?:;\s*q=([01](?:\.\d*)?)\s*)?$/i.exec(item))
    .map((parts) => ({ range: parts?.[1] ?? '', weight: Number(parts?.[2] ?? 1) }))
    .filter(({ range, weight }) => range !== '' && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ range }) => range)
}

/** Unauthenticated callers can send a long list, and each range is looked up. */
function bounded(list: string): string {
  return list.slice(0, 500)
}
