import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import { html } from 'hono/html'
import { z } from 'zod'
import { type Cookie, cookieOf } from '../cookies.ts'
import { formOf, seeOther, type WithBody } from '../http.ts'
import { open, seal, sealingKey } from '../sealed.ts'
import type { Sessions } from '../session.ts'
import { attemptSignIn, failedSignIn, type SignInEvent, type SignInOptions } from '../sign-in-attempt.ts'
import type { CallerOf } from '../trusted-proxies.ts'
import { pageResponse, type Site } from './page.ts'
import { returnPath } from './return-path.ts'

const FORM_LIFETIME_SECONDS = 30 * 60
const Form = z.object({ jti: z.string() })

export interface LoginOptions extends SignInOptions {
  readonly site: Site
  readonly baseUrl: string
  readonly secret: string
  readonly sessions: Sessions
  readonly callerOf: CallerOf
  readonly onEvent: (event: SignInEvent) => void
}

export interface Login {
  show(c: Context): Promise<Response>
  submit(c: Context<WithBody>): Promise<Response>
}

/** The sign-in page. Its form has a token that matches a cookie, so no other site can sign a user in. */
export function login(options: LoginOptions): Login {
  const cookie = cookieOf('sign-in', options.baseUrl)
  const key = sealingKey(options.secret, 'sign-in form')
  return {
    show: (c) => {
      const returnTo = returnPath(options.baseUrl, c.req.query('return_to'))
      return form(options, cookie, key, { returnTo, email: c.req.query('login_hint') ?? '' })
    },
    submit: async (c) => {
      const fields = formOf(c)
      const returnTo = returnPath(options.baseUrl, fields.return_to)
      const email = (fields.email ?? '').slice(0, 254)
      const again = (status: number, problem: string, headers = {}) =>
        form(options, cookie, key, { returnTo, email, status, problem, headers })
      if (!(await isOwnForm(options, cookie, key, c, fields.token)))
        return again(403, 'This form has expired. Please sign in again.')
      const tried = await attemptSignIn(options, options.callerOf(c), email, fields.password ?? '')
      const account = 'account' in tried ? tried.account : undefined
      if (account === undefined) options.onEvent(await failedSignIn(options.accounts, tried, email))
      if ('wait' in tried)
        return again(429, 'Too many attempts. Please wait a little.', { 'retry-after': String(tried.wait) })
      if (account === undefined) return again(401, 'This e-mail address and password do not belong together.')
      const started = options.sessions.start(account)
      options.onEvent({ type: 'sign_in_succeeded', subject: account.id, sessionId: started.session.id })
      for (const line of [started.cookie, cookie.set('', 0)]) c.header('set-cookie', line, { append: true })
      return seeOther(c, returnTo)
    },
  }
}

interface Shown {
  readonly returnTo: string
  readonly email: string
  readonly status?: number
  readonly problem?: string
  readonly headers?: Record<string, string>
}

async function form(
  { site }: LoginOptions,
  cookie: Cookie,
  key: Uint8Array,
  shown: Shown,
): Promise<Response> {
  const id = randomUUID()
  const token = seal(key, { jti: id }, FORM_LIFETIME_SECONDS)
  const problem =
    shown.problem === undefined ? '' : html`<p class="problem" role="alert">${shown.problem}</p>`
  const main = html`
<h1>Sign in</h1>
${problem}
<form method="post" action="${site.basePath}/login" class="card">
  <input type="hidden" name="token" value="${token}">
  <input type="hidden" name="return_to" value="${shown.returnTo}">
  <label for="email">Email</label>
  <input id="email" name="email" type="email" autocomplete="username" required value="${shown.email}">
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="current-password" required>
  <button class="primary">Sign in</button>
</form>`
  const headers = { 'set-cookie': cookie.set(id, FORM_LIFETIME_SECONDS), ...shown.headers }
  // No form-action: browsers apply it to the redirect after the form, which may lead to any client.
  return pageResponse(site, { title: 'Sign in', main, status: shown.status ?? 200, headers })
}

async function isOwnForm(
  { baseUrl }: LoginOptions,
  cookie: Cookie,
  key: Uint8Array,
  c: Context,
  token: string | undefined,
): Promise<boolean> {
  if (isCrossSite(c, baseUrl)) return false
  const id = cookie.read(c.req.header('cookie'))
  const form = open(key, token, Form)
  return id !== undefined && form?.jti === id
}

/**
 * Whether a browser says that the form came from another site. Other clients say nothing, and the token decides. Under
 * `Referrer-Policy: no-referrer`, browsers send the origin of our own forms as `null`.
 */
export function isCrossSite(c: Context, baseUrl: string): boolean {
  const site = c.req.header('sec-fetch-site') ?? ''
  if (site !== '') return site !== 'same-origin' && site !== 'none'
  return !['', 'null', new URL(baseUrl).origin].includes(c.req.header('origin') ?? '')
}
