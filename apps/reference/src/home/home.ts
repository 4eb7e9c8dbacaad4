import { readFile } from 'node:fs/promises'
import { html } from '@grantkit/pages'
import type { MountContext } from '@grantkit/server'
import { createRoute, type Markup, OpenAPIHono, pageResponse, type Site, text } from '@grantkit/server/routes'

const ICON = await readFile(new URL('icon.svg', import.meta.url), 'utf8')

/** The home page, and the sign of the school. */
export function home({ site, config, demo }: Pick<MountContext, 'site' | 'config' | 'demo'>): OpenAPIHono {
  return new OpenAPIHono()
    .openapi(HOME, () => homePage(site, config, demo))
    .openapi(ICON_FILE, (c) =>
      c.body(ICON, 200, {
        'content-type': 'image/svg+xml',
        'cache-control': 'public, max-age=3600',
        'x-content-type-options': 'nosniff',
      }),
    )
}

const HOME = createRoute({
  ...{ method: 'get', path: '/', operationId: 'home', summary: 'The start page' },
  ...{ tags: ['Pages'], security: [{}], responses: { 200: text('The start page', 'text/html') } },
})
const ICON_FILE = createRoute({
  ...{ method: 'get', path: '/assets/icon.svg', operationId: 'icon', summary: 'The sign of the school' },
  ...{
    tags: ['Discovery'],
    security: [{}],
    responses: { 200: text('The sign of the school', 'image/svg+xml') },
  },
})

function homePage(site: Site, { baseUrl, playground }: MountContext['config'], demo: boolean): Response {
  const main = html`
<h1>Harbour School</h1>
<p>An online school with an API. Apps on your computer can sign you in here, see what you let them see, and be cut off again in <a href="${site.basePath}/account">your account</a>.</p>
<section class="card" aria-label="For developers">
  <h2>For developers</h2>
  <ul>
    <li><a href="${site.basePath}/auth.md">How to get a token</a>, with commands that run</li>
    ${playground ? html`<li><a href="${site.basePath}/playground">Playground</a>: each request of a sign-in, in the browser</li>` : ''}
    <li><a href="${site.basePath}/docs">The API</a>, and its <a href="${site.basePath}/openapi.json">OpenAPI description</a></li>
    <li><a href="${site.basePath}/.well-known/oauth-authorization-server">Server metadata</a>: every endpoint, grant type and scope</li>
    <li><a href="${site.basePath}/llms.txt">Index for agents</a>, <a href="${site.basePath}/pricing.md">pricing</a></li>
    <li><a href="${site.basePath}/api/courses">The courses</a>, as anybody may read them</li>
  </ul>
</section>
${demo ? tryIt(baseUrl) : ''}`
  return pageResponse(site, { title: 'Welcome', main, formAction: ["'self'"] })
}

function tryIt(baseUrl: string): Markup {
  return html`
<section class="card" aria-label="Try it">
  <h2>Try it</h2>
  <p>Run <code>npx -y pnpm@12 demo --url ${baseUrl}</code> and sign in as <code>demo@example.com</code> with the password <code>demo</code>.</p>
</section>`
}
