import { readFile } from 'node:fs/promises'
import type { ErrorView, HttpRequest, HttpResponse, Interaction, Route } from '@grantkit/core'
import { methodNotAllowed } from '../http.ts'
import { consentPage } from './consent.ts'
import { errorPage } from './error.ts'
import { homePage } from './home.ts'
import { type LoginOptions, login } from './login.ts'
import { logoutPage, signOut } from './logout.ts'

export interface PagesOptions extends LoginOptions {
  /** Tells visitors of the demo account. */
  readonly demo: boolean
  /** Hears of what a page could not cope with. */
  readonly onError: (error: unknown) => void
}

const STYLE = await readFile(new URL('style.css', import.meta.url), 'utf8')
const ICON = await readFile(new URL('icon.svg', import.meta.url), 'utf8')

type Answer = (request: HttpRequest) => Promise<HttpResponse> | HttpResponse

/** The pages a person sees, apart from those that core asks for. */
export function pageRoutes(options: PagesOptions): Route[] {
  const { site, baseUrl, sessions, demo } = options
  const signIn = login(options)
  const at = (path: string, get: Answer, post?: Answer) =>
    pageRoute(options, `${site.basePath}${path}`, get, post)
  return [
    at('/', () => homePage(site, baseUrl, demo)),
    at('/login', signIn.show, signIn.submit),
    at(
      '/logout',
      (request) => logoutPage(site, baseUrl, request),
      (request) => signOut(site, baseUrl, sessions, request),
    ),
    at('/assets/style.css', asset('text/css; charset=utf-8', STYLE)),
    at('/assets/icon.svg', asset('image/svg+xml', ICON)),
  ]
}

/** The pages that core asks for. */
export function interaction({ site, accounts, sessions }: PagesOptions): Interaction {
  return {
    async session(request) {
      const session = await sessions.read(request)
      // An account that is gone is signed out everywhere.
      return session && accounts.find(session.subject) ? session : undefined
    },
    signIn(returnTo, { loginHint }) {
      const query = new URLSearchParams({
        return_to: returnTo,
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
      })
      return { status: 303, headers: { location: `${site.basePath}/login?${query}` }, body: '' }
    },
    consentPage(view) {
      const { name = '', email = '' } = accounts.find(view.session.subject) ?? {}
      return consentPage(site, view, { name, email })
    },
    errorPage: (view) => errorPage(site, view),
  }
}

function pageRoute(
  { site, onError }: PagesOptions,
  path: string,
  get: Answer,
  post: Answer | undefined,
): Route {
  const methods = ['GET', 'HEAD', ...(post ? ['POST'] : [])]
  return {
    path,
    methods,
    async handle(request) {
      try {
        if (request.method === 'GET') return await get(request)
        if (request.method === 'HEAD') return { ...(await get(request)), body: '' }
        if (request.method === 'POST' && post) return await post(request)
        return methodNotAllowed(methods)
      } catch (error) {
        onError(error)
        return errorPage(site, UNEXPECTED)
      }
    },
  }
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
