import { html, type SafeHtml } from '@remix-run/html-template'
import { fill } from '../language.ts'
import type { PageContext } from '../layout.ts'

/** The part of a sign-in page for a request that a password cannot meet. */
export interface StepUpNotice {
  /** One of the languages; the first by default. */
  readonly locale?: string | undefined
  /** The address of the page on which the user adds a passkey. */
  readonly account: string
  /** The form around the button, with the attribute `hidden` until a script finds that the browser has passkeys. */
  readonly form: (button: SafeHtml) => SafeHtml
}

/** Why only a passkey counts, the form for it, and what to do without one. In a language of its own: the page may have another. */
export function stepUpNotice({ language }: PageContext, { account, form }: StepUpNotice): SafeHtml {
  const { stepUp, tag, dir = 'ltr' } = language
  const link = html`<a href="${account}">${stepUp.account}</a>`
  const button = html`<button class="primary" lang="${tag}" dir="${dir}">${stepUp.button}</button>`
  return html`
<p class="notice" lang="${tag}" dir="${dir}"><strong>${stepUp.title}</strong> ${stepUp.reason}</p>${form(button)}
<p class="unsupported" lang="${tag}" dir="${dir}">${stepUp.unsupported}</p>
<p class="quiet" lang="${tag}" dir="${dir}">${fill(stepUp.noPasskey, { account: link })}</p>`
}
