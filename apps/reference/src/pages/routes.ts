import { readFile } from 'node:fs/promises'
import { type AuthorizationServer, type Interaction, OAuthError } from '@grantkit/core'
import { toResponse } from '@grantkit/core/adapter'
import { type Handler, Hono } from 'hono'
import { headerOf, prefetch, type WithBody } from '../http/bodies-and-answers.ts'
import { type AccountPage, type AccountPageOptions, accountPage } from './account.ts'
import { consentPage } from './consent.ts'
import { type ErrorContent, errorPage } from './error.ts'
import { homePage } from './home.ts'
import { login } from './login.ts'
import { logoutPage, signOut } from './logout.ts'
import * as described from './operations.ts'
import { passkeyLogin } from './passkey-login.ts'
import type { Metadata } from './remedy.ts'
import { type SignInPage, signInPage } from './sign-in-page.ts'
import { upstreamLogin } from './upstream-login.ts'

export interface PagesOptions extends AccountPageOptions {
  /** Shows the demo account on the home page. */
  readonly demo: boolean
  /** The server metadata, available once the server is created. */
  readonly metadata: () => Metadata
  /** Called with errors of a page. */
  readonly onError: (error: unknown) => void
}

const STYLE = await readFile(new URL('style.css', import.meta.url), 'utf8')
const SCRIPT = await readFile(new URL('passkeys.js', import.meta.url), 'utf8')
const ICON = await readFile(new URL('icon.svg', import.meta.url), 'utf8')

/** The pages of the service, without the pages of core's interactions. If one fails, it shows the error page. */
export function pages(options: PagesOptions, grants: AuthorizationServer['grants']): Hono<WithBody> {
  const { site, baseUrl, sessions, demo, onError } = options
  const signInForm = signInPage(options)
  const signIn = login(options, signInForm)
  const account = accountPage(options, grants)
  const app = new Hono<WithBody>()
    .onError(async (error) => {
      onError(error)
      return toResponse(await errorPage(site, viewOf(error), options.metadata()))
    })
    .get('/', described.home, () => homePage(site, baseUrl, demo))
    .get('/assets/style.css', described.stylesheet, asset('text/css; charset=utf-8', STYLE))
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
export function interaction({ site, accounts, sessions, metadata }: PagesOptions): Interaction {
  return {
    session: (request) => sessions.read(headerOf(request, 'cookie')),
    signIn(returnTo, { loginHint }) {
      const hint = loginHint === undefined ? '' : `&${new URLSearchParams({ login_hint: loginHint })}`
      const query = `return_to=${encodeURIComponent(returnTo)}${hint}`
      return { status: 303, headers: { location: `${site.basePath}/login?${query}` }, body: '' }
    },
    async consentPage(view) {
      return consentPage(site, view, await accounts.find(view.session.subject))
    },
    errorPage: (view) => errorPage(site, view, metadata()),
  }
}

/** Core reports by itself that its store is unreachable. */
function viewOf(thrown: unknown): ErrorContent {
  if (!(thrown instanceof OAuthError)) return UNEXPECTED
  const { error, message: description, reason, status } = thrown
  return { error, description, reason, status }
}

const UNEXPECTED: ErrorContent = {
  error: 'server_error',
  description: 'Something went wrong; the error was logged',
  reason: 'unexpected',
  status: 500,
}

function asset(type: string, body: string): Handler {
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=3600',
    'x-content-type-options': 'nosniff',
  }
  return (c) => c.body(body, 200, headers)
}
