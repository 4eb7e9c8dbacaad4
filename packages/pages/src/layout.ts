import type { AuthorizationServer, HttpResponse, Session } from '@grantkit/core'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FooterLink, Theme } from './brand/brand.ts'
import { fill, type Language } from './language.ts'

/** Who is signed in, as a page shows it. */
export interface PageUser {
  readonly name: string
  readonly email?: string | undefined
}

/** Pages of yours that these pages link to. A page without the link lacks its line. */
export interface PageLinks {
  /** The user's list of apps, for example `/connected-apps`. */
  readonly connectedApps?: string | undefined
  /** Signs out, and comes back. @param returnTo a path with query on this origin */
  readonly signOut?: ((returnTo: string) => string) | undefined
  /** The start page. */
  readonly home?: string | undefined
  /**
   * Origins to which your sign-in redirects, if it is not on this one: `['https://app.example']`. Browsers apply
   * `form-action` to redirects too, and a form that is sent after the end of the session leads to the sign-in.
   */
  readonly signInAt?: readonly string[] | undefined
}

/** What is the same for all pages. */
export interface Site {
  readonly theme: Theme
  readonly links: PageLinks
  readonly user?: ((session: Session) => Promise<PageUser | undefined> | PageUser | undefined) | undefined
  readonly metadata?: (() => AuthorizationServer['metadata']) | undefined
}

/** A site in the language of one reader. */
export interface PageContext {
  readonly site: Site
  readonly language: Language
}

export interface PageContent {
  /** The title of the window. The name of the brand follows it. */
  readonly title: string
  /** What is inside `<main>`; begin with an `<h1>`. */
  readonly main: SafeHtml
  /** Default 200. */
  readonly status?: number | undefined
  readonly headers?: HttpResponse['headers'] | undefined
  /**
   * Sources for `form-action` of the Content-Security-Policy; `any` for a form whose answer redirects to an address that is
   * not known yet, as a sign-in does. Default: the page sends no form.
   */
  readonly formAction?: readonly string[] | 'any' | undefined
  /** The address of a module script on this origin. It may fetch from this origin. Default: no script runs. */
  readonly script?: string | undefined
  /** The text of a script that runs below `main`, and its source for the policy. Default: none. */
  readonly inlineScript?: { readonly text: string; readonly source: string } | undefined
  /** Beside the name of the brand, for example links to your other pages. Default: nothing. */
  readonly header?: SafeHtml | undefined
  /** Whether the page has the width of the window, as tables need. Default: a column that is good to read. */
  readonly wide?: boolean | undefined
}

/** A page in the layout of the brand: no inline script, no foreign resource, framed by nobody, cached nowhere. */
export function layout({ site, language }: PageContext, content: PageContent): HttpResponse {
  const { title, main, status = 200, headers = {}, script, inlineScript, header = '', wide = false } = content
  const { theme, links } = site
  const body = html`<!doctype html>
<html lang="${language.tag}" dir="${language.dir ?? 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${theme.name}</title>${
    theme.logo === undefined
      ? ''
      : html`
<link rel="icon" href="${theme.logo}">`
  }
${html.raw`<style>${theme.style}</style>`}${
  script === undefined
    ? ''
    : html`
<script type="module" src="${script}"></script>`
}
</head>
<body${wide ? html` class="wide"` : ''}>
<header class="brand">${brand(theme, links.home)}${header}</header>
<main>${main}</main>
${theme.footer.length === 0 ? '' : html`<footer><ul>${theme.footer.map(footerLink)}</ul></footer>`}${inlineScript === undefined ? '' : html.raw`\n<script>${inlineScript.text}</script>`}
</body>
</html>`
  return { status, headers: { ...pageHeaders(site, content), ...headers }, body: String(body) }
}

function brand({ name, logo }: Theme, home: string | undefined): SafeHtml {
  const inside = html`${logo === undefined ? '' : html`<img src="${logo}" alt="">`}<bdi>${name}</bdi>`
  return home === undefined ? html`<span>${inside}</span>` : html`<a href="${home}">${inside}</a>`
}

function footerLink({ text, href }: FooterLink): SafeHtml {
  return html`<li><a href="${href}">${text}</a></li>`
}

function pageHeaders(
  { theme: { styleHash, logo }, links: { signInAt = [] } }: Site,
  { formAction, script, inlineScript }: PageContent,
): Record<string, string> {
  // Only a form of this site can lead to the sign-in.
  const mayLead = formAction?.includes("'self'") ? signInAt : []
  const targets = formAction === undefined ? ["'none'"] : [...formAction, ...mayLead]
  const policy = [
    "default-src 'none'",
    `style-src '${styleHash}'`,
    ...(logo === undefined ? [] : ['img-src data:']),
    ...(inlineScript === undefined ? [] : [`script-src ${inlineScript.source}`]),
    ...(script === undefined ? [] : ["script-src 'self'", "connect-src 'self'"]),
    ...(formAction === 'any' ? [] : [`form-action ${targets.join(' ')}`]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  }
}

/** A text that names the list of connected apps; nothing, if there is no such page. */
export function linkedToApps({ site, language }: PageContext, text: string): SafeHtml | '' {
  const { connectedApps } = site.links
  if (connectedApps === undefined) return ''
  return fill(text, { connectedApps: html`<a href="${connectedApps}">${language.connectedApps.title}</a>` })
}
