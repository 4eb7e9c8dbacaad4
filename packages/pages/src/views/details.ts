import type { DetailsView } from '@grantkit/core/authorization-details'
import type { TermViews } from '@grantkit/core/feature'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { PageContext } from '../layout.ts'

/** Exactly what an app asks for beside scopes, in the words of the operator. The user allows all of it or denies: nothing is ticked away. */
export function authorizationDetails(context: PageContext, terms: TermViews | undefined): SafeHtml | '' {
  const { asks, whole } = context.language.details
  const view: DetailsView | undefined = terms?.authorization_details
  if (view === undefined) return ''
  return html`
<h2>${asks}</h2>
<div class="app"><ul class="plain">${view.details.map(({ text }) => html`<li><strong dir="auto">${text}</strong></li>`)}</ul></div>
<p class="quiet">${whole}</p>
<input type="hidden" name="authorization_details" value="${view.shown}">`
}
