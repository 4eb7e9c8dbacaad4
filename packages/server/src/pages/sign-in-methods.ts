import type { Session } from '@grantkit/core'
import { fill, fillText, html, pointInTime } from '@grantkit/pages'
import type { Context } from 'hono'
import type { Account } from '../accounts/accounts.ts'
import type { Passkey } from '../accounts/passkeys/passkey-rows.ts'
import { hashPassword } from '../accounts/password-hashes.ts'
import type { PasswordRules } from '../accounts/passwords.ts'
import type { LinkedIdentity } from '../accounts/upstream/identities.ts'
import { BY_PASSWORD } from '../config/authentication-classes.ts'
import { formOf, type WithBody } from '../http/bodies-and-answers.ts'
import type { Markup } from '../http/page.ts'
import { signInAgain } from '../http/sign-in-wishes.ts'
import { factsOf, type SignInFacts, type Visit } from '../sign-in/session.ts'
import { attemptPassword, signInFailed } from '../sign-in/sign-in-attempt.ts'
import { isOf, type WaysToSignIn } from '../sign-in/ways-to-sign-in.ts'
import { type AccountVisits, MAX_NAME_LENGTH, NOT_FRESH } from './change-sign-in.ts'
import { signInSucceeded } from './login.ts'
import type { LocalSite, PageLanguage, Says } from './page-language.ts'
import type { PageParts } from './parts.ts'
import { TOO_MANY } from './sign-in-page.ts'
import type { ShowAgain } from './upstream-login.ts'

/** Changes the password of the signed-in user, or sets the first one. */

/** Redirects to the account page, which shows the notice. */
export type Notify = (c: Context, session: Session, notice: Says) => Response

const WRONG: Says = ({ methods }) => methods.wrongPassword
const OVERTAKEN: Says = ({ methods }) => methods.overtaken
const CHANGED: Says = ({ methods }) => methods.passwordChanged

export function changePassword(
  options: PageParts,
  visits: AccountVisits,
  showAgain: ShowAgain,
  notify: Notify,
) {
  const { accounts, adminSignIns, browsers, checks, passwordRules, sessions, onEvent } = options
  return visits.form(showAgain, async (c, visit, fields) => {
    const { account } = visit
    if (!(await adminSignIns.mayChangeSignIn(visit))) return showAgain(c, visit, NOT_FRESH)
    const wanted = await newPasswordOf(fields, passwordRules, account)
    if ('problem' in wanted) return showAgain(c, visit, wanted.problem)
    const confirmed = await confirm(options, visits, c, visit)
    if ('problem' in confirmed) return showAgain(c, visit, confirmed.problem)
    const hash = await checks.inTurn(account.id, () => hashPassword(wanted.password))
    if (hash === undefined) return showAgain(c, visit, TOO_MANY)
    const changed = await accounts.changePassword(account, hash, 'user')
    if (changed === undefined) return showAgain(c, visit, OVERTAKEN)
    const next = await sessions.start(changed, c.req.header('cookie'), confirmed)
    onEvent(signInSucceeded(next.session))
    const device = browsers.remember(changed, c.req.header('cookie'))
    for (const line of [next.cookie, ...device]) c.header('set-cookie', line, { append: true })
    return notify(c, next.session, CHANGED)
  })
}

/**
 * By the current password, within the limits of a sign-in; or by a recent sign-in, if there is no password or it was with a
 * passkey.
 */
async function confirm(
  options: PageParts,
  visits: AccountVisits,
  c: Context<WithBody>,
  visit: Visit,
): Promise<SignInFacts | { readonly problem: Says }> {
  const { id, email = '', password: hash } = visit.account
  const { acr, provider } = visit.session
  const same = factsOf(visit.session)
  if (isBySignIn(visit, await visits.isFresh(visit))) return same
  if (hash === '') return { problem: NOT_FRESH }
  const { current_password: password = '' } = formOf(c)
  const caller = { address: options.callerOf(c), cookies: c.req.header('cookie'), holder: id }
  const tried = await attemptPassword(options, { ...caller, email, password })
  if ('account' in tried && tried.account?.id === id)
    return acr === 'phr' ? same : { signedInBy: 'password', provider, ...BY_PASSWORD }
  options.onEvent(signInFailed(tried, 'wrong_password', id))
  return { problem: 'wait' in tried ? TOO_MANY : WRONG }
}

/** Whether the sign-in confirms the change, in place of the current password. */
export function isBySignIn({ account, session }: Visit, isFresh: boolean): boolean {
  const { email = '', password } = account
  return isFresh && email !== '' && (password === '' || session.acr === 'phr')
}

/** The form. Without a password it sets the first one. @param bySignIn {@link isBySignIn} */
function passwordCard(
  { basePath, language }: LocalSite,
  { email, password }: Account,
  token: string,
  { bySignIn, minLength }: Pick<SignInMethods, 'bySignIn' | 'minLength'>,
): Markup {
  const has = password !== ''
  if (email === undefined || (!has && !bySignIn)) return html``
  const { signIn, methods, newPassword } = language
  const change = has ? methods.changePassword : methods.firstPassword
  const length = fillText(newPassword.length, { count: String(minLength) })
  const current = html`<label class="field" for="current-password">${methods.currentPassword}</label>
  <input id="current-password" name="current_password" type="password" autocomplete="current-password" required>`
  return html`<section class="card" aria-label="${signIn.password}">
  <p class="app-name">${has ? signIn.password : methods.noPassword}</p>
  <details><summary>${change}</summary>
  <form method="post" action="${basePath}/account/password">
  <input type="hidden" name="token" value="${token}">
  ${bySignIn ? '' : current}
  ${newPasswordFields(language, email, minLength)}
  <p class="hint">${length} ${newPassword.endsOtherSessions}</p>
  <button class="primary">${has ? methods.changePassword : newPassword.set}</button>
  </form></details>
</section>`
}

// The section of the account page about sign-in methods.

export interface SignInMethods {
  readonly account: Account
  readonly passkeys: readonly Passkey[]
  readonly identities: readonly LinkedIdentity[]
  /** The token of the form for the password. */
  readonly pageToken: string
  /** Whether the sign-in takes the place of the current password. */
  readonly bySignIn: boolean
  /** Of a new password. */
  readonly minLength: number
  /** The token of the other forms; absent if the user has to sign in again before a change. */
  readonly token: string | undefined
  /** Whether the user signed in strongly enough for a change. */
  readonly strong: boolean
}

export async function methodsOf(
  { passkeys, identities }: WaysToSignIn,
  account: Account,
  shown: Omit<SignInMethods, 'account' | 'passkeys' | 'identities'>,
): Promise<SignInMethods> {
  const [registered, linked] = await Promise.all([passkeys.list(account.id), identities.list(account.id)])
  return { account, passkeys: registered, identities: linked, ...shown }
}

export function signInMethods(site: LocalSite, ways: WaysToSignIn, shown: SignInMethods): Markup {
  const { account, passkeys, identities, pageToken, token, strong } = shown
  const { methods } = site.language
  const labelOf = (identity: LinkedIdentity) =>
    ways.providers.find(({ provider }) => isOf(provider, identity))?.provider.label ?? identity.issuer
  return html`
<h2 class="part" id="sign-in">${methods.title}</h2>
${strong ? passwordCard(site, account, pageToken, shown) : ''}
${passkeys.map((passkey) => passkeyCard(site, passkey, token))}
${identities.map((identity) => identityCard(site, labelOf(identity), identity, token))}
<p class="hint">${methods.removing}</p>
${token === undefined ? toSignInAgain(site, strong) : html`${addPasskey(site, ways, token)}${connect(site, ways, shown, token)}`}`
}

function passkeyCard(
  { basePath, language }: LocalSite,
  { id, name, synced, addedAt, usedAt }: Passkey,
  token?: string,
): Markup {
  const { methods } = language
  const times = {
    time: pointInTime(language, addedAt / 1000),
    used: pointInTime(language, (usedAt ?? 0) / 1000),
  }
  const use = fill(usedAt === undefined ? methods.addedUnused : methods.added, times)
  const words = fillText(methods.removePasskey, { name })
  return html`
<section class="card" aria-label="${fillText(methods.passkey, { name })}">
  <p class="app-name">${fill(methods.passkey, { name: html`<bdi>${name}</bdi>` })}</p>
  <p class="hint">${use} ${synced ? methods.synced : methods.notSynced}</p>
  ${remove(language, `${basePath}/account/passkeys/remove`, words, { id }, token)}
</section>`
}

function identityCard(
  { basePath, language }: LocalSite,
  label: string,
  { issuer, identity, shownAs, addedAt }: LinkedIdentity,
  token?: string,
): Markup {
  const { connected, removeProvider } = language.methods
  const words = fillText(removeProvider, { provider: label })
  return html`
<section class="card" aria-label="${label}">
  <p class="app-name">${label} <bdi>${shownAs}</bdi></p>
  <p class="hint">${fill(connected, { time: pointInTime(language, addedAt / 1000) })}</p>
  ${remove(language, `${basePath}/account/identities/remove`, words, { issuer, identity }, token)}
</section>`
}

function remove(
  { methods }: PageLanguage,
  action: string,
  words: string,
  fields: Record<string, string>,
  token?: string,
): Markup {
  if (token === undefined) return html``
  return html`
  <form method="post" action="${action}" class="actions">
    <input type="hidden" name="token" value="${token}">
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    <button aria-label="${words}">${methods.remove}</button>
  </form>`
}

/** Shown by the script, if the browser has passkeys. */
function addPasskey(
  { basePath, language: { methods } }: LocalSite,
  { ceremonies }: WaysToSignIn,
  token: string,
): Markup {
  if (ceremonies === undefined)
    return html`<p class="hint">${fill(methods.noPasskeys, { localhost: html`<code>localhost</code>` })}</p>`
  return html`
<form method="post" action="${basePath}/account/passkeys" class="card" data-passkey="create" hidden>
  <input type="hidden" name="token" value="${token}">
  <input type="hidden" name="answer">
  <label for="passkey-name">${methods.newPasskey}</label>
  <input id="passkey-name" name="name" maxlength="${MAX_NAME_LENGTH}" required placeholder="${methods.example}">
  <button>${methods.addPasskey}</button>
</form>`
}

function connect(
  { basePath, language: { methods } }: LocalSite,
  { providers }: WaysToSignIn,
  { identities }: SignInMethods,
  token: string,
): Markup {
  const open = providers.filter(({ provider }) => !identities.some((identity) => isOf(provider, identity)))
  return html`${open.map(
    ({ provider: { id, label } }) => html`
<form method="post" action="${basePath}/account/identities" class="other-way">
  <input type="hidden" name="token" value="${token}">
  <input type="hidden" name="provider" value="${id}">
  <button>${fill(methods.connect, { provider: label })}</button>
</form>`,
  )}`
}

function toSignInAgain({ basePath, language: { methods } }: LocalSite, strong: boolean): Markup {
  const path = signInAgain(basePath, `${basePath}/account`, strong)
  const words = strong ? methods.signIn : methods.signInWithPasskey
  return html`<p class="hint">${fill(methods.confirm, { signIn: html`<a href="${path}">${words}</a>` })}</p>`
}

// The fields for a new password, which the user types twice: nothing shows what was typed.

/** @param email for the password manager of the browser */
export function newPasswordFields(
  { newPassword: texts }: PageLanguage,
  email: string,
  minLength: number,
): Markup {
  return html`<input type="email" autocomplete="username" value="${email}" hidden>
  <label class="field" for="new-password">${texts.password}</label>
  <input id="new-password" name="new_password" type="password" autocomplete="new-password" minlength="${minLength}" required>
  <label class="field" for="new-password-again">${texts.again}</label>
  <input id="new-password-again" name="new_password_again" type="password" autocomplete="new-password" required>`
}

/** The new password of these fields, or what is wrong with it. */
export async function newPasswordOf(
  { new_password: password = '', new_password_again: again }: Readonly<Record<string, string>>,
  rules: PasswordRules,
  owner: Account,
): Promise<{ readonly password: string } | { readonly problem: Says }> {
  if (password !== again) return { problem: ({ newPassword }) => newPassword.notTwice }
  const broken = await rules.broken(password, owner)
  if (broken === undefined) return { password }
  const { rule, count } = broken
  return { problem: ({ newPassword }) => fillText(newPassword[rule], { count: String(count) }) }
}
