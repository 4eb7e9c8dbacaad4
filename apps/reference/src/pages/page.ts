import type { HttpResponse } from '@grantkit/core'
import { toResponse } from '@grantkit/core/adapter'
import type { Pages } from '@grantkit/pages'
import { html } from 'hono/html'

/** Markup with all values escaped. */
export type Markup = ReturnType<typeof html>

export interface Page {
  readonly title: string
  readonly main: Markup
  readonly status?: number
  readonly headers?: HttpResponse['headers']
  /** For `form-action`; absent if the form redirects to an unknown address. */
  readonly formAction?: readonly string[] | undefined
  /** The script of the page: the name of an asset. */
  readonly script?: string | undefined
}

/** Shared by all pages. */
export interface Site {
  /** The beginning of the path of each link. */
  readonly basePath: string
  readonly ui: Pages
}

/** Formats a time with its zone: without a script the reader's zone is unknown. @param seconds since the epoch */
export function pointInTime(seconds: number): Markup {
  const time = new Date(seconds * 1000)
  return html`<time datetime="${time.toISOString()}">${IN_WORDS.format(time)} UTC</time>`
}

const IN_WORDS = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** A page without foreign scripts that cannot be framed or cached, in the form that core expects. */
async function page(
  site: Site,
  { title, main, status = 200, headers = {}, formAction, script }: Page,
): Promise<HttpResponse> {
  const body = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Harbour School</title>
<link rel="icon" type="image/svg+xml" href="${site.basePath}/assets/icon.svg">
<link rel="stylesheet" href="${site.basePath}/assets/style.css">${
    script === undefined
      ? ''
      : html`
<script type="module" src="${site.basePath}/assets/${script}"></script>`
  }
</head>
<body>
<header class="brand"><a href="${site.basePath}/"><img src="${site.basePath}/assets/icon.svg" width="28" height="28" alt="">Harbour School</a></header>
<main>${main}</main>
<footer><p>A demonstration service of Grantkit.</p></footer>
</body>
</html>`
  return { status, headers: { ...pageHeaders(formAction, script), ...headers }, body: String(body) }
}

/** The same as a response of a handler. */
export async function pageResponse(site: Site, shown: Page): Promise<Response> {
  return toResponse(await page(site, shown))
}

function pageHeaders(
  formAction: readonly string[] | undefined,
  script: string | undefined,
): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  if (script !== undefined) policy.push("script-src 'self'", "connect-src 'self'")
  if (formAction !== undefined) policy.push(`form-action ${formAction.join(' ')}`)
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  }
}
