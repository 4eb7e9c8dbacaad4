/**
 * The pages of an authorization server: functions from what core shows to responses, in your brand, in several languages, without
 * a script.
 *
 * @module
 */

export { html, type SafeHtml } from '@remix-run/html-template'
export type { Brand, FooterLink } from './brand/brand.ts'
export { fill, fillText, type Language, type Plural, type Texts } from './language.ts'
export type { PageContent, PageLinks, PageUser } from './layout.ts'
export type { LanguageName } from './offered-languages.ts'
export {
  type OverriddenPage,
  type PageOverrides,
  type Pages,
  type PagesOptions,
  type PageViews,
  pages,
} from './pages.ts'
export type { ConnectedAppsList } from './views/connected-apps.ts'
export type { ChosenToken, NewTokenForm } from './views/personal-token-form.ts'
export type { PersonalTokensView, ShownPersonalToken } from './views/personal-tokens.ts'
export { dayInWords, pointInTime } from './views/point-in-time.ts'
export type { RefusalText, SignInRefusal } from './views/sign-in-refusal.ts'
export type { StepUpNotice } from './views/step-up.ts'
