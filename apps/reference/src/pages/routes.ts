import { readFile } from 'node:fs/promises'
import { type AuthorizationServer, type Interaction, OAuthError } from '@grantkit/core'
import { toResponse } from '@grantkit/core/adapter'
import { ERRORS } from '@grantkit/core/errors'
import { pageView } from '@grantkit/core/feature'
import type { LogoutInteraction } from '@grantkit/core/logout'
import { type Context, type Handler, Hono } from 'hono'
import { headerOf, prefetch, type WithBody } from '../http/bodies-and-answers.ts'
import { type AccountPage, type AccountPageOptions, accountPage } from './account.ts'
import { homePage } from './home.ts'
import { login } from './login.ts'
import { logoutPage, signOut } from './logout.ts'
import * as described from './operations.ts'
import type { Site } from './page.ts'
import { passkeyLogin } from './passkey-login.ts'
import { type SignInPage, signInPage } from './sign-in-page.ts'
import { upstreamLogin } from './upstream-login.ts'

export interface PagesOptions extends AccountPageOptions {
  /** Shows the demo account on the home page. */
  readonly demo: boolean
  /** Called with errors of a page. */
  readonly onError: (error: unknown) => void
}

const SCRIPT = await readFile(new URL('passkeys.js', import.meta.url), 'utf8')
const ICON = await readFile(new URL('icon.svg', import.meta.url), 'utf8')

/** The pages of the service, without the pages of core's interactions. If one fails, it shows the error page. */
export function pages(options: PagesOptions, grants: AuthorizationServer['grants']): Hono<WithBody> {
  const { site, baseUrl, sessions, demo, onError } = options
  const signInForm = signInPage(options)
  const signIn = login(options, signInForm)
  const account = accountPage(options, grants)
  const app = new Hono<WithBody>()
    .onError((error, c) => {
      onError(error)
      return errorResponse(c, site, error)
    })
    .get('/', described.home, () => homePage(site, baseUrl, demo))
    .get('/assets/icon.svg', described.icon, asset('image/svg+xml', ICON))
    .get('/login', described.signInPage, (c) => signIn.show(c))
    .post('/login', described.signIn, prefetch, (c) => signIn.submit(c))
    .get('/account', described.accountPage, (c) => account.show(c))
    .post('/account', described.disconnectApp, prefetch, (c) => account.disconnect(c))
    .post('/account/apps/name', described.nameApp, prefetch, (c) => account.nameApp(c))
    .post('/account/sign-out', described.signOutEverywhere, prefetch, (c) => account.signOutEverywhere(c))
    .get('/logout', described.signOutPage, (c) => logoutPage(c, site))
    .post('/logout', described.signOut, prefetch, (c) => signOut(c, site, baseUrl, sessions))
  return app
    .route('/', passkeyPages(options, signInForm, account))
    .route('/', providerPages(options, signInForm, account))
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
export function interaction({ site, sessions }: Pick<PagesOptions, 'site' | 'sessions'>): Interaction {
  return {
    session: (request) => sessions.read(headerOf(request, 'cookie')),
    signIn(returnTo, { loginHint }) {
      const hint = loginHint === undefined ? '' : `&${new URLSearchParams({ login_hint: loginHint })}`
      const query = `return_to=${encodeURIComponent(returnTo)}${hint}`
      return { status: 303, headers: { location: `${site.basePath}/login?${query}` }, body: '' }
    },
    ...site.ui.interaction,
  }
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

function asset(type: string, body: string): Handler {
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=3600',
    'x-content-type-options': 'nosniff',
  }
  return (c) => c.body(body, 200, headers)
}
