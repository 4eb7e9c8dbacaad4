import { pageView } from '@grantkit/core/feature'
import { fillText, type Language, type LanguageName } from '@grantkit/pages'
import * as shared from '@grantkit/pages/languages'
import type { Context } from 'hono'
import { requestOf, type Site } from '../http/page.ts'
import { localesOf, type SignInWishes, wishesIn } from '../http/sign-in-wishes.ts'
import { de } from './languages/de.ts'
import { en, type ServerTexts } from './languages/en.ts'
import { es } from './languages/es.ts'
import { fr } from './languages/fr.ts'
import { ja } from './languages/ja.ts'
import { ptBR } from './languages/pt-BR.ts'

/** The texts of the server's own pages, next to those of `@grantkit/pages`. */
export type PageLanguage = Language & ServerTexts

const ENGLISH: PageLanguage = { ...shared.en, ...en }

const LANGUAGES: Readonly<Record<string, PageLanguage>> = {
  en: ENGLISH,
  de: { ...shared.de, ...de },
  fr: { ...shared.fr, ...fr },
  es: { ...shared.es, ...es },
  'pt-BR': { ...shared.ptBR, ...ptBR },
  ja: { ...shared.ja, ...ja },
} satisfies Record<LanguageName, PageLanguage>

/** @param device `Firefox on Windows` */
export function deviceText({ account }: PageLanguage, device: string): string {
  const [browser = '', system] = device.split(' on ')
  return system === undefined ? device : fillText(account.browserOn, { browser, system })
}

/** For a mail. @param tag BCP 47 */
export function languageFor(tag = ''): PageLanguage {
  const request = { method: 'GET', path: '/', query: '', headers: {}, body: '' }
  const { locale } = pageView({ uiLocales: Object.keys(LANGUAGES) }, request, { ui_locales: tag })
  return LANGUAGES[locale] ?? ENGLISH
}

/** A site in the language of one reader. */
export interface LocalSite extends Site {
  readonly language: PageLanguage
}

/** A text for whoever reads the page. */
export type Says = (language: PageLanguage) => string

/** @param wishes default: those of the query, or of the app that waits behind its `return_to` */
export function inLanguage(
  site: Site,
  c: Context,
  { uiLocales = localesOf(c.req.query('return_to')) }: SignInWishes = wishesIn(c.req.query()),
): LocalSite {
  const { locale } = pageView(site.ui.interaction, requestOf(c), { ui_locales: uiLocales ?? '' })
  return inLocale(site, locale)
}

/** @param locale of a page of core */
export function inLocale(site: Site, locale: string): LocalSite {
  return { ...site, language: LANGUAGES[locale] ?? ENGLISH }
}
