import type { TermViews } from '@grantkit/core/feature'
import type { ScopeInWords } from '@grantkit/core/internal'
import { html, type SafeHtml } from '@remix-run/html-template'
import { counted } from '../language.ts'
import type { PageContext } from '../layout.ts'
import { organizationChoice } from './organization.ts'
import { scopeChoices } from './scopes.ts'

/** What a new personal access token may be. */
export interface NewTokenForm {
  readonly scopes: readonly ScopeInWords[]
  /** At least one. */
  readonly resources: readonly { readonly resource: string; readonly name?: string | undefined }[]
  /** What its user decides beside them: `terms` of `personalTokens`. */
  readonly terms?: TermViews | undefined
  /** How many days it may live. */
  readonly days: readonly number[]
  /** What is filled in: the defaults, or what the user sent before. */
  readonly chosen: ChosenToken
}

export interface ChosenToken {
  readonly label: string
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly days: number
}

interface Sent {
  readonly actions: { readonly create: string }
  readonly ticket: string
}

/** Its fields are `label`, `scope` and `resource` (once for each), `days` and `ticket`. */
export function newTokenForm(context: PageContext, form: NewTokenForm, { actions, ticket }: Sent): SafeHtml {
  const { language } = context
  const { personalTokens: texts } = language
  const { chosen } = form
  const scopes = form.scopes.map((scope) => ({ ...scope, required: false, allowedBefore: false }))
  return html`
<h2 class="part" id="new">${texts.make}</h2>
<form method="post" action="${actions.create}">
  <input type="hidden" name="ticket" value="${ticket}">
  <label class="field" for="label">${texts.name}</label>
  <input id="label" name="label" maxlength="60" required autocomplete="off" aria-describedby="label-hint" value="${chosen.label}">
  <p class="quiet small" id="label-hint">${texts.nameHint}</p>
  <fieldset><legend class="field">${texts.mayDo}</legend>
  ${scopeChoices(language, scopes, ({ name }) => chosen.scopes.includes(name))}</fieldset>
  ${resourceChoices(context, form)}${organizationChoice(context, form.terms)}
  <label class="field" for="days">${texts.expiresAfter}</label>
  <select id="days" name="days">${form.days.map((days) => html`<option value="${days}"${days === chosen.days ? html` selected` : ''}>${counted(language, texts.days, days)}</option>`)}</select>
  <button class="primary">${texts.submit}</button>
</form>`
}

/** A single resource is no choice. */
function resourceChoices(
  { language: { personalTokens: texts } }: PageContext,
  { resources, chosen }: NewTokenForm,
): SafeHtml {
  const [only] = resources
  const named = ({ resource, name }: NewTokenForm['resources'][number]) =>
    html`<span>${name === undefined ? '' : html`<bdi>${name}</bdi> `}<code class="small" dir="ltr">${resource}</code></span>`
  if (only !== undefined && resources.length === 1)
    return html`<dl class="who"><div><dt>${texts.worksAt}</dt><dd>${named(only)}</dd></div></dl>
  <input type="hidden" name="resource" value="${only.resource}">`
  return html`<fieldset><legend class="field">${texts.worksAt}</legend>${resources.map(
    (one) =>
      html`<label class="scope"><input type="checkbox" name="resource" value="${one.resource}"${chosen.resources.includes(one.resource) ? html` checked` : ''}>${named(one)}</label>`,
  )}</fieldset>`
}
