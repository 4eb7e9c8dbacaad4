import { readFile } from 'node:fs/promises'
import { type AuthorizationServer, type Interaction, OAuthError } from '@grantkit/core'
import { toResponse } from '@grantkit/core/adapter'
import { ERRORS } from '@grantkit/core/errors'
import { pageView } from '@grantkit/core/feature'
import { fill, html } from '@grantkit/pages'
import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { asset, headerOf, type WithBody } from '../http/bodies-and-answers.ts'
import { pageResponse, requestOf, type Site } from '../http/page.ts'
import { localesOf, signInAddress, signInAgain } from '../http/sign-in-wishes.ts'
import { isFresh } from '../sign-in/ways-to-sign-in.ts'
import { type AccountPage, type AccountPageOptions, accountPage } from './account.ts'
import { enrolmentPages } from './enrolment.ts'
import { externalLogin } from './external-login.ts'
import { whyPage } from './failed-sign-ins.ts'
import { forgottenPassword, newPassword } from './forgotten-password.ts'
import { login, passkeyLogin } from './login.ts'
import { logoutPage, signOut } from './logout.ts'
import { routes } from './operations.ts'
import { inLanguage, type LocalSite } from './page-language.ts'
import { personalTokensPage, type TokenChoices } from './personal-tokens.ts'
import { type SignInPage, signInPage } from './sign-in-page.ts'
import { upstreamLogin } from './upstream-login.ts'

export interface PagesOptions extends AccountPageOptions {
  readonly tokenChoices: TokenChoices
  /** Called with errors of a page. */
  readonly onError: (error: unknown) => void
}

const SCRIPT = await readFile(new URL('passkeys.js', import.meta.url), 'utf8')
const POST_AGAIN_SCRIPT = await readFile(new URL('post-again.js', import.meta.url), 'utf8')
const COPY_SCRIPT = await readFile(new URL('copy.js', import.meta.url), 'utf8')

/** The pages of the service, without the pages of core's interactions. If one fails, it shows the error page. */
export function pages(options: PagesOptions, grants: AuthorizationServer['grants']): OpenAPIHono<WithBody> {
  const { site, onError } = options
  const signInForm = signInPage(options)
  const account = accountPage(options, grants)
  const app = new OpenAPIHono<WithBody>()
    .onError((error, c) => {
      onError(error)
      return errorResponse(c, site, error)
    })
    .openapi(routes.home, (c) => homePage(inLanguage(site, c)))
    .openapi(routes.accountPage, (c) => account.show(c))
    .openapi(routes.disconnectApp, (c) => account.disconnect(c))
    .openapi(routes.nameApp, (c) => account.nameApp(c))
    .openapi(routes.endSession, (c) => account.endSession(c))
    .openapi(routes.signOutEverywhere, (c) => account.signOutEverywhere(c))
    .openapi(routes.whyPage, (c) => whyPage(inLanguage(site, c)))
    .openapi(routes.signOutPage, (c) => logoutPage(c, inLanguage(site, c)))
    .openapi(routes.signOut, (c) => signOut(c, options))
  return app
    .route('/', signInPages(options, signInForm))
    .route('/', passwordPages(options, signInForm, account, grants))
    .route('/', passkeyPages(options, signInForm, account))
    .route('/', providerPages(options, signInForm, account))
    .route('/', tokenPages(options))
}

/** Empty if users may create no personal access tokens. */
function tokenPages(options: PagesOptions): OpenAPIHono<WithBody> {
  const app = new OpenAPIHono<WithBody>()
  if (options.personalTokens === undefined) return app
  const tokens = personalTokensPage(options, options.personalTokens)
  return app
    .openapi(routes.copyScript, asset('text/javascript; charset=utf-8', COPY_SCRIPT))
    .openapi(routes.personalTokensPage, (c) => tokens.show(c))
    .openapi(routes.createPersonalToken, (c) => tokens.create(c))
    .openapi(routes.endPersonalToken, (c) => tokens.end(c))
}

/** The sign-in page, or the way to the application that signs the users in. */
function signInPages(options: PagesOptions, form: SignInPage): OpenAPIHono<WithBody> {
  const app = new OpenAPIHono<WithBody>()
  if (options.external === undefined) {
    const signIn = login(options, form)
    return app
      .openapi(routes.signInPage, (c) => signIn.show(c))
      .openapi(routes.signIn, (c) => signIn.submit(c))
  }
  const external = externalLogin(options, options.external)
  return app
    .openapi(routes.signInElsewhere, (c) => external.begin(c))
    .openapi(routes.signedInElsewhere, (c) => external.callback(c))
}

/**
 * Empty if an application or a directory has the passwords. A passkey of an earlier address, and an identity at a provider
 * that is configured no more, can be removed too.
 */
function passwordPages(
  options: PagesOptions,
  form: SignInPage,
  account: AccountPage,
  grants: AuthorizationServer['grants'],
): OpenAPIHono<WithBody> {
  const app = new OpenAPIHono<WithBody>()
  const { ways, resets } = options
  if (!ways.builtIn) return app
  app
    .openapi(routes.changePassword, (c) => account.changePassword(c))
    .openapi(routes.removePasskey, (c) => account.removePasskey(c))
    .openapi(routes.removeIdentity, (c) => account.removeIdentity(c))
  if (resets === undefined) return app
  const forgotten = forgottenPassword(options, form, resets)
  const chosen = newPassword(options, resets, grants)
  return app
    .openapi(routes.forgottenPassword, (c) => forgotten.show(c))
    .openapi(routes.requestPasswordLink, (c) => forgotten.submit(c))
    .openapi(routes.newPasswordPage, (c) => chosen.show(c))
    .openapi(routes.resetPassword, (c) => chosen.submit(c))
    .openapi(routes.disconnectAllApps, (c) => chosen.disconnectApps(c))
}

/** Empty if passkeys are not available. */
function passkeyPages(options: PagesOptions, form: SignInPage, account: AccountPage): OpenAPIHono<WithBody> {
  const app = new OpenAPIHono<WithBody>()
  if (options.ways.ceremonies === undefined) return app
  const enrolment = enrolmentPages(options, options.ways.ceremonies.registration)
  const passkey = passkeyLogin(options, form, options.ways.ceremonies.signIn)
  return app
    .openapi(routes.passkeyScript, asset('text/javascript; charset=utf-8', SCRIPT))
    .openapi(routes.passkeyToSignIn, (c) => passkey.options(c))
    .openapi(routes.signInByPasskey, (c) => passkey.submit(c))
    .openapi(routes.passkeyNotice, (c) => enrolment.notice(c))
    .openapi(routes.enrolmentPage, (c) => enrolment.show(c))
    .openapi(routes.firstPasskey, (c) => enrolment.options(c))
    .openapi(routes.addFirstPasskey, (c) => enrolment.add(c))
    .openapi(routes.newPasskey, (c) => account.passkeyOptions(c))
    .openapi(routes.addPasskey, (c) => account.addPasskey(c))
}

/** Empty if no provider is configured. */
function providerPages(options: PagesOptions, form: SignInPage, account: AccountPage): OpenAPIHono<WithBody> {
  const app = new OpenAPIHono<WithBody>()
  const { providers } = options.ways
  if (providers.length === 0) return app
  const byId = new Map(
    providers.map((provider) => [
      provider.provider.id,
      upstreamLogin(options, form, account.showAgain, provider),
    ]),
  )
  const known = (id: string) => byId.get(id)
  return app
    .openapi(routes.signInWith, (c) => known(c.req.param('provider'))?.begin(c) ?? c.notFound())
    .openapi(routes.signedInWith, (c) => known(c.req.param('provider'))?.callback(c) ?? c.notFound())
    .openapi(routes.signedInByPost, (c) => known(c.req.param('provider'))?.posted(c) ?? c.notFound())
    .openapi(routes.postAgainScript, asset('text/javascript; charset=utf-8', POST_AGAIN_SCRIPT))
    .openapi(routes.connectProvider, (c) => account.connect(c))
}

/** The pages of core's interactions. */
export function interaction({
  site,
  sessions,
  adminSignIns,
  ways,
}: Pick<PagesOptions, 'site' | 'sessions' | 'adminSignIns' | 'ways'>): Interaction {
  const goTo = (location: string) => ({ status: 303, headers: { location }, body: '' })
  return {
    ...site.ui.interaction,
    session: (request) => sessions.read(headerOf(request, 'cookie')),
    signIn(returnTo, { loginHint, prompt, maxAge, uiLocales, acrValues }) {
      const wishes = { loginHint, prompt, maxAge, acrValues: acrValues?.join(' '), uiLocales }
      return goTo(signInAddress(site.basePath, returnTo, wishes))
    },
    async consentPage(view) {
      if (!view.scopes.some(({ restricted }) => restricted)) return site.ui.interaction.consentPage(view)
      // A grant of the admin API changes what the admin pages change, without its user.
      const visit = await sessions.visit(headerOf(view.request, 'cookie'))
      const strong = visit !== undefined && (await adminSignIns.isStrong(visit))
      if (strong && (await isFresh(ways, visit))) return site.ui.interaction.consentPage(view)
      return goTo(signInAgain(site.basePath, view.returnTo, visit === undefined || strong))
    },
  }
}

/** Core reports by itself that its store is unreachable. */
async function errorResponse(c: Context, { ui }: Site, thrown: unknown): Promise<Response> {
  const failed = thrown instanceof OAuthError ? thrown : new OAuthError(ERRORS.unexpected)
  const { error, message: description, reason, status, parameters, retryAfter } = failed
  const { ui_locales = localesOf(c.req.query('return_to')) ?? '' } = c.req.query()
  const view = {
    ...pageView(ui.interaction, requestOf(c), { ui_locales }),
    error,
    description,
    reason,
    status,
    parameters,
  }
  const page = await ui.interaction.errorPage(view)
  const retry = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return toResponse({ ...page, headers: { ...page.headers, ...retry } })
}

/** The home page of a service that has none of its own. */
function homePage(site: LocalSite): Response {
  const { start, stepUp } = site.language
  const account = html`<a href="${site.basePath}/account">${stepUp.account}</a>`
  const main = html`
<h1>${start.title}</h1>
<p>${fill(start.intro, { account })}</p>`
  return pageResponse(site, { title: start.title, main, formAction: ["'self'"] })
}
