import { pageView } from '@grantkit/core/feature'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import { isMetByAny } from '../config/authentication-classes.ts'
import type { Markup, Site } from '../http/page.ts'

/**
 * A request for which a password is not strong enough (RFC 9470 4). The query of the sign-in page and its forms carry it, and
 * anyone can change it there: it decides only what the page offers, and the server compares the session afterwards.
 */
export interface Demand {
  /** Authentication classes, separated by spaces. */
  readonly acrValues: string
  readonly uiLocales: string
  /** The language in which the page explains it. */
  readonly locale: string
}

const MAX_TEXT = 254

/** @param sent the query of the page, or the fields of a form. @returns `undefined` if a password meets the request */
export function demandIn(
  { ui }: Site,
  c: Context,
  { acr_values = '', ui_locales = '' }: Readonly<Record<string, string | undefined>>,
): Demand | undefined {
  const [acrValues, uiLocales] = [acr_values.slice(0, MAX_TEXT), ui_locales.slice(0, MAX_TEXT)]
  if (isMetByAny(acrValues.split(' '))) return undefined
  const request = { method: c.req.method, path: c.req.path, query: '', headers: c.req.header(), body: '' }
  const { locale } = pageView(ui.interaction, request, { ui_locales: uiLocales })
  return { acrValues, uiLocales, locale }
}

/** The hidden fields by which a form carries it on. */
export function demandFields({ acrValues, uiLocales }: Demand): Markup {
  return html`
  <input type="hidden" name="acr_values" value="${acrValues}">
  <input type="hidden" name="ui_locales" value="${uiLocales}">`
}
