import { type AuthorizationServer, returnPath } from '@grantkit/core'
import { html, type PageContent } from '@grantkit/pages'
import type { Context } from 'hono'
import * as z from 'zod'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import { hashPassword } from '../accounts/passwords.ts'
import { formOf, type WithBody } from '../http/bodies-and-answers.ts'
import { type Markup, pageResponse } from '../http/page.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import { LINK_LIFETIME_SECONDS } from '../sign-in/password-links.ts'
import type { PasswordResets } from '../sign-in/password-resets.ts'
import { returnCookie } from './forgotten-password.ts'
import type { LoginOptions } from './login-options.ts'
import { newPasswordFields, newPasswordOf } from './password-fields.ts'
import { TOO_MANY } from './sign-in-page.ts'

/**
 * The page behind the link of a mail. A GET changes nothing, because mail scanners open links. The form is not bound to
 * this browser: who has the token may set the password, from any page. It signs no user in, so it is no login CSRF.
 */
export interface NewPassword {
  show(c: Context): Promise<Response>
  submit(c: Context<WithBody>): Promise<Response>
  /** Ends all grants of a user who has just changed the password. */
  disconnectApps(c: Context<WithBody>): Promise<Response>
}

interface Options extends LoginOptions {
  readonly accounts: AccountRows
}

/** The form that follows the change. It names the sessions of the account, so the next change makes it void. */
const AppsForm = z.object({ sub: z.string(), epoch: z.string() })

export function newPassword(
  options: Options,
  resets: PasswordResets,
  grants: AuthorizationServer['grants'],
): NewPassword {
  const { site, baseUrl, secret, accounts, checks, limits, callerOf } = options
  const cookie = returnCookie(baseUrl)
  const appsKeys = hmacKeys(secret, 'apps after a new password')

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

  const signIn = (returnTo: string) =>
    `${site.basePath}/login?${new URLSearchParams({ return_to: returnTo })}`

  async function done(c: Context, account: StoredAccount): Promise<Response> {
    const returnTo = returnPath(cookie.read(c.req.header('cookie')), `${site.basePath}/account`)
    const main: Markup = html`
<h1>Your password is changed</h1>
<p>You are signed out in every browser. Now <a href="${signIn(returnTo)}">sign in with the new password</a>.</p>
${await appsOf(account, returnTo)}`
    return respond('Password changed', {
      main,
      formAction: ["'self'"],
      headers: { 'set-cookie': cookie.set('', 0) },
    })
  }

  /** A page may be empty and not the last. If the store fails, there may be some: the password is changed already. */
  const hasApps = (sub: string) =>
    grants.list(sub).then(
      (page) => page.grants.length > 0 || page.next !== undefined,
      () => true,
    )

  /** Whoever knew the old password may have connected an app, which keeps its access. */
  async function appsOf({ id: sub, sessionEpoch }: StoredAccount, returnTo: string): Promise<Markup> {
    if (!(await hasApps(sub))) return html``
    const token = signValue(appsKeys, { sub, epoch: String(sessionEpoch) }, LINK_LIFETIME_SECONDS)
    return html`
<form method="post" action="${site.basePath}/login/reset/apps" class="card">
  <p>Your apps stay connected. Did somebody else know your password? Then they may have connected one of them.</p>
  <input type="hidden" name="token" value="${token}">
  <input type="hidden" name="return_to" value="${returnTo}">
  <button>Disconnect all apps</button>
</form>`
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
      const changed = await accounts.changePassword(account, hash, 'mail')
      if (changed === undefined) return invalid()
      // Who guessed too often may sign in now.
      await limits.reset(account.email ?? '', callerOf(c) ?? 'unknown')
      return done(c, changed)
    },
    async disconnectApps(c) {
      const { token, return_to } = formOf(c)
      const form = verifyValue(appsKeys, token, AppsForm, LINK_LIFETIME_SECONDS)
      const account = form && (await accounts.find(form.sub))
      if (account === undefined || String(account.sessionEpoch) !== form?.epoch) return invalid()
      await grants.revokeAll(account.id, { by: 'user' })
      const back = signIn(returnPath(return_to, `${site.basePath}/account`))
      const main: Markup = html`
<h1>All apps are disconnected</h1>
<p>Each app asks you again before it gets access. Now <a href="${back}">sign in with the new password</a>.</p>`
      return respond('Apps disconnected', { main })
    },
  }
}
