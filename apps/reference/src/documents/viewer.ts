import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createRoute, error, jsonError, OpenAPIHono, text } from '@grantkit/server/routes'
import type { Context } from 'hono'
import { html } from 'hono/html'

/**
 * Swagger UI for the description of the service, from this origin only: nothing is fetched from other origins. It signs
 * its user in as any app does, in a separate window.
 */

const distribution = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')
const file = (name: string) => readFile(new URL(name, `file://${distribution}`), 'utf8')

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
const FILES: Readonly<Record<string, { readonly type: string; readonly body: string }>> = {
  'swagger-ui.css': { type: 'text/css; charset=utf-8', body: await file('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: SCRIPT, body: await file('swagger-ui-bundle.js') },
  'start.js': { type: SCRIPT, body: await readFile(new URL('start.js', import.meta.url), 'utf8') },
  'oauth2-redirect.html': { type: HTML, body: await file('oauth2-redirect.html') },
  'oauth2-redirect.js': { type: SCRIPT, body: await file('oauth2-redirect.js') },
}

/** Swagger UI sets inline styles; only this policy allows them. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=3600',
}

export function viewer(basePath: string): OpenAPIHono {
  return new OpenAPIHono()
    .openapi(PAGE, (c) => viewerPage(c, basePath))
    .openapi(FILE, (c) => viewerFile(c, c.req.param('file')))
}

const PAGE = createRoute({
  ...{ method: 'get', path: '/docs', operationId: 'docs', summary: 'This description, for people' },
  ...{ tags: ['Pages'], security: [{}] },
  responses: { 200: text('This description, for people', 'text/html') },
})

const FILE = createRoute({
  ...{ method: 'get', path: '/docs/{file}', operationId: 'docsFile', summary: 'A part of the viewer' },
  ...{ tags: ['Discovery'], security: [{}] },
  parameters: [{ name: 'file', in: 'path', required: true, schema: { type: 'string' } }],
  responses: { 200: text('A part of the viewer', '*/*'), 404: error('There is no such file') },
})

async function viewerPage(c: Context, basePath: string): Promise<Response> {
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · Harbour School</title>
<link rel="icon" type="image/svg+xml" href="${basePath}/assets/icon.svg">
<link rel="stylesheet" href="${basePath}/docs/swagger-ui.css">
</head>
<body>
<main id="docs"></main>
<script src="${basePath}/docs/swagger-ui-bundle.js"></script>
<script type="module" src="${basePath}/docs/start.js"></script>
</body>
</html>`
  return c.body(String(page), 200, { 'content-type': HTML, ...HEADERS })
}

function viewerFile(c: Context, name: string): Response {
  const found = Object.hasOwn(FILES, name) ? FILES[name] : undefined
  if (found === undefined) return jsonError(c, 404, 'not_found', 'There is no such file')
  return c.body(found.body, 200, { 'content-type': found.type, ...HEADERS })
}
