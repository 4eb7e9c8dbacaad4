import type { ErrorView, HttpResponse, PageView } from '@grantkit/core'
import { html } from 'hono/html'
import { type Markup, page, type Site } from './page.ts'
import { type Metadata, remedyOf } from './remedy.ts'

/** What the page needs of an `ErrorView`. */
export type ErrorContent = Omit<ErrorView, 'parameters' | keyof PageView>

/**
 * The error page, with a text for the user and one for the developer of the app. A program that opened a browser does
 * not see the page, so the user can pass the text on.
 */
export function errorPage(
  site: Site,
  { description, error, reason, status }: ErrorContent,
  metadata: Metadata,
): Promise<HttpResponse> {
  const unavailable = status >= 500
  const remedy = remedyOf(reason, metadata)
  const main = html`
<h1>${unavailable ? 'This does not work right now' : 'This request cannot be answered'}</h1>
<p>${unavailable ? 'Please try again in a moment.' : (ADVICE[reason] ?? 'The app that sent you here made a mistake. Go back to it and try again.')}</p>${remedy === undefined ? '' : html`<p>A program that opened your browser does not see this page. Tell it what is written below.</p>`}
<section class="card" aria-label="For the app and its developer">
  <h2>For the app and its developer</h2>
  <p><code>${error}</code></p>
  <p>${description}</p>${remedy === undefined ? '' : remedyLines(remedy)}
</section>`
  const retry = unavailable ? { 'retry-after': '1' } : {}
  return page(site, { title: 'Error', main, status, headers: retry })
}

function remedyLines(remedy: Markup): Markup {
  return html`
  <p>${remedy}</p>
  <p>A program gets this as JSON, before it opens a browser, by the same request with <code>Accept: application/json</code>.</p>`
}

const ADVICE: Partial<Record<string, string>> = {
  client_unknown: 'The school does not know this app. Go back to it and sign in anew.',
  redirect_uri_not_registered:
    'The app wants to be answered at an address it did not register. You were not sent there.',
  logout_hint_unverified:
    'The app could not show whom it signs out, so nothing happened. You can sign out of the school on the page of your account.',
  logout_client_missing:
    'The app did not say who it is, so you were not sent back to it. You are still signed in.',
  logout_ticket_invalid:
    'This page was open for too long, or you have signed out or in anew since. Nothing happened now.',
  post_logout_redirect_uri_not_registered:
    'The app wants you to come back to an address it did not register. You were not sent there, and are still signed in.',
  form_of_another_site: 'Another site sent this form, so nothing was decided. Close that site.',
  device_ticket_invalid:
    'This page was open for too long, or you have signed in anew since. Nothing was decided: open it again and type the code once more.',
  device_request_answered: 'You have answered this already. Go back to the device.',
  device_request_gone: 'This took too long. Begin again on the device.',
  too_many_user_codes:
    'Too many codes were tried. Wait a few minutes, and look at the code on your device again.',
  consent_ticket_spent: 'You have answered this already. Go back to the app.',
}
