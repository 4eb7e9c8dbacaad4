import type { HttpRequest, HttpResponse } from '@grantkit/core'
import { html } from 'hono/html'
import { formOf, jsonError, seeOther } from '../http.ts'
import type { Sessions } from '../session.ts'
import { isCrossSite } from './login.ts'
import { page, type Site } from './page.ts'
import { returnPath } from './return-path.ts'

/** Asks before it signs out, so that a link or an image on another site cannot do it. */
export function logoutPage(site: Site, baseUrl: string, request: HttpRequest): Promise<HttpResponse> {
  const returnTo = returnPath(baseUrl, new URLSearchParams(request.query).get('return_to'))
  const main = html`
<h1>Sign out</h1>
<form method="post" action="${site.basePath}/logout" class="card">
  <input type="hidden" name="return_to" value="${returnTo}">
  <p>You will have to sign in again the next time an app asks. Apps you allowed before keep their access until you disconnect them in <a href="${site.basePath}/account">your account</a>.</p>
  <button class="primary">Sign out</button>
</form>`
  return page(site, { title: 'Sign out', main, formAction: ["'self'"] })
}

/** Ends the session, and lets another user sign in for the pending request. */
export async function signOut(
  site: Site,
  baseUrl: string,
  sessions: Sessions,
  request: HttpRequest,
): Promise<HttpResponse> {
  if (isCrossSite(request, baseUrl)) return jsonError(403, 'invalid_request', 'Another site sent this form')
  const query = new URLSearchParams({ return_to: returnPath(baseUrl, formOf(request).return_to ?? null) })
  return seeOther(`${site.basePath}/login?${query}`, { 'set-cookie': await sessions.end(request) })
}
