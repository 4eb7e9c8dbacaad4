import { html } from '@grantkit/pages'
import { newPasswordProblem } from '../accounts/new-password.ts'
import type { Markup } from '../http/page.ts'

/** The fields for a new password, which the user types twice: nothing shows what was typed. */

/** @param email for the password manager of the browser */
export function newPasswordFields(email: string): Markup {
  return html`<input type="email" autocomplete="username" value="${email}" hidden>
  <label class="field" for="new-password">New password</label>
  <input id="new-password" name="new_password" type="password" autocomplete="new-password" minlength="8" required>
  <label class="field" for="new-password-again">New password again</label>
  <input id="new-password-again" name="new_password_again" type="password" autocomplete="new-password" required>`
}

/** The new password of these fields, or what is wrong with it. */
export function newPasswordOf({
  new_password: password = '',
  new_password_again: again,
}: Readonly<Record<string, string>>): { readonly password: string } | { readonly problem: string } {
  if (password !== again) return { problem: 'You did not type the same new password twice.' }
  const problem = newPasswordProblem(password)
  return problem === undefined ? { password } : { problem }
}
