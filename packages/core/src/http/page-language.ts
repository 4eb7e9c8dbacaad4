import { lookUpLanguage } from '../kernel/display-text.ts'
import { type HttpRequest, header } from './http.ts'
import type { Parameters } from './message.ts'

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
