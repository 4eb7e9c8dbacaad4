import { type HttpRequest, type HttpResponse, returnPath } from '@grantkit/core'
import { toResponse } from '@grantkit/core/adapter'
import { isCrossSite } from '@grantkit/core/feature'
import type { LogoutInteraction } from '@grantkit/core/logout'
import { fill, html } from '@grantkit/pages'
import type { Context } from 'hono'
import { formOf, headerOf, jsonError, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { pageResponse } from '../http/page.ts'
import { localesOf, signInAddress, signInAgain } from '../http/sign-in-wishes.ts'
import type { Ended } from '../sign-in/session.ts'
import { providerOf } from '../sign-in/ways-to-sign-in.ts'
import { inLanguage, inLocale, type LocalSite } from './page-language.ts'
import type { PageParts } from './parts.ts'

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

/**
 * Ends the session, so that another user can sign in for the pending request.
 *
 * @param otherwise where the user goes on if the form does not say it. Default: the start page
 */
export async function signOut(
  c: Context<WithBody>,
  options: PageParts,
  otherwise = `${options.site.basePath}/`,
): Promise<Response> {
  const { site, baseUrl, sessions } = options
  if (isCrossSite(baseUrl, c.req.header()))
    return jsonError(c, 403, 'invalid_request', 'Another site sent this form')
  const returnTo = returnPath(formOf(c).return_to, otherwise)
  const { provider, cookie } = await sessions.end(c.req.header('cookie'))
  const elsewhere = await elsewhereOf(options, provider, returnTo)
  if (elsewhere !== undefined) {
    const here = inLanguage(site, c, { uiLocales: localesOf(returnTo) })
    return toResponse(signedOutPage(here, { elsewhere, returnTo, cookie }))
  }
  c.header('set-cookie', cookie)
  return seeOther(c, signInAddress(site.basePath, returnTo))
}

/** The sign-out that an app requests (RP-initiated logout). An app that names where to go on gets the browser there. */
export function logoutInteraction(options: PageParts): LogoutInteraction {
  const { site, sessions } = options
  // Core ends the session, and then asks for the page of the same request.
  const endedIn = new WeakMap<HttpRequest, Ended>()
  return {
    ...site.ui.logout,
    async endSession(request) {
      const ended = await sessions.end(headerOf(request, 'cookie'))
      endedIn.set(request, ended)
      return ended.cookie
    },
    async signedOutPage(view) {
      const ended = endedIn.get(view.request)
      const returnTo = `${site.basePath}/`
      const elsewhere = ended && (await elsewhereOf(options, ended.provider, returnTo))
      if (elsewhere === undefined) return site.ui.logout.signedOutPage(view)
      return signedOutPage(inLocale(site, view.locale), { elsewhere, returnTo })
    },
  }
}

/** Where a user is still signed in whose session has ended here: at the application of the users, or at a provider. */
interface Elsewhere {
  /** As the user knows it. */
  readonly name: string
  /** The address there that signs the user out. */
  readonly signOut?: string | undefined
  /** The way back into this service. */
  readonly signIn: string
}

/** @param id the provider of the session. @param returnTo where the user goes on after a new sign-in */
export async function elsewhereOf(
  { site: { basePath }, ways, external }: PageParts,
  id: string | undefined,
  returnTo: string,
): Promise<Elsewhere | undefined> {
  // With its own session, the application would sign the user in again at once.
  if (external !== undefined)
    return { name: new URL(external.signIn.url).host, signIn: signInAgain(basePath, returnTo) }
  const provider = providerOf(ways, id)
  if (provider === undefined || provider.keepsNoSession) return undefined
  return {
    name: provider.provider.label,
    signOut: await provider.signOutUrl(returnTo),
    signIn: signInAddress(basePath, returnTo),
  }
}

interface SignedOut {
  readonly elsewhere: Elsewhere | undefined
  readonly returnTo: string
  /** Ends the session. */
  readonly cookie?: string
  /** Whether the sessions of all browsers have ended. */
  readonly everywhere?: boolean
}

/**
 * Says where the user is still signed in, and continues to the sign-out there. The header does that: browsers apply `form-action` to
 * every redirect after a form.
 */
export function signedOutPage(
  { basePath, ui, language }: LocalSite,
  { elsewhere, returnTo, cookie, everywhere = false }: SignedOut,
): HttpResponse {
  const { logout, signOut, personalTokens } = language
  const { name, signOut: next, signIn = signInAddress(basePath, returnTo) } = elsewhere ?? {}
  const main = html`
<h1>${logout.signedOutTitle}</h1>
${everywhere ? html`<p>${signOut.everywhere}</p>` : ''}
${name === undefined ? '' : html`<p>${fill(signOut.stillElsewhere, { host: name })}</p>`}
${next === undefined ? '' : html`<p><a href="${next}">${logout.signOut}</a></p>`}
<p><a href="${signIn}">${personalTokens.signInAgain}</a></p>`
  const headers = {
    ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
    ...(next === undefined ? {} : { refresh: `0;url=${next}` }),
  }
  return ui.page({ title: logout.signedOutTitle, main, headers, locale: language.tag })
}
