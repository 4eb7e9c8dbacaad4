import { readFile } from 'node:fs/promises'
import {
  type AuthorizationServer,
  type ErrorView,
  type Interaction,
  OAuthError,
  type Route,
} from '@grantkit/core'
import { type Answer, type Answers, methodsRoute } from '../methods-route.ts'
import { type AccountPageOptions, accountPage } from './account.ts'
import { consentPage } from './consent.ts'
import { errorPage } from './error.ts'
import { homePage } from './home.ts'
import { login } from './login.ts'
import { logoutPage, signOut } from './logout.ts'

export interface PagesOptions extends AccountPageOptions {
  /** Shows the demo account to visitors. */
  readonly demo: boolean
  /** Whether clients register themselves. */
  readonly registration: boolean
  /** Called with errors of a page. */
  readonly onError: (error: unknown) => void
}

const STYLE = await readFile(new URL('style.css', import.meta.url), 'utf8')
const ICON = await readFile(new URL('icon.svg', import.meta.url), 'utf8')

/** The pages of the service, without those that core asks for. */
export function pageRoutes(options: PagesOptions, grants: AuthorizationServer['grants']): Route[] {
  const { site, baseUrl, sessions, demo } = options
  const signIn = login(options)
  const account = accountPage(options, grants)
  const at = (path: string, answers: Answers) => pageRoute(options, `${site.basePath}${path}`, answers)
  return [
    at('/', { GET: () => homePage(site, baseUrl, demo) }),
    at('/login', { GET: signIn.show, POST: signIn.submit }),
    at('/account', { GET: account.show, POST: account.disconnect }),
    at('/logout', {
      GET: (request) => logoutPage(site, baseUrl, request),
      POST: (request) => signOut(site, baseUrl, sessions, request),
    }),
    at('/assets/style.css', { GET: asset('text/css; charset=utf-8', STYLE) }),
    at('/assets/icon.svg', { GET: asset('image/svg+xml', ICON) }),
  ]
}

/** The pages that core asks for. */
export function interaction({ site, accounts, sessions, registration }: PagesOptions): Interaction {
  return {
    session: sessions.read,
    signIn(returnTo, { loginHint }) {
      const query = new URLSearchParams({
        return_to: returnTo,
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
      })
      return { status: 303, headers: { location: `${site.basePath}/login?${query}` }, body: '' }
    },
    async consentPage(view) {
      const { name = '', email = '' } = (await accounts.find(view.session.subject)) ?? {}
      return consentPage(site, view, { name, email })
    },
    errorPage: (view) => errorPage(site, view, registration),
  }
}

/** If a page fails, it shows the error page and tells the operator. */
function pageRoute({ site, onError }: PagesOptions, path: string, answers: Answers): Route {
  const page = methodsRoute(path, answers)
  return {
    ...page,
    handle: (request) =>
      page.handle(request).catch((error: unknown) => {
        onError(error)
        return errorPage(site, viewOf(error))
      }),
  }
}

/** Core says itself that its store is out of reach. */
function viewOf(thrown: unknown): ErrorView {
  if (!(thrown instanceof OAuthError)) return UNEXPECTED
  const { error, message: description, reason, status } = thrown
  return { error, description, reason, status }
}

const UNEXPECTED: ErrorView = {
  error: 'server_error',
  description: 'Something went wrong; the operator has been told',
  reason: 'unexpected',
  status: 500,
}

function asset(type: string, body: string): Answer {
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=3600',
    'x-content-type-options': 'nosniff',
  }
  return () => ({ status: 200, headers, body })
}
