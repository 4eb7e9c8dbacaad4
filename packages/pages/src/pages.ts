import type {
  AuthorizationServer,
  CallbackView,
  ConsentView,
  ErrorView,
  HttpResponse,
  Interaction,
  OpenAppView,
  PageView,
} from '@grantkit/core'
import type {
  BackchannelAnsweredView,
  BackchannelInteraction,
  BackchannelRequestsView,
  BackchannelRequestView,
} from '@grantkit/core/backchannel-authentication'
import type { DeviceAnsweredView, DeviceInteraction, DeviceView, UserCodeView } from '@grantkit/core/device'
import type { FormPostInteraction, FormPostView } from '@grantkit/core/form-post'
import type { LogoutInteraction, LogoutView, SignedOutView } from '@grantkit/core/logout'
import type { SafeHtml } from '@remix-run/html-template'
import { type Brand, themeOf } from './brand/brand.ts'
import type { ConnectedAppsPages, ConnectedAppsView } from './connected-apps/connected-apps.ts'
import type { Language } from './language.ts'
import { layout, type PageContent, type PageContext, type PageLinks, type Site } from './layout.ts'
import { type LanguageName, offeredLanguages } from './offered-languages.ts'
import { callbackPage } from './views/callback.ts'
import { type ConnectedAppsList, connectedAppsList, connectedAppsPage } from './views/connected-apps.ts'
import { consentPage } from './views/consent.ts'
import { deviceAnsweredPage, devicePage, userCodePage } from './views/device.ts'
import { errorPage } from './views/error.ts'
import { formPostPage } from './views/form-post.ts'
import { logoutPage, signedOutPage } from './views/logout.ts'
import { openAppPage } from './views/open-app.ts'
import { type PersonalTokensView, personalTokensPage } from './views/personal-tokens.ts'
import { requestAnsweredPage, requestPage, requestsPage } from './views/requests.ts'
import { type RefusalText, type SignInRefusal, signInRefusal } from './views/sign-in-refusal.ts'
import { type StepUpNotice, stepUpNotice } from './views/step-up.ts'

/** The pages by name, with what each of them shows. */
export interface PageViews {
  consentPage: ConsentView
  errorPage: ErrorView
  openAppPage: OpenAppView
  callbackPage: CallbackView
  userCodePage: UserCodeView
  devicePage: DeviceView
  deviceAnsweredPage: DeviceAnsweredView
  formPostPage: FormPostView
  requestsPage: BackchannelRequestsView
  requestPage: BackchannelRequestView
  requestAnsweredPage: BackchannelAnsweredView
  logoutPage: LogoutView
  signedOutPage: SignedOutView
  connectedAppsPage: ConnectedAppsView
  personalTokensPage: PersonalTokensView
}

export interface PagesOptions {
  readonly brand: Brand
  /** Who signed in, for "Signed in as". Default: pages do not say. */
  readonly user?: Site['user']
  /** The default first. Names, or languages of your own. Default: `['en', 'de', 'fr', 'es', 'pt-BR', 'ja']`. */
  readonly languages?: readonly (LanguageName | Language)[] | undefined
  readonly links?: PageLinks | undefined
  /** `() => server.metadata`: the error page then names the ways in which an app can register. */
  readonly metadata?: (() => AuthorizationServer['metadata']) | undefined
  /** Pages of your own in place of these. */
  readonly overrides?: PageOverrides | undefined
}

export type PageOverrides = {
  readonly [Name in keyof PageViews]?: (
    view: PageViews[Name],
    page: OverriddenPage,
  ) => HttpResponse | Promise<HttpResponse>
}

/** What an override builds upon. */
export interface OverriddenPage {
  /** The texts of the language of this page. */
  readonly language: Language
  /** The layout with your content. */
  layout(content: PageContent): HttpResponse
  /** The page that is overridden. */
  original(): Promise<HttpResponse>
}

export interface Pages {
  /** Spread it into `interaction`, next to `session` and `signIn`. */
  readonly interaction: Required<Pick<Interaction, 'consentPage' | 'errorPage' | 'openAppPage'>> & {
    readonly uiLocales: readonly string[]
  }
  callbackPage(view: CallbackView): Promise<HttpResponse>
  /** For `device()`. */
  readonly device: DeviceInteraction
  /** For `formPost()`. */
  readonly formPost: FormPostInteraction
  /** For `backchannelAuthentication()`. */
  readonly requests: BackchannelInteraction
  /** For `logout()`, next to `endSession`. */
  readonly logout: Omit<LogoutInteraction, 'endSession'>
  /** For `connectedApps()`. */
  readonly connectedApps: ConnectedAppsPages
  /** The cards of that page, for a page of yours. Its forms need `form-action 'self'`. */
  connectedAppsList(list: ConnectedAppsList): SafeHtml
  /** For a sign-in page of yours: why a password is not enough, and the form for a passkey. */
  stepUpNotice(notice: StepUpNotice): SafeHtml
  /** For a sign-in page of yours: why a sign-in with an OpenID provider was refused. */
  signInRefusal(refusal: SignInRefusal): RefusalText
  /** The personal access tokens of a user, with a form for a new one. Check its forms yourself. */
  personalTokensPage(view: PersonalTokensView): Promise<HttpResponse>
  /** A page of yours in the same layout. @param content `locale`: one of the languages; the first by default */
  page(content: PageContent & { readonly locale?: string | undefined }): HttpResponse
}

const ORIGINALS: {
  readonly [Name in keyof PageViews]: (
    context: PageContext,
    view: PageViews[Name],
  ) => HttpResponse | Promise<HttpResponse>
} = {
  consentPage,
  errorPage,
  openAppPage,
  callbackPage,
  userCodePage,
  devicePage,
  deviceAnsweredPage,
  formPostPage,
  requestsPage,
  requestPage,
  requestAnsweredPage,
  logoutPage,
  signedOutPage,
  connectedAppsPage,
  personalTokensPage,
}

/**
 * The pages of an authorization server, in your brand and in the language of each reader.
 *
 * @throws Error that names what is wrong with the accent, the logo or a language
 *
 * @example
 * ```ts
 * import { pages } from '@grantkit/pages'
 *
 * export const ui = pages({ brand: { name: 'Notes', accent: '#0f766e' }, languages: ['en', 'de'] })
 * ```
 */
export function pages(options: PagesOptions): Pages {
  const languages = offeredLanguages(options.languages)
  const { brand, user, links = {}, metadata, overrides = {} } = options
  const site: Site = { theme: themeOf(brand), user, links, metadata }
  const contextOf = (locale: string | undefined) => ({ site, language: languageOf(languages, locale) })

  const shown =
    <Name extends keyof PageViews>(name: Name) =>
    async (view: PageViews[Name] & PageView): Promise<HttpResponse> => {
      const context = contextOf(view.locale)
      const original = async () => ORIGINALS[name](context, view)
      const override = overrides[name]
      if (override === undefined) return original()
      const { language } = context
      return override(view, { language, layout: (content) => layout(context, content), original })
    }

  return {
    interaction: {
      uiLocales: languages.map(({ tag }) => tag),
      consentPage: shown('consentPage'),
      errorPage: shown('errorPage'),
      openAppPage: shown('openAppPage'),
    },
    callbackPage: shown('callbackPage'),
    device: {
      userCodePage: shown('userCodePage'),
      devicePage: shown('devicePage'),
      deviceAnsweredPage: shown('deviceAnsweredPage'),
    },
    formPost: { formPostPage: shown('formPostPage') },
    requests: {
      requestsPage: shown('requestsPage'),
      requestPage: shown('requestPage'),
      requestAnsweredPage: shown('requestAnsweredPage'),
    },
    logout: { logoutPage: shown('logoutPage'), signedOutPage: shown('signedOutPage') },
    connectedApps: { connectedAppsPage: shown('connectedAppsPage') },
    connectedAppsList: (list) => connectedAppsList(contextOf(list.locale), list),
    stepUpNotice: (notice) => stepUpNotice(contextOf(notice.locale), notice),
    signInRefusal: (refusal) => signInRefusal(contextOf(refusal.locale), refusal),
    personalTokensPage: shown('personalTokensPage'),
    page: ({ locale, ...content }) => layout(contextOf(locale), content),
  }
}

function languageOf(languages: readonly Language[], locale: string | undefined): Language {
  const found = languages.find(({ tag }) => tag === locale) ?? languages[0]
  if (found === undefined) throw new Error('languages: the pages need one')
  return found
}
