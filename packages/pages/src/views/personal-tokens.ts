import type { ErrorView, HttpResponse, PageView, Session } from '@grantkit/core'
import type { ScopeInWords } from '@grantkit/core/internal'
import { html, type SafeHtml } from '@remix-run/html-template'
import { fill } from '../language.ts'
import { layout, type PageContext } from '../layout.ts'
import { adviceOn } from './advice.ts'
import { signedInAs } from './app.ts'
import { type NewTokenForm, newTokenForm } from './personal-token-form.ts'
import { pointInTime } from './point-in-time.ts'
import { mark, permissionList } from './scopes.ts'

/** The personal access tokens of a user. Times are in epoch seconds. */
export interface PersonalTokensView extends PageView {
  readonly session: Session
  /** The newest first. */
  readonly tokens: readonly ShownPersonalToken[]
  /** The token that was just created: its text is on this page and on no other. */
  readonly made?: { readonly label: string; readonly text: string } | undefined
  /** The label of the token that was just revoked. */
  readonly ended?: string | undefined
  /** Why nothing was changed. */
  readonly problem?: 'expired' | 'notFresh' | 'incomplete' | 'full' | undefined
  /** What a new token may be; absent if the user has to sign in again first, or is refused. */
  readonly form?: NewTokenForm | undefined
  /** The error of the terms that a new token needs. */
  readonly refused?: Pick<ErrorView, 'reason' | 'status'> | undefined
  readonly actions: { readonly create: string; readonly end: string }
  readonly ticket: string
  /** Where the user signs in again. */
  readonly signIn?: string | undefined
  readonly account?: string | undefined
  readonly returnTo: string
  /** The address of a module script that shows the buttons with `data-copy`. Default: the user copies by hand. */
  readonly script?: string | undefined
  readonly status?: number | undefined
}

export interface ShownPersonalToken {
  readonly id: string
  readonly label: string
  readonly scopes: readonly ScopeInWords[]
  readonly resources: readonly string[]
  readonly createdAt: number
  /** Absent: never. */
  readonly expiresAt?: number | undefined
  /** It ends within days. */
  readonly expiresSoon: boolean
  readonly lastUsedAt?: number | undefined
  readonly lastNetwork?: string | undefined
}

/** The tokens of a user, a form for a new one, and the text of the one that was just created. */
export async function personalTokensPage(
  context: PageContext,
  view: PersonalTokensView,
): Promise<HttpResponse> {
  const texts = context.language.personalTokens
  const who = await signedInAs(context, view.session, view.returnTo)
  const main = html`
<h1>${texts.title}</h1>${notice(context, view)}
${who === '' ? '' : html`<dl class="who">${who}</dl>`}
${newToken(context, view)}
<p class="quiet">${texts.intro}</p>
${view.tokens.length === 0 ? html`<p>${texts.none}</p>` : view.tokens.map((token) => card(context, view, token))}
${view.form === undefined ? noForm(context, view) : newTokenForm(context, view.form, view)}
${view.account === undefined ? '' : html`<p class="pages"><a href="${view.account}">${texts.back}</a></p>`}`
  const { status, script } = view
  return layout(context, { title: texts.title, main, status, script, formAction: ["'self'"] })
}

/** What the last form did, or why it did nothing. */
function notice(
  { language: { personalTokens: texts } }: PageContext,
  { problem, ended }: PersonalTokensView,
): SafeHtml | '' {
  if (problem !== undefined) return html`<p class="problem" role="alert">${texts[problem]}</p>`
  if (ended === undefined) return ''
  return html`<p class="notice" role="status">${fill(texts.ended, { label: html`<bdi>${ended}</bdi>` })}</p>`
}

function newToken(
  { language: { personalTokens: texts } }: PageContext,
  { made }: PersonalTokensView,
): SafeHtml | '' {
  if (made === undefined) return ''
  const label = html`<bdi>${made.label}</bdi>`
  return html`
<section class="app" aria-labelledby="new-token" role="status">
  <h2 class="app-name" id="new-token">${fill(texts.made, { label })}</h2>
  <p><strong>${texts.copyNow}</strong> ${texts.secret}</p>
  <label class="field" for="personal-token">${texts.token}</label>
  <textarea id="personal-token" dir="ltr" rows="3" readonly autofocus spellcheck="false">${made.text}</textarea>
  <button type="button" class="copy" data-copy="personal-token" data-copied="${texts.copied}" hidden>${texts.copy}</button>
</section>`
}

function card(context: PageContext, view: PersonalTokensView, token: ShownPersonalToken): SafeHtml {
  const { language } = context
  const { personalTokens: texts } = language
  return html`
<article class="app">
  <h2 class="app-name"><bdi>${token.label}</bdi>${token.expiresSoon ? mark(texts.expiresSoon) : ''}</h2>
  <dl class="times"><div><dt>${texts.lastUsed}</dt><dd>${lastUse(context, token)}</dd></div>
  <div><dt>${texts.expires}</dt><dd>${token.expiresAt === undefined ? texts.never : pointInTime(language, token.expiresAt)}</dd></div>
  <div><dt>${texts.created}</dt><dd>${pointInTime(language, token.createdAt)}</dd></div></dl>
  ${reach(context, token)}
  <div class="changes">
    <form method="post" action="${view.actions.end}">
      <input type="hidden" name="ticket" value="${view.ticket}">
      <input type="hidden" name="id" value="${token.id}">
      <button class="danger" aria-label="${fill(texts.endToken, { label: token.label })}">${texts.end}</button>
    </form>
  </div>
</article>`
}

/** What a token may do, and where. */
function reach({ language }: PageContext, { scopes, resources }: ShownPersonalToken): SafeHtml {
  const { personalTokens: texts } = language
  const places = resources.map((resource) => html`<dd><code dir="ltr">${resource}</code></dd>`)
  return permissionList(
    language,
    texts.mayDo,
    scopes,
    html`
  <dl><div><dt>${texts.worksAt}</dt>${places}</div></dl>`,
  )
}

function lastUse(
  { language }: PageContext,
  { lastUsedAt, lastNetwork }: ShownPersonalToken,
): SafeHtml | string {
  const { personalTokens: texts } = language
  if (lastUsedAt === undefined) return texts.notYet
  const time = pointInTime(language, lastUsedAt)
  if (lastNetwork === undefined) return time
  return fill(texts.usedFrom, { time, network: html`<bdi dir="ltr"><code>${lastNetwork}</code></bdi>` })
}

function noForm({ language }: PageContext, { refused, signIn }: PersonalTokensView): SafeHtml {
  const { personalTokens: texts } = language
  if (refused !== undefined)
    return html`<h2 class="part" id="new">${texts.make}</h2>
<p class="problem" role="alert">${adviceOn(language, refused)}</p>`
  const link = signIn === undefined ? '' : html` <a href="${signIn}">${texts.signInAgain}</a>`
  return html`<p>${texts.notFresh}${link}</p>`
}
