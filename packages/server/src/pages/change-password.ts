import type { Session } from '@grantkit/core'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { Account } from '../accounts/accounts.ts'
import { hashPassword } from '../accounts/passwords.ts'
import { BY_PASSWORD } from '../config/authentication-classes.ts'
import { formOf, type WithBody } from '../http/bodies-and-answers.ts'
import type { Markup } from '../http/page.ts'
import type { AdminSignIns } from '../sign-in/admin-sign-ins.ts'
import type { SignInFacts, Visit } from '../sign-in/session.ts'
import { attemptPassword, signInFailed } from '../sign-in/sign-in-attempt.ts'
import { type AccountVisits, PAGE_EXPIRED } from './account-visits.ts'
import { type FormHandler, NOT_FRESH, type ShowAgain } from './change-sign-in.ts'
import type { LoginOptions } from './login-options.ts'
import { newPasswordFields, newPasswordOf } from './password-fields.ts'
import { TOO_MANY } from './sign-in-page.ts'
import { signInSucceeded } from './signed-in.ts'

/** Changes the password of the signed-in user, or sets the first one. */

interface Options extends LoginOptions {
  readonly accounts: AccountRows
  readonly adminSignIns: AdminSignIns
}

/** Redirects to the account page, which shows the notice. */
export type Notify = (c: Context, session: Session, notice: string) => Response

const WRONG = 'Your current password is not right. Nothing was changed.'
const OVERTAKEN = 'Your account was changed at the same time. Nothing was changed here; please try again.'
const CHANGED = 'Your password is changed. You are signed out in every other browser.'

export function changePassword(
  options: Options,
  visits: AccountVisits,
  showAgain: ShowAgain,
  notify: Notify,
): FormHandler {
  const { accounts, adminSignIns, checks, sessions, onEvent } = options
  return async (c) => {
    const visit = await visits.of(c)
    if (visit === undefined) return visits.signIn(c)
    const { account } = visit
    const fields = formOf(c)
    if (!visits.isOwnForm(c, visit, fields.token)) return showAgain(c, visit, PAGE_EXPIRED)
    if (!(await adminSignIns.mayChangeSignIn(visit))) return showAgain(c, visit, NOT_FRESH)
    const wanted = newPasswordOf(fields)
    if ('problem' in wanted) return showAgain(c, visit, wanted.problem)
    const confirmed = await confirm(options, visits, c, visit)
    if ('problem' in confirmed) return showAgain(c, visit, confirmed.problem)
    const hash = await checks.inTurn(account.id, () => hashPassword(wanted.password))
    if (hash === undefined) return showAgain(c, visit, TOO_MANY)
    const changed = await accounts.changePassword(account, hash, 'user')
    if (changed === undefined) return showAgain(c, visit, OVERTAKEN)
    const next = await sessions.start(changed, c.req.header('cookie'), confirmed)
    onEvent(signInSucceeded(changed, next.session))
    c.header('set-cookie', next.cookie, { append: true })
    return notify(c, next.session, CHANGED)
  }
}

/**
 * By the current password, within the limits of a sign-in; or by a recent sign-in, if there is no password or it was with a
 * passkey.
 */
async function confirm(
  options: Options,
  visits: AccountVisits,
  c: Context<WithBody>,
  visit: Visit,
): Promise<SignInFacts | { readonly problem: string }> {
  const { id, email = '', password } = visit.account
  const { authTime, confirmedAt, signedInBy, acr, amr } = visit.session
  const same = { authTime, confirmedAt, signedInBy, acr, amr }
  if (isBySignIn(visits, visit)) return same
  if (password === '') return { problem: NOT_FRESH }
  const { current_password: current = '' } = formOf(c)
  const tried = await attemptPassword(options, options.callerOf(c), email, current, id)
  if ('account' in tried && tried.account?.id === id)
    return acr === 'phr' ? same : { signedInBy: 'password', ...BY_PASSWORD }
  options.onEvent(signInFailed(tried, 'wrong_password', id))
  return { problem: 'wait' in tried ? TOO_MANY : WRONG }
}

/** Whether the sign-in confirms the change, in place of the current password. */
export function isBySignIn({ isFresh }: Pick<AccountVisits, 'isFresh'>, visit: Visit): boolean {
  const { email = '', password } = visit.account
  return isFresh(visit) && email !== '' && (password === '' || visit.session.acr === 'phr')
}

/** The form. Without a password it sets the first one. @param bySignIn {@link isBySignIn} */
export function passwordCard(
  basePath: string,
  { email, password }: Account,
  token: string,
  bySignIn: boolean,
): Markup {
  const has = password !== ''
  if (email === undefined || (!has && !bySignIn)) return html``
  const current = html`<label class="field" for="current-password">Current password</label>
  <input id="current-password" name="current_password" type="password" autocomplete="current-password" required>`
  return html`<section class="card" aria-label="Password">
  <p class="app-name">${has ? 'Password' : 'No password'}</p>
  <details><summary>${has ? 'Change password' : 'Set a password'}</summary>
  <form method="post" action="${basePath}/account/password">
  <input type="hidden" name="token" value="${token}">
  ${bySignIn ? '' : current}
  ${newPasswordFields(email)}
  <p class="hint">At least 8 characters. It signs you out in every other browser.</p>
  <button class="primary">${has ? 'Change password' : 'Set password'}</button>
  </form></details>
</section>`
}
