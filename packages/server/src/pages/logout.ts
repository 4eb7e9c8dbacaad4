import { returnPath } from '@grantkit/core'
import { isCrossSite } from '@grantkit/core/feature'
import { fill, html } from '@grantkit/pages'
import type { Context } from 'hono'
import { formOf, jsonError, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { pageResponse, type Site } from '../http/page.ts'
import { localesOf, signInAddress, signInAgain } from '../http/sign-in-wishes.ts'
import type { Sessions } from '../sign-in/session.ts'
import type { ExternalParts } from './external-login.ts'
import { inLanguage, type LocalSite } from './page-language.ts'

/** Asks before it signs the user out, so that a link or an image on another site cannot do it. */
export function logoutPage(c: Context, site: LocalSite): Response {
  const { logout, signOut, stepUp } = site.language
  const returnTo = returnPath(c.req.query('return_to'), `${site.basePath}/`)
  const main = html`
<h1>${logout.signOut}</h1>
<form method="post" action="${site.basePath}/logout" class="card">
  <input type="hidden" name="return_to" value="${returnTo}">
  <p>${fill(signOut.intro, { account: html`<a href="${site.basePath}/account">${stepUp.account}</a>` })}</p>
  <button class="primary">${logout.signOut}</button>
</form>`
  return pageResponse(site, { title: logout.signOut, main, formAction: ["'self'"] })
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
  if (external !== undefined)
    return signedOutPage(inLanguage(site, c, { uiLocales: localesOf(returnTo) }), external, returnTo, cookie)
  c.header('set-cookie', cookie)
  return seeOther(c, signInAddress(site.basePath, returnTo))
}

/**
 * In place of the sign-in page: with its own session, the application would sign the user in again at once.
 *
 * @param cookie ends the session
 */
export function signedOutPage(
  site: LocalSite,
  { signIn }: ExternalParts,
  returnTo: string,
  cookie: string,
): Response {
  const { logout, signOut, personalTokens } = site.language
  const main = html`
<h1>${logout.signedOutTitle}</h1>
<p>${fill(signOut.stillElsewhere, { host: new URL(signIn.url).host })}</p>
<p><a href="${signInAgain(site.basePath, returnTo)}">${personalTokens.signInAgain}</a></p>`
  return pageResponse(site, { title: logout.signedOutTitle, main, headers: { 'set-cookie': cookie } })
}

/** @param cookie ends the session */
export function signedOutEverywherePage(site: LocalSite, returnTo: string, cookie: string): Response {
  const { logout, signOut, personalTokens } = site.language
  const main = html`
<h1>${logout.signedOutTitle}</h1>
<p>${signOut.everywhere}</p>
<p><a href="${signInAddress(site.basePath, returnTo)}">${personalTokens.signInAgain}</a></p>`
  return pageResponse(site, { title: logout.signedOutTitle, main, headers: { 'set-cookie': cookie } })
}
