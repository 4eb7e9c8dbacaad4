import { returnPath } from '@grantkit/core'
import { isCrossSite } from '@grantkit/core/feature'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import { formOf, jsonError, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { pageResponse, type Site } from '../http/page.ts'
import { signInAddress, signInAgain } from '../http/sign-in-wishes.ts'
import type { Sessions } from '../sign-in/session.ts'
import type { ExternalParts } from './external-login.ts'

/** Asks before it signs the user out, so that a link or an image on another site cannot do it. */
export function logoutPage(c: Context, site: Site): Response {
  const returnTo = returnPath(c.req.query('return_to'), `${site.basePath}/`)
  const main = html`
<h1>Sign out</h1>
<form method="post" action="${site.basePath}/logout" class="card">
  <input type="hidden" name="return_to" value="${returnTo}">
  <p>You will have to sign in again the next time an app asks. Apps you allowed before keep their access until you disconnect them in <a href="${site.basePath}/account">your account</a>, except those that end with your sign-in.</p>
  <button class="primary">Sign out</button>
</form>`
  return pageResponse(site, { title: 'Sign out', main, formAction: ["'self'"] })
}

interface SignOutOptions {
  readonly site: Site
  readonly baseUrl: string
  readonly sessions: Sessions
  readonly external?: ExternalParts | undefined
}

/** Ends the session, so that another user can sign in for the pending request. */
export async function signOut(
  c: Context<WithBody>,
  { site, baseUrl, sessions, external }: SignOutOptions,
): Promise<Response> {
  if (isCrossSite(baseUrl, c.req.header()))
    return jsonError(c, 403, 'invalid_request', 'Another site sent this form')
  const returnTo = returnPath(formOf(c).return_to, `${site.basePath}/`)
  const cookie = await sessions.end(c.req.header('cookie'))
  if (external !== undefined) return signedOutPage(site, external, returnTo, cookie)
  c.header('set-cookie', cookie)
  return seeOther(c, signInAddress(site.basePath, returnTo))
}

/**
 * In place of the sign-in page: with its own session, the application would sign the user in again at once.
 *
 * @param cookie ends the session
 */
export function signedOutPage(
  site: Site,
  { signIn }: ExternalParts,
  returnTo: string,
  cookie: string,
): Response {
  const main = html`
<h1>You are signed out</h1>
<p>You are still signed in at ${new URL(signIn.url).host}. Sign out there too if others use this browser.</p>
<p><a href="${signInAgain(site.basePath, returnTo)}">Sign in again</a></p>`
  return pageResponse(site, { title: 'Signed out', main, headers: { 'set-cookie': cookie } })
}

/** @param cookie ends the session */
export function signedOutEverywherePage(site: Site, returnTo: string, cookie: string): Response {
  const main = html`
<h1>You are signed out</h1>
<p>You are signed out in every browser, including this one.</p>
<p><a href="${signInAddress(site.basePath, returnTo)}">Sign in again</a></p>`
  return pageResponse(site, { title: 'Signed out', main, headers: { 'set-cookie': cookie } })
}
