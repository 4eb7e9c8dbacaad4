import { randomUUID } from 'node:crypto'
import { type AuthorizationServer, returnPath } from '@grantkit/core'
import { html, type PageContent } from '@grantkit/pages'
import type { Context } from 'hono'
import * as z from 'zod'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import { hashPassword } from '../accounts/password-hashes.ts'
import type { PasswordRules } from '../accounts/passwords.ts'
import { formOf, type WithBody } from '../http/bodies-and-answers.ts'
import { flowsInCookies } from '../http/flows.ts'
import { type Markup, pageResponse } from '../http/page.ts'
import { signInAddress } from '../http/sign-in-wishes.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import { LINK_LIFETIME_SECONDS, type PasswordResets } from '../sign-in/password-resets.ts'
import type { LoginOptions } from './login.ts'
import { newPasswordFields, newPasswordOf } from './sign-in-methods.ts'
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
function returnPaths(options: Pick<LoginOptions, 'secret' | 'baseUrl'>) {
  return flowsInCookies(options, {
    ...{ name: 'password-return', purpose: 'password return', seconds: 60 * 60 },
    value: z.object({ returnTo: z.string() }),
  })
}

export function forgottenPassword(
  options: LoginOptions,
  page: SignInPage,
  resets: PasswordResets,
): ForgottenPassword {
  const { site, callerOf } = options
  const home = `${site.basePath}/`
  const paths = returnPaths(options)

  function ask(c: Context, { returnTo, email, status = 200, problem, headers = {} }: Shown): Response {
    const form = page.issueForm(c)
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
<p><a href="${signInAddress(site.basePath, returnTo)}">Back to the sign-in page</a></p>`
    const shown = { title: 'Forgot your password?', main, status, formAction: ["'self'"] }
    return pageResponse(site, { ...shown, headers: { 'set-cookie': form.cookies, ...headers } })
  }

  return {
    show: async (c) =>
      ask(c, {
        returnTo: returnPath(c.req.query('return_to'), home),
        email: c.req.query('login_hint') ?? '',
      }),
    async submit(c) {
      const fields = formOf(c)
      const returnTo = returnPath(fields.return_to, home)
      const email = (fields.email ?? '').slice(0, 254)
      if (!page.isOwnForm(c, fields.token))
        return ask(c, { returnTo, email, status: 403, problem: FORM_EXPIRED })
      const wait = await resets.waitOfNetwork(callerOf(c))
      if (wait > 0) {
        const headers = { 'retry-after': String(wait) }
        return ask(c, { returnTo, email, status: 429, problem: TOO_MANY, headers })
      }
      resets.request(email)
      const main = html`
<h1>Look at your mail</h1>
<p>If an account here has this address and a password, a mail with a link is on its way to it. The link is valid for 30 minutes.</p>
<p>Nothing arrives? Look at the folder for spam. If you sign in without a password, use that way.</p>`
      const keep = (way: string) => paths.begin(c.req.header('cookie'), randomUUID(), { returnTo: way })
      const headers = { 'set-cookie': keep(returnTo) ?? keep(`${site.basePath}/account`) ?? [] }
      return pageResponse(site, { title: 'Look at your mail', main, headers })
    },
  }
}

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
  readonly passwordRules: PasswordRules
}

/** The form that follows the change. It names the sessions of the account, so the next change makes it void. */
const AppsForm = z.object({ sub: z.string(), epoch: z.string() })

export function newPassword(
  options: Options,
  resets: PasswordResets,
  grants: AuthorizationServer['grants'],
): NewPassword {
  const { site, secret, accounts, browsers, checks, passwordRules, limits, guesses, callerOf } = options
  const paths = returnPaths(options)
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
  ${newPasswordFields(email, passwordRules.minLength)}
  <p class="hint">At least ${passwordRules.minLength} characters. It signs you out in every browser.</p>
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

  const signIn = (returnTo: string) => signInAddress(site.basePath, returnTo)

  async function done(c: Context, account: StoredAccount): Promise<Response> {
    const latest = paths.latest(c.req.header('cookie'))
    const returnTo = returnPath(latest?.returnTo, `${site.basePath}/account`)
    const device = browsers.remember(account, c.req.header('cookie'))
    const main: Markup = html`
<h1>Your password is changed</h1>
<p>You are signed out in every browser. Now <a href="${signIn(returnTo)}">sign in with the new password</a>.</p>
${await appsOf(account, returnTo)}`
    return respond('Password changed', {
      main,
      formAction: ["'self'"],
      headers: { 'set-cookie': [...(latest ? [paths.end(latest.id)] : []), ...device] },
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
      const wanted = await newPasswordOf(fields, passwordRules, account)
      if ('problem' in wanted) return ask(account, token, wanted.problem)
      const hash = await checks.inTurn(account.id, () => hashPassword(wanted.password))
      if (hash === undefined) return ask(account, token, TOO_MANY)
      const changed = await accounts.changePassword(account, hash, 'mail')
      if (changed === undefined) return invalid()
      const { email = '' } = account
      // Who guessed too often may sign in now, and whom the guesses of others made wait.
      await Promise.all([
        limits.reset(email, callerOf(c) ?? 'unknown'),
        guesses.unknownBrowsers(email).reset(),
      ])
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
