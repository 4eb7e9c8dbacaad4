import { html } from '@grantkit/pages'
import { pageResponse, type Site } from './page.ts'

/** What a reference is for. The same for every reference: there is no public look-up. */
export function whyPage(site: Site): Response {
  const main = html`
<h1>Why did it not work?</h1>
<p>The error of your app ends with a reference, such as <code>(ref 7K3M-Q2WD)</code>. Give it to the operator of this service, who can look up what went wrong. Alone, the reference says nothing.</p>
<p>You can also see what failed for you in <a href="${site.basePath}/account">your account</a>.</p>`
  return pageResponse(site, { title: 'Why did it not work?', main, formAction: ["'self'"] })
}
