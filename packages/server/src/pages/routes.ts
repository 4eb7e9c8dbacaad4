import { readFile } from 'node:fs/promises'
import { type AuthorizationServer, type Interaction, OAuthError } from '@grantkit/core'
import { toResponse } from '@grantkit/core/adapter'
import { ERRORS } from '@grantkit/core/errors'
import { pageView } from '@grantkit/core/feature'
import { fill, html } from '@grantkit/pages'
import { type Context, Hono } from 'hono'
import { CALLBACK_PATH } from '../config/users.ts'
import { asset, headerOf, prefetch, type WithBody } from '../http/bodies-and-answers.ts'
import { pageResponse, requestOf, type Site } from '../http/page.ts'
import { localesOf, signInAddress, signInAgain } from '../http/sign-in-wishes.ts'
import { isFresh } from '../sign-in/ways-to-sign-in.ts'
import { type AccountPage, accountPage } from './account.ts'
import { enrolmentPages } from './enrolment.ts'
import { externalLogin } from './external-login.ts'
import { whyPage } from './failed-sign-ins.ts'
import { forgottenPassword, newPassword } from './forgotten-password.ts'
import { login, passkeyLogin } from './login.ts'
import { logoutPage, signOut } from './logout.ts'
import { inLanguage, type LocalSite } from './page-language.ts'
import type { PageParts } from './parts.ts'
import { personalTokensPage } from './personal-tokens.ts'
import { type SignInPage, signInPage } from './sign-in-page.ts'
import { upstreamLogin } from './upstream-login.ts'

const SCRIPT = await readFile(new URL('passkeys.js', import.meta.url), 'utf8')
const POST_AGAIN_SCRIPT = await readFile(new URL('post-again.js', import.meta.url), 'utf8')
const COPY_SCRIPT = await readFile(new URL('copy.js', import.meta.url), 'utf8')

/**
 * The pages of the service, without the pages of core's interactions. If one fails, it shows the error page. Its routes are for people:
 * an OpenAPI document is for authors of clients, and none of these routes is in it.
 */
export function pages(options: PageParts, grants: AuthorizationServer['grants']): Hono<WithBody> {
  const { site, onError } = options
  const signInForm = signInPage(options)
  const account = accountPage(options, grants)
  const app = new Hono<WithBody>()
    .onError((error, c) => {
      onError(error)
      return errorResponse(c, site, error)
    })
    .get('/', (c) => homePage(inLanguage(site, c)))
    .get('/account', account.show)
    .post('/account', prefetch, account.disconnect)
    .post('/account/apps/name', prefetch, account.nameApp)
    .post('/account/sessions/end', prefetch, account.endSession)
    .post('/account/sign-out', prefetch, account.signOutEverywhere)
    .get('/why', (c) => whyPage(inLanguage(site, c)))
    .get('/logout', (c) => logoutPage(c, inLanguage(site, c)))
    .post('/logout', prefetch, (c) => signOut(c, options))
  return app
    .route('/', signInPages(options, signInForm))
    .route('/', passwordPages(options, signInForm, account, grants))
    .route('/', passkeyPages(options, signInForm, account))
    .route('/', providerPages(options, signInForm, account))
    .route('/', tokenPages(options))
}

/** Empty if users may create no personal access tokens. */
function tokenPages(options: PageParts): Hono<WithBody> {
  const app = new Hono<WithBody>()
  if (options.personalTokens === undefined) return app
  const tokens = personalTokensPage(options, options.personalTokens)
  return app
    .get('/assets/copy.js', asset('text/javascript; charset=utf-8', COPY_SCRIPT))
    .get('/account/tokens', tokens.show)
    .post('/account/tokens', prefetch, tokens.create)
    .post('/account/tokens/end', prefetch, tokens.end)
}

/** The sign-in page, or the way to the application that signs the users in. */
function signInPages(options: PageParts, form: SignInPage): Hono<WithBody> {
  const app = new Hono<WithBody>()
  if (options.external === undefined) {
    const signIn = login(options, form)
    return app.get('/login', signIn.show).post('/login', prefetch, signIn.submit)
  }
  const external = externalLogin(options, options.external)
  return app.get('/login', external.begin).get(CALLBACK_PATH, external.callback)
}

/**
 * Empty if an application or a directory has the passwords. A passkey of an earlier address, and an identity at a provider
 * that is configured no more, can be removed too.
 */
function passwordPages(
  options: PageParts,
  form: SignInPage,
  account: AccountPage,
  grants: AuthorizationServer['grants'],
): Hono<WithBody> {
  const app = new Hono<WithBody>()
  const { ways, resets } = options
  if (!ways.builtIn) return app
  app
    .post('/account/password', prefetch, account.changePassword)
    .post('/account/passkeys/remove', prefetch, account.removePasskey)
    .post('/account/identities/remove', prefetch, account.removeIdentity)
  if (resets === undefined) return app
  const forgotten = forgottenPassword(options, form, resets)
  const chosen = newPassword(options, resets, grants)
  return app
    .get('/login/forgot', forgotten.show)
    .post('/login/forgot', prefetch, forgotten.submit)
    .get('/login/reset', chosen.show)
    .post('/login/reset', prefetch, chosen.submit)
    .post('/login/reset/apps', prefetch, chosen.disconnectApps)
}

/** Empty if passkeys are not available. */
function passkeyPages(options: PageParts, form: SignInPage, account: AccountPage): Hono<WithBody> {
  const app = new Hono<WithBody>()
  if (options.ways.ceremonies === undefined) return app
  const enrolment = enrolmentPages(options, options.ways.ceremonies.registration)
  const passkey = passkeyLogin(options, form, options.ways.ceremonies.signIn)
  return app
    .get('/assets/passkeys.js', asset('text/javascript; charset=utf-8', SCRIPT))
    .get('/login/passkey', passkey.options)
    .post('/login/passkey', prefetch, passkey.submit)
    .get('/login/passkey-notice', enrolment.notice)
    .get('/login/enrol', enrolment.show)
    .get('/login/enrol/passkey', enrolment.options)
    .post('/login/enrol/passkey', prefetch, enrolment.add)
    .get('/account/passkeys', account.passkeyOptions)
    .post('/account/passkeys', prefetch, account.addPasskey)
}

/** Empty if no provider is configured. */
function providerPages(options: PageParts, form: SignInPage, account: AccountPage): Hono<WithBody> {
  const app = new Hono<WithBody>()
  const { providers } = options.ways
  if (providers.length === 0) return app
  const byId = new Map(
    providers.map((provider) => [
      provider.provider.id,
      upstreamLogin(options, form, account.showAgain, provider),
    ]),
  )
  const known = (c: Context) => byId.get(c.req.param('provider') ?? '')
  return app
    .post('/login/with/:provider', prefetch, (c) => known(c)?.begin(c) ?? c.notFound())
    .get('/login/with/:provider/callback', (c) => known(c)?.callback(c) ?? c.notFound())
    .post('/login/with/:provider/callback', prefetch, (c) => known(c)?.posted(c) ?? c.notFound())
    .get('/assets/post-again.js', asset('text/javascript; charset=utf-8', POST_AGAIN_SCRIPT))
    .post('/account/identities', prefetch, account.connect)
}

/** The pages of core's interactions. */
export function interaction({ site, sessions, adminSignIns, ways }: PageParts): Interaction {
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
