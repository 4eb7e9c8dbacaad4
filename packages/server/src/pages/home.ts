import { html } from '@grantkit/pages'
import { pageResponse, type Site } from '../http/page.ts'

/** The home page of a service that has none of its own. */
export function homePage(site: Site): Response {
  const main = html`
<h1>Sign in with your apps</h1>
<p>Apps can sign you in here. See what you let them do, and disconnect them, in <a href="${site.basePath}/account">your account</a>.</p>`
  return pageResponse(site, { title: 'Welcome', main, formAction: ["'self'"] })
}
