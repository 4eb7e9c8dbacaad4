import { readFile } from 'node:fs/promises'
import { type AuthorizationServer, type Interaction, OAuthError } from '@grantkit/core'
import { toResponse } from '@grantkit/core/adapter'
import { ERRORS } from '@grantkit/core/errors'
import { pageView } from '@grantkit/core/feature'
import type { LogoutInteraction } from '@grantkit/core/logout'
import { type Context, Hono } from 'hono'
import { CALLBACK_PATH } from '../external-sign-in/callback-path.ts'
import { headerOf, prefetch, type WithBody } from '../http/bodies-and-answers.ts'
import { type AccountPage, type AccountPageOptions, accountPage } from './account.ts'
import { asset } from './asset.ts'
import { externalLogin } from './external-login.ts'
import { forgottenPassword } from './forgotten-password.ts'
import { homePage } from './home.ts'
import { login } from './login.ts'
import { logoutPage, signOut } from './logout.ts'
import { newPassword } from './new-password.ts'
import * as described from './operations.ts'
import type { Site } from './page.ts'
import { passkeyLogin } from './passkey-login.ts'
import { type SignInPage, signInPage } from './sign-in-page.ts'
import { upstreamLogin } from './upstream-login.ts'
import { whyPage } from './why-page.ts'

export interface PagesOptions extends AccountPageOptions {
  /** Called with errors of a page. */
  readonly onError: (error: unknown) => void
}

const SCRIPT = await readFile(new URL('passkeys.js', import.meta.url), 'utf8')

/** The pages of the service, without the pages of core's interactions. If one fails, it shows the error page. */
export function pages(options: PagesOptions, grants: AuthorizationServer['grants']): Hono<WithBody> {
  const { site, onError } = options
  const signInForm = signInPage(options)
  const account = accountPage(options, grants)
  const app = new Hono<WithBody>()
    .onError((error, c) => {
      onError(error)
      return errorResponse(c, site, error)
    })
    .get('/', described.home, () => homePage(site))
    .get('/account', described.accountPage, (c) => account.show(c))
    .post('/account', described.disconnectApp, prefetch, (c) => account.disconnect(c))
    .post('/account/apps/name', described.nameApp, prefetch, (c) => account.nameApp(c))
    .post('/account/sessions/end', described.endSession, prefetch, (c) => account.endSession(c))
    .post('/account/sign-out', described.signOutEverywhere, prefetch, (c) => account.signOutEverywhere(c))
    .get('/why', described.whyPage, () => whyPage(site))
    .get('/logout', described.signOutPage, (c) => logoutPage(c, site))
    .post('/logout', described.signOut, prefetch, (c) => signOut(c, options))
  return app
    .route('/', signInPages(options, signInForm))
    .route('/', passwordPages(options, signInForm, account))
    .route('/', passkeyPages(options, signInForm, account))
    .route('/', providerPages(options, signInForm, account))
}

/** The sign-in page, or the way to the application that signs the users in. */
function signInPages(options: PagesOptions, form: SignInPage): Hono<WithBody> {
  const app = new Hono<WithBody>()
  if (options.external === undefined) {
    const signIn = login(options, form)
    return app
      .get('/login', described.signInPage, (c) => signIn.show(c))
      .post('/login', described.signIn, prefetch, (c) => signIn.submit(c))
  }
  const external = externalLogin(options, options.external)
  return app
    .get('/login', described.signInElsewhere, (c) => external.begin(c))
    .get(CALLBACK_PATH, described.signedInElsewhere, (c) => external.callback(c))
}

/** Empty if an application or a directory has the passwords. */
function passwordPages(options: PagesOptions, form: SignInPage, account: AccountPage): Hono<WithBody> {
  const app = new Hono<WithBody>()
  const { ways, resets } = options
  if (!ways.builtIn) return app
  app.post('/account/password', described.changePassword, prefetch, (c) => account.changePassword(c))
  if (resets === undefined) return app
  const forgotten = forgottenPassword(options, form, resets)
  const chosen = newPassword(options, resets)
  return app
    .get('/login/forgot', described.forgottenPassword, (c) => forgotten.show(c))
    .post('/login/forgot', described.requestPasswordLink, prefetch, (c) => forgotten.submit(c))
    .get('/login/reset', described.newPasswordPage, (c) => chosen.show(c))
    .post('/login/reset', described.resetPassword, prefetch, (c) => chosen.submit(c))
}

/** Empty if passkeys are not available. */
function passkeyPages(options: PagesOptions, form: SignInPage, account: AccountPage): Hono<WithBody> {
  const app = new Hono<WithBody>()
  if (options.ways.ceremonies === undefined) return app
  const passkey = passkeyLogin(options, form, options.ways.ceremonies.signIn)
  return app
    .get('/assets/passkeys.js', described.passkeyScript, asset('text/javascript; charset=utf-8', SCRIPT))
    .get('/login/passkey', described.passkeyToSignIn, (c) => passkey.options(c))
    .post('/login/passkey', described.signInByPasskey, prefetch, (c) => passkey.submit(c))
    .get('/account/passkeys', described.newPasskey, (c) => account.passkeyOptions(c))
    .post('/account/passkeys', described.addPasskey, prefetch, (c) => account.addPasskey(c))
    .post('/account/passkeys/remove', described.removePasskey, prefetch, (c) => account.removePasskey(c))
}

/** Empty if no OpenID provider is configured. */
function providerPages(options: PagesOptions, form: SignInPage, account: AccountPage): Hono<WithBody> {
  const app = new Hono<WithBody>()
  const { providers } = options.ways
  if (providers.length === 0) return app
  const byId = new Map(
    providers.map((provider) => [provider.provider.id, upstreamLogin(options, form, provider)]),
  )
  const known = (id: string) => byId.get(id)
  return app
    .post(
      '/login/with/:provider',
      described.signInWith,
      prefetch,
      (c) => known(c.req.param('provider'))?.begin(c) ?? c.notFound(),
    )
    .get(
      '/login/with/:provider/callback',
      described.signedInWith,
      (c) => known(c.req.param('provider'))?.callback(c) ?? c.notFound(),
    )
    .post('/account/identities', described.connectProvider, prefetch, (c) => account.connect(c))
    .post('/account/identities/remove', described.removeIdentity, prefetch, (c) => account.removeIdentity(c))
}

/** The pages of core's interactions. */
export function interaction({
  site,
  sessions,
  external,
}: Pick<PagesOptions, 'site' | 'sessions' | 'external'>): Interaction {
  return {
    session: (request) => sessions.read(headerOf(request, 'cookie')),
    signIn(returnTo, { loginHint, prompt, maxAge, uiLocales }) {
      const wishes = external === undefined ? {} : { prompt, max_age: maxAge, ui_locales: uiLocales }
      const query = queryOf({ return_to: returnTo, login_hint: loginHint, ...wishes })
      return { status: 303, headers: { location: `${site.basePath}/login?${query}` }, body: '' }
    },
    ...site.ui.interaction,
  }
}

/** The members that have a value. */
function queryOf(members: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined)
  return given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')
}

/** The sign-out that an app requests (RP-initiated logout); `logout.ts` has the sign-out of the service itself. */
export function logoutInteraction({
  site,
  sessions,
}: Pick<PagesOptions, 'site' | 'sessions'>): LogoutInteraction {
  return { ...site.ui.logout, endSession: (request) => sessions.end(headerOf(request, 'cookie')) }
}

/** Core reports by itself that its store is unreachable. */
async function errorResponse(c: Context, { ui }: Site, thrown: unknown): Promise<Response> {
  const failed = thrown instanceof OAuthError ? thrown : new OAuthError(ERRORS.unexpected)
  const { error, message: description, reason, status, parameters, retryAfter } = failed
  const { pathname: path, search } = new URL(c.req.url)
  const request = { method: c.req.method, path, query: search.slice(1), headers: c.req.header(), body: '' }
  const view = { ...pageView(ui.interaction, request), error, description, reason, status, parameters }
  const page = await ui.interaction.errorPage(view)
  const retry = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return toResponse({ ...page, headers: { ...page.headers, ...retry } })
}
