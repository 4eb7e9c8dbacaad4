import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import { jsonError } from '../http/bodies-and-answers.ts'
import { pageResponse, type Site } from '../http/page.ts'

/** The answer where a path does not exist: a page for a browser, JSON for programs. */
export async function nothingHere(c: Context, site: Site): Promise<Response> {
  const isBrowser = /\btext\/html\b/i.test(c.req.header('accept') ?? '')
  if (!isBrowser) return jsonError(c, 404, 'not_found', 'There is nothing at this path')
  const main = html`
<h1>There is nothing here</h1>
<p>This address leads nowhere. Go to <a href="${site.basePath}/">the start page</a> or to <a href="${site.basePath}/account">your account</a>.</p>`
  return pageResponse(site, { title: 'Nothing here', main, status: 404, formAction: ["'self'"] })
}
