import { returnPath } from '@grantkit/core'
import { html, type PageContent } from '@grantkit/pages'
import type { Context } from 'hono'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import { hashPassword } from '../accounts/passwords.ts'
import { formOf, type WithBody } from '../http/bodies-and-answers.ts'
import type { PasswordResets } from '../sign-in/password-resets.ts'
import { returnCookie } from './forgotten-password.ts'
import type { LoginOptions } from './login-options.ts'
import { type Markup, pageResponse } from './page.ts'
import { newPasswordFields, newPasswordOf } from './password-fields.ts'
import { TOO_MANY } from './sign-in-page.ts'

/**
 * The page behind the link of a mail. A GET changes nothing, because mail scanners open links. The form is not bound to
 * this browser: who has the token may set the password, from any page. It signs no user in, so it is no login CSRF.
 */
export interface NewPassword {
  show(c: Context): Promise<Response>
  submit(c: Context<WithBody>): Promise<Response>
}

interface Options extends LoginOptions {
  readonly accounts: AccountRows
}

export function newPassword(options: Options, resets: PasswordResets): NewPassword {
  const { site, baseUrl, accounts, checks, limits, callerOf } = options
  const cookie = returnCookie(baseUrl)

  /** The token is in the URL, which no other site gets as the referrer. */
  function respond(title: string, content: Omit<PageContent, 'title'>): Response {
    const headers = { ...content.headers, 'referrer-policy': 'no-referrer' }
    return pageResponse(site, { ...content, title, headers })
  }

  function ask({ name, email = '' }: StoredAccount, token: string, problem?: string): Response {
    const main = html`
<h1>New password</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
<form method="post" action="${site.basePath}/login/reset" class="card">
  <p>For <bdi>${name}</bdi>, <bdi>${email}</bdi>.</p>
  <input type="hidden" name="token" value="${token}">
  ${newPasswordFields(email)}
  <p class="hint">At least 8 characters. It signs you out in every browser.</p>
  <button class="primary">Set password</button>
</form>`
    return respond('New password', {
      main,
      status: problem === undefined ? 200 : 400,
      formAction: ["'self'"],
    })
  }

  function invalid(): Response {
    const main = html`
<h1>This link is not valid any more</h1>
<p>It was used, it is older than 30 minutes, or the account has changed since. You can <a href="${site.basePath}/login/forgot">request another link</a>.</p>`
    return respond('Link not valid', { main, status: 400 })
  }

  function done(c: Context): Response {
    const returnTo = returnPath(cookie.read(c.req.header('cookie')), `${site.basePath}/account`)
    const signIn = `${site.basePath}/login?${new URLSearchParams({ return_to: returnTo })}`
    const main: Markup = html`
<h1>Your password is changed</h1>
<p>You are signed out in every browser. Now <a href="${signIn}">sign in with the new password</a>.</p>`
    return respond('Password changed', { main, headers: { 'set-cookie': cookie.set('', 0) } })
  }

  return {
    async show(c) {
      const token = c.req.query('token') ?? ''
      const account = await resets.accountOf(token)
      return account === undefined ? invalid() : ask(account, token)
    },
    async submit(c) {
      const fields = formOf(c)
      const { token = '' } = fields
      const account = await resets.accountOf(token)
      if (account === undefined) return invalid()
      const wanted = newPasswordOf(fields)
      if ('problem' in wanted) return ask(account, token, wanted.problem)
      const hash = await checks.inTurn(account.id, () => hashPassword(wanted.password))
      if (hash === undefined) return ask(account, token, TOO_MANY)
      if ((await accounts.changePassword(account, hash, 'mail')) === undefined) return invalid()
      // Who guessed too often may sign in now.
      await limits.reset(account.email ?? '', callerOf(c) ?? 'unknown')
      return done(c)
    },
  }
}
