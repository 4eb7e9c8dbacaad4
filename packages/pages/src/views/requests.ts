import type { HttpResponse, PublicClient } from '@grantkit/core'
import type {
  BackchannelAnsweredView,
  BackchannelRequestsView,
  BackchannelRequestView,
} from '@grantkit/core/backchannel-authentication'
import { html, type SafeHtml } from '@remix-run/html-template'
import { ago, fill } from '../language.ts'
import { layout, linkedToApps, type PageContext } from '../layout.ts'
import { appName, namedApp, signedInAs } from './app.ts'
import { pointInTime } from './point-in-time.ts'
import { decision } from './scopes.ts'

/** What waits for the user, what ended without them, and the apps that they silenced. */
export async function requestsPage(
  context: PageContext,
  view: BackchannelRequestsView,
): Promise<HttpResponse> {
  const texts = context.language.requests
  const who = await signedInAs(context, view.session, view.request.path)
  const main = html`
<h1>${texts.title}</h1>
${who === '' ? '' : html`<dl class="who">${who}</dl>`}
<p class="quiet">${texts.intro}</p>
${view.requests.length === 0 ? html`<p>${texts.none}</p>` : view.requests.map((request) => waiting(context, request))}
${apps(context, view, view.unanswered, { title: texts.unanswered, button: texts.silence, never: 'yes' })}
${apps(context, view, view.blocked, { title: texts.silenced, button: texts.letAsk, never: '' })}`
  return layout(context, { title: texts.title, main, formAction: ["'self'"] })
}

function waiting(
  context: PageContext,
  { client, message, age, href }: BackchannelRequestsView['requests'][number],
): SafeHtml {
  const { requests: texts } = context.language
  return html`<article class="app">
  <h2>${appName(context, client)}</h2>
  ${message === undefined ? '' : html`<p>${says(context, message)}</p>`}
  <p class="quiet">${ago(context.language, age)}</p>
  <p><a class="primary" href="${href}">${texts.view}</a></p>
</article>`
}

/** In quotes, as words of the app: an app can write what sounds like this server. */
function says({ language: { requests } }: PageContext, message: string): SafeHtml {
  return html`<q>${fill(requests.quoted, { message: html`<bdi>${message}</bdi>` })}</q>`
}

/** With a button for each of them. */
function apps(
  context: PageContext,
  { action, ticket }: BackchannelRequestsView,
  clients: readonly PublicClient[],
  { title, button, never }: { readonly title: string; readonly button: string; readonly never: string },
): SafeHtml | '' {
  if (clients.length === 0) return ''
  const form = (client: PublicClient) => html`<li>${appName(context, client)}
  <form method="post" action="${action}">
    <input type="hidden" name="ticket" value="${ticket}"><input type="hidden" name="client_id" value="${client.clientId}">
    <input type="hidden" name="never" value="${never}">
    <button>${button}<span class="unseen"> ${appName(context, client)}</span></button>
  </form></li>`
  return html`<h2 class="part">${title}</h2>
<ul class="plain">${clients.map(form)}</ul>`
}

/** The user began nothing here: the warning comes first, and "Deny" is as large as "Allow". */
export async function requestPage(context: PageContext, view: BackchannelRequestView): Promise<HttpResponse> {
  const { requests: texts } = context.language
  const { client, session, message, network, age } = view
  const since = { ago: ago(context.language, age) }
  const from = network && { ...since, network: html`<bdi dir="ltr"><code>${network}</code></bdi>` }
  const returnTo = `${view.request.path}?${view.request.query}`
  const main = html`
<h1>${texts.askTitle}</h1>
<div class="asker"><p class="problem"><strong>${texts.warning}</strong> ${texts.warningReason}</p>
<section class="app" aria-label="${texts.theApp}">
  ${namedApp(context, { client })}
  <dl>
    ${message === undefined ? '' : html`<div><dt>${texts.says}</dt><dd>${says(context, message)}</dd></div>`}
    <div><dt>${texts.asked}</dt><dd>${from ? fill(texts.askedFrom, from) : since.ago}</dd></div>
    ${await signedInAs(context, session, returnTo)}
  </dl>
</section></div>
<form class="even" method="post" action="${view.action}">
  <input type="hidden" name="ticket" value="${view.ticket}">
  ${decision(context, { asks: texts.asks, scopes: view.scopes, cautious: true, more: never(context), terms: view.terms })}
</form>`
  return layout(context, { title: texts.askTitle, main, formAction: ["'self'"] })
}

function never({ language: { requests } }: PageContext): SafeHtml {
  return html`<label class="scope"><input type="checkbox" name="never" value="yes"><span>${requests.never}</span></label>`
}

export function requestAnsweredPage(
  context: PageContext,
  { client, allowed, operation, blockedUntil, href }: BackchannelAnsweredView,
): HttpResponse {
  const { language } = context
  const { requests: texts } = language
  const app = appName(context, client)
  const outcomes = operation ? texts.once : texts
  const title = allowed ? outcomes.allowedTitle : outcomes.deniedTitle
  const mistake = allowed && !operation ? linkedToApps(context, texts.mistake) : ''
  const until = blockedUntil && { app, time: pointInTime(language, blockedUntil) }
  const main = html`<h1>${title}</h1><p>${fill(allowed ? outcomes.allowed : outcomes.denied, { app })}</p>
${mistake === '' ? '' : html`<p>${mistake}</p>`}${until ? html`<p>${fill(texts.blocked, until)}</p>` : ''}
<p class="pages"><a href="${href}">${texts.title}</a></p>`
  return layout(context, { title, main })
}
