import type { ConsentView, PublicClient, Session } from '@grantkit/core'
import { isLoopbackUrl } from '@grantkit/core/feature'
import { html, type SafeHtml } from '@remix-run/html-template'
import { fill } from '../language.ts'
import type { PageContext } from '../layout.ts'

/** The name that a client has, kept apart from the text around it. */
export function appName({ language }: PageContext, client: PublicClient | undefined): SafeHtml {
  return html`<bdi>${client?.clientName ?? language.common.unnamedApp}</bdi>`
}

type NamedApp = Pick<ConsentView, 'client' | 'identity'>

/** The name of the app, and how far to trust it. What is verified comes before what the app calls itself. */
export function namedApp(context: PageContext, { client, identity }: NamedApp): SafeHtml {
  const known = identity?.known
  const ownName = known === undefined || client.origin === 'integration'
  return html`<p class="app-name">${ownName ? appName(context, client) : html`<bdi>${known.name}</bdi>`}</p>
  <p class="quiet">${known === undefined ? '' : verifiedHost(context, known.host)}${originHint(context, { client, identity })}</p>`
}

function verifiedHost({ language: { origin } }: PageContext, host: string): SafeHtml {
  return html`${fill(origin.known, { host: html`<strong><bdi dir="ltr">${host}</bdi></strong>` })} `
}

/** Who says that name. */
function originHint(context: PageContext, { client, identity }: NamedApp): SafeHtml | '' {
  const { origin } = context.language
  if (client.origin === 'integration') return setUpByOperator(context)
  if (identity === undefined) return html`${origin.unverified}`
  const { known, loopback } = identity
  if (known === undefined) return html`${loopback ? origin.loopback : origin.document}`
  const { clientName = known.name } = client
  return clientName === known.name ? '' : calledByItself(context, clientName)
}

export function setUpByOperator({ site, language }: PageContext): SafeHtml {
  return fill(language.origin.operator, { brand: html`<bdi>${site.theme.name}</bdi>` })
}

export function calledByItself({ language }: PageContext, name: string): SafeHtml {
  return fill(language.connectedApps.callsItself, { app: html`<bdi>${name}</bdi>` })
}

/**
 * The whole address of the document that describes an app, its host emphasised
 * (draft-ietf-oauth-client-id-metadata-document 8.5). At a shared host the host alone identifies no app.
 */
export function documentAddress({ language }: PageContext, clientId: string): SafeHtml {
  const { protocol, host, pathname } = new URL(clientId)
  return html`<div><dt>${language.consent.describedBy}</dt><dd><code dir="ltr">${protocol}//<strong class="host">${host}</strong>${pathname}</code></dd></div>`
}

/** Absent where the line above has verified that host. */
export function unverifiedTarget(
  context: PageContext,
  { identity, redirectUri }: ConsentView,
): SafeHtml | '' {
  return identity?.known?.host === hostOf(redirectUri) ? '' : redirectTarget(context, redirectUri)
}

/** Where the browser goes: the host is more reliable than the name that the app chose, and as large. */
export function redirectTarget(context: PageContext, uri: string): SafeHtml {
  return html`<div><dt>${context.language.consent.sendsYouTo}</dt><dd>${redirectHost(context, uri)}</dd></div>`
}

/** Folded: what few people need. @param more rows of the list */
export function appDetails(
  { language: { consent } }: PageContext,
  uri: string,
  more: SafeHtml | '' = '',
): SafeHtml {
  return html`<details><summary>${consent.details}</summary>
    <dl><div><dt>${consent.wholeAddress}</dt><dd><code dir="ltr">${uri}</code></dd></div>${more}</dl>
  </details>`
}

export function redirectHost({ language: { consent } }: PageContext, uri: string): SafeHtml {
  const host = html`<bdi class="host" dir="ltr">${hostOf(uri)}</bdi>`
  return isLoopbackUrl(uri) ? fill(consent.onThisDevice, { host }) : host
}

/** A private-use address has its scheme: the rest alone reads like a host. */
function hostOf(uri: string): string {
  const [origin = uri, web] = /^(?:https?:\/\/([^/?]+)|[a-z][a-z0-9+.-]*:\/\/[^/?]+)/i.exec(uri) ?? []
  return web ?? origin
}

/** Who answers, and the way out for whoever is somebody else. @param returnTo a path with query on this origin */
export async function signedInAs(
  { site: { user, links }, language: { common } }: PageContext,
  session: Session,
  returnTo: string,
): Promise<SafeHtml | ''> {
  const found = await user?.(session)
  const notYou = links.signOut && html`<a href="${links.signOut(returnTo)}">${common.notYou}</a>`
  if (found === undefined && notYou === undefined) return ''
  const who =
    found &&
    html`<bdi>${found.name}</bdi>${found.email === undefined ? '' : html` <bdi class="small">${found.email}</bdi>`} `
  return html`<div><dt>${common.signedInAs}</dt><dd>${who}${notYou}</dd></div>`
}
