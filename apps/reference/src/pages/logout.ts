import { returnPath } from '@grantkit/core'
import { isCrossSite } from '@grantkit/core/feature'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import { formOf, jsonError, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import type { Sessions } from '../sign-in/session.ts'
import { pageResponse, type Site } from './page.ts'

/** Asks before it signs the user out, so that a link or an image on another site cannot do it. */
export function logoutPage(c: Context, site: Site): Response {
  const returnTo = returnPath(c.req.query('return_to'), `${site.basePath}/`)
  const main = html`
<h1>Sign out</h1>
<form method="post" action="${site.basePath}/logout" class="card">
  <input type="hidden" name="return_to" value="${returnTo}">
  <p>You will have to sign in again the next time an app asks. Apps you allowed before keep their access until you disconnect them in <a href="${site.basePath}/account">your account</a>.</p>
  <button class="primary">Sign out</button>
</form>`
  return pageResponse(site, { title: 'Sign out', main, formAction: ["'self'"] })
}

/** Ends the session, so that another user can sign in for the pending request. */
export async function signOut(
  c: Context<WithBody>,
  site: Site,
  baseUrl: string,
  sessions: Sessions,
): Promise<Response> {
  if (isCrossSite(baseUrl, c.req.header()))
    return jsonError(c, 403, 'invalid_request', 'Another site sent this form')
  const query = new URLSearchParams({ return_to: returnPath(formOf(c).return_to, `${site.basePath}/`) })
  c.header('set-cookie', await sessions.end(c.req.header('cookie')))
  return seeOther(c, `${site.basePath}/login?${query}`)
}
