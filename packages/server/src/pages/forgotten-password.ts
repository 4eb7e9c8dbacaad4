import { randomUUID } from 'node:crypto'
import { type AuthorizationServer, returnPath } from '@grantkit/core'
import { fill, fillText, html, type PageContent } from '@grantkit/pages'
import type { Context } from 'hono'
import * as z from 'zod'
import type { StoredAccount } from '../accounts/accounts.ts'
import { hashPassword } from '../accounts/password-hashes.ts'
import { formOf, type WithBody } from '../http/bodies-and-answers.ts'
import { flowsInCookies } from '../http/flows.ts'
import { addressOf, type Markup, pageResponse } from '../http/page.ts'
import { type SignInWishes, signInAddress, wishesIn, wishFields } from '../http/sign-in-wishes.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import { LINK_LIFETIME_SECONDS, type PasswordResets } from '../sign-in/password-resets.ts'
import { inLanguage, type LocalSite, type Says } from './page-language.ts'
import type { PageParts } from './parts.ts'
import { newPasswordFields, newPasswordOf } from './sign-in-methods.ts'
import { FORM_EXPIRED, type SignInPage, TOO_MANY } from './sign-in-page.ts'

interface Shown {
  readonly returnTo: string
  readonly email: string
  readonly wishes: SignInWishes
  readonly status?: number
  readonly problem?: Says
  readonly headers?: Record<string, string>
}

/**
 * The path to which the browser returns, while its user reads the mail. A link in the mail must not have it: whoever
 * requests the mail would choose where its reader goes.
 */
function returnPaths(options: PageParts) {
  return flowsInCookies(options, {
    ...{ name: 'password-return', purpose: 'password return', seconds: 60 * 60 },
    value: z.object({ returnTo: z.string() }),
  })
}

/** The page that asks for the address of a user who has forgotten the password. */
export function forgottenPassword(options: PageParts, page: SignInPage, resets: PasswordResets) {
  const { callerOf } = options
  const home = `${options.site.basePath}/`
  const paths = returnPaths(options)

  function ask(c: Context, shown: Shown): Response {
    const { returnTo, email, wishes, status = 200, problem, headers = {} } = shown
    const { uiLocales } = wishes
    const form = page.issueForm(c)
    const site = inLanguage(options.site, c, wishes)
    const { forgottenPassword: texts, signIn } = site.language
    const main = html`
<h1>${texts.title}</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem(site.language)}</p>`}
<p>${texts.intro}</p>
<form method="post" action="${site.basePath}/login/forgot" class="card">
  <input type="hidden" name="token" value="${form.token}">
  <input type="hidden" name="return_to" value="${returnTo}">${wishFields({ uiLocales })}
  <label for="email">${signIn.email}</label>
  <input id="email" name="email" type="email" autocomplete="username" required value="${email}">
  <button class="primary">${texts.send}</button>
</form>
<p><a href="${signInAddress(site.basePath, returnTo, { uiLocales })}">${texts.back}</a></p>`
    return pageResponse(site, {
      ...{ title: texts.title, main, status, formAction: ["'self'"] },
      headers: { 'set-cookie': form.cookies, ...headers },
    })
  }

  return {
    show: async (c: Context) =>
      ask(c, {
        returnTo: returnPath(c.req.query('return_to'), home),
        email: c.req.query('login_hint') ?? '',
        wishes: wishesIn(c.req.query()),
      }),
    /** The response says nothing about the account: it is the same for every address, and waits for none. */
    async submit(c: Context<WithBody>) {
      const fields = formOf(c)
      const returnTo = returnPath(fields.return_to, home)
      const email = (fields.email ?? '').slice(0, 254)
      const shown = { returnTo, email, wishes: wishesIn(fields) }
      if (!page.isOwnForm(c, fields.token)) return ask(c, { ...shown, status: 403, problem: FORM_EXPIRED })
      const wait = await resets.waitOfNetwork(callerOf(c))
      if (wait > 0) {
        const headers = { 'retry-after': String(wait) }
        return ask(c, { ...shown, status: 429, problem: TOO_MANY, headers })
      }
      const site = inLanguage(options.site, c, shown.wishes)
      resets.request(email, site.language)
      const { sentTitle: title, sent, nothing } = site.language.forgottenPassword
      const main = html`
<h1>${title}</h1>
<p>${sent}</p>
<p>${nothing}</p>`
      const keep = (way: string) => paths.begin(c.req.header('cookie'), randomUUID(), { returnTo: way })
      const headers = { 'set-cookie': keep(returnTo) ?? keep(`${site.basePath}/account`) ?? [] }
      return pageResponse(site, { title, main, headers })
    },
  }
}

/** The form that follows the change. It names the sessions of the account, so the next change makes it void. */
const AppsForm = z.object({ sub: z.string(), epoch: z.string() })

/**
 * The page behind the link of a mail. A GET changes nothing, because mail scanners open links. The form is not bound to
 * this browser: who has the token may set the password, from any page. It signs no user in, so it is no login CSRF.
 */
export function newPassword(
  options: PageParts,
  resets: PasswordResets,
  grants: AuthorizationServer['grants'],
) {
  const { secret, accounts, browsers, checks, passwordRules, limits, guesses, callerOf } = options
  const { basePath } = options.site
  const paths = returnPaths(options)
  const appsKeys = hmacKeys(secret, 'apps after a new password')

  /** The token is in the URL, which no other site gets as the referrer. */
  function respond(site: LocalSite, content: PageContent): Response {
    const headers = { ...content.headers, 'referrer-policy': 'no-referrer' }
    return pageResponse(site, { ...content, headers })
  }

  function ask(c: Context, { name, email = '' }: StoredAccount, token: string, problem?: Says): Response {
    const site = inLanguage(options.site, c)
    const { newPassword: texts } = site.language
    const owner = { name: html`<bdi>${name}</bdi>`, email: html`<bdi>${email}</bdi>` }
    const length = fillText(texts.length, { count: String(passwordRules.minLength) })
    const main = html`
<h1>${texts.title}</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem(site.language)}</p>`}
<form method="post" action="${addressOf(`${basePath}/login/reset`, { ui_locales: site.language.tag })}" class="card">
  <p>${fill(texts.owner, owner)}</p>
  <input type="hidden" name="token" value="${token}">
  ${newPasswordFields(site.language, email, passwordRules.minLength)}
  <p class="hint">${length} ${texts.endsSessions}</p>
  <button class="primary">${texts.set}</button>
</form>`
    return respond(site, {
      title: texts.title,
      main,
      status: problem === undefined ? 200 : 400,
      formAction: ["'self'"],
    })
  }

  function invalid(c: Context): Response {
    const site = inLanguage(options.site, c)
    const { invalidTitle: title, invalid, requestAnother } = site.language.newPassword
    const main = html`
<h1>${title}</h1>
<p>${invalid} <a href="${basePath}/login/forgot">${requestAnother}</a></p>`
    return respond(site, { title, main, status: 400 })
  }

  const signIn = (returnTo: string) => signInAddress(basePath, returnTo)

  async function done(c: Context, account: StoredAccount): Promise<Response> {
    const latest = paths.latest(c.req.header('cookie'))
    const returnTo = returnPath(latest?.returnTo, `${basePath}/account`)
    const device = browsers.remember(account, c.req.header('cookie'))
    const site = inLanguage(options.site, c)
    const { changedTitle: title, changed, signIn: words } = site.language.newPassword
    const main: Markup = html`
<h1>${title}</h1>
<p>${changed} <a href="${signIn(returnTo)}">${words}</a></p>
${await appsOf(site, account, returnTo)}`
    return respond(site, {
      title,
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
  async function appsOf(
    { language }: LocalSite,
    { id: sub, sessionEpoch }: StoredAccount,
    returnTo: string,
  ): Promise<Markup> {
    if (!(await hasApps(sub))) return html``
    const { newPassword: texts } = language
    const token = signValue(appsKeys, { sub, epoch: String(sessionEpoch) }, LINK_LIFETIME_SECONDS)
    return html`
<form method="post" action="${addressOf(`${basePath}/login/reset/apps`, { ui_locales: language.tag })}" class="card">
  <p>${texts.apps}</p>
  <input type="hidden" name="token" value="${token}">
  <input type="hidden" name="return_to" value="${returnTo}">
  <button>${texts.disconnectApps}</button>
</form>`
  }

  return {
    async show(c: Context) {
      const token = c.req.query('token') ?? ''
      const account = await resets.accountOf(token)
      return account === undefined ? invalid(c) : ask(c, account, token)
    },
    async submit(c: Context<WithBody>) {
      const fields = formOf(c)
      const { token = '' } = fields
      const account = await resets.accountOf(token)
      if (account === undefined) return invalid(c)
      const wanted = await newPasswordOf(fields, passwordRules, account)
      if ('problem' in wanted) return ask(c, account, token, wanted.problem)
      const hash = await checks.inTurn(account.id, () => hashPassword(wanted.password))
      if (hash === undefined) return ask(c, account, token, TOO_MANY)
      const changed = await accounts.changePassword(account, hash, 'mail')
      if (changed === undefined) return invalid(c)
      const { email = '' } = account
      // Who guessed too often may sign in now, and whom the guesses of others made wait.
      await Promise.all([
        limits.accounts.reset(callerOf(c) ?? 'unknown', email),
        guesses.unknownBrowsers(email).reset(),
      ])
      return done(c, changed)
    },
    /** Ends all grants of a user who has just changed the password. */
    async disconnectApps(c: Context<WithBody>) {
      const { token, return_to } = formOf(c)
      const form = verifyValue(appsKeys, token, AppsForm, LINK_LIFETIME_SECONDS)
      const account = form && (await accounts.find(form.sub))
      if (account === undefined || String(account.sessionEpoch) !== form?.epoch) return invalid(c)
      await grants.revokeAll(account.id, { by: 'user' })
      const back = signIn(returnPath(return_to, `${basePath}/account`))
      const site = inLanguage(options.site, c)
      const { disconnectedTitle: title, disconnected, signIn: words } = site.language.newPassword
      const main: Markup = html`
<h1>${title}</h1>
<p>${disconnected} <a href="${back}">${words}</a></p>`
      return respond(site, { title, main })
    },
  }
}
