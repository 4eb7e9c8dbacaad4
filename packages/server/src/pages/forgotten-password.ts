import { returnPath } from '@grantkit/core'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import { formOf, type WithBody } from '../http/bodies-and-answers.ts'
import { cookieOf, isTooLongForCookie } from '../http/cookies.ts'
import { pageResponse } from '../http/page.ts'
import type { PasswordResets } from '../sign-in/password-resets.ts'
import type { LoginOptions } from './login-options.ts'
import { FORM_EXPIRED, type SignInPage, TOO_MANY } from './sign-in-page.ts'

/** The page that asks for the address of a user who has forgotten the password. */
export interface ForgottenPassword {
  show(c: Context): Promise<Response>
  /** The response says nothing about the account: it is the same for every address, and waits for none. */
  submit(c: Context<WithBody>): Promise<Response>
}

interface Shown {
  readonly returnTo: string
  readonly email: string
  readonly status?: number
  readonly problem?: string
  readonly headers?: Record<string, string>
}

/**
 * The path to which the browser returns, while its user reads the mail. A link in the mail must not have it: whoever
 * requests the mail would choose where its reader goes.
 */
export function returnCookie(baseUrl: string) {
  return cookieOf('password-return', baseUrl)
}

const RETURN_SECONDS = 60 * 60

export function forgottenPassword(
  options: LoginOptions,
  page: SignInPage,
  resets: PasswordResets,
): ForgottenPassword {
  const { site, baseUrl, callerOf } = options
  const home = `${site.basePath}/`
  const cookie = returnCookie(baseUrl)

  function ask({ returnTo, email, status = 200, problem, headers = {} }: Shown): Response {
    const form = page.issueForm()
    const back = `${site.basePath}/login?${new URLSearchParams({ return_to: returnTo })}`
    const main = html`
<h1>Forgot your password?</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
<p>We send a link to your e-mail address, with which you choose a new password.</p>
<form method="post" action="${site.basePath}/login/forgot" class="card">
  <input type="hidden" name="token" value="${form.token}">
  <input type="hidden" name="return_to" value="${returnTo}">
  <label for="email">Email</label>
  <input id="email" name="email" type="email" autocomplete="username" required value="${email}">
  <button class="primary">Send the link</button>
</form>
<p><a href="${back}">Back to the sign-in page</a></p>`
    const shown = { title: 'Forgot your password?', main, status, formAction: ["'self'"] }
    return pageResponse(site, { ...shown, headers: { 'set-cookie': form.cookie, ...headers } })
  }

  return {
    show: async (c) =>
      ask({
        returnTo: returnPath(c.req.query('return_to'), home),
        email: c.req.query('login_hint') ?? '',
      }),
    async submit(c) {
      const fields = formOf(c)
      const returnTo = returnPath(fields.return_to, home)
      const email = (fields.email ?? '').slice(0, 254)
      if (!page.isOwnForm(c, fields.token))
        return ask({ returnTo, email, status: 403, problem: FORM_EXPIRED })
      const wait = await resets.waitOfNetwork(callerOf(c))
      if (wait > 0) {
        const headers = { 'retry-after': String(wait) }
        return ask({ returnTo, email, status: 429, problem: TOO_MANY, headers })
      }
      resets.request(email)
      const kept = isTooLongForCookie(returnTo) ? home : returnTo
      const main = html`
<h1>Look at your mail</h1>
<p>If an account here has this address and a password, a mail with a link is on its way to it. The link is valid for 30 minutes.</p>
<p>Nothing arrives? Look at the folder for spam. If you sign in without a password, use that way.</p>`
      const headers = { 'set-cookie': cookie.set(kept, RETURN_SECONDS) }
      return pageResponse(site, { title: 'Look at your mail', main, headers })
    },
  }
}
