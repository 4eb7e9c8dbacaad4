import type { ErrorView, HttpResponse } from '@grantkit/core'
import { html } from 'hono/html'
import { page, type Site } from './page.ts'

/** The error page, with words for the user and words for the app's developer. */
export function errorPage(
  site: Site,
  { description, error, reason, status }: ErrorView,
  registration = true,
): Promise<HttpResponse> {
  const unavailable = status >= 500
  const advice = registration ? ADVICE : { ...ADVICE, client_unknown: 'The school does not know this app.' }
  const main = html`
<h1>${unavailable ? 'This does not work right now' : 'This request cannot be answered'}</h1>
<p>${unavailable ? 'Please try again in a moment.' : (advice[reason] ?? 'The app that sent you here made a mistake. Go back to it and try again.')}</p>
<section class="card" aria-label="For the developer of the app">
  <h2>For the developer of the app</h2>
  <p><code>${error}</code></p>
  <p>${description}</p>
</section>`
  const retry = unavailable ? { 'retry-after': '1' } : {}
  return page(site, { title: 'Error', main, status, headers: retry })
}

const ADVICE: Partial<Record<ErrorView['reason'], string>> = {
  client_unknown: 'The school does not know this app any more. Go back to it and let it register again.',
  redirect_uri_not_registered:
    'The app wants to be answered at an address it did not register. You were not sent there.',
  consent_ticket_invalid:
    'This page was open for too long, or you have signed in anew since. Go back to the app and start again.',
  consent_ticket_spent: 'You have answered this already. Go back to the app.',
}
