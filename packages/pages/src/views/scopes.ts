import type { ConsentScope } from '@grantkit/core'
import type { TermViews } from '@grantkit/core/feature'
import { isReading, type ScopeInWords } from '@grantkit/core/internal'
import { html, type SafeHtml } from '@remix-run/html-template'
import { counted, type Language, listed } from '../language.ts'
import { linkedToApps, type PageContext } from '../layout.ts'
import { authorizationDetails } from './details.ts'
import { organizationChoice } from './organization.ts'

/** More scopes than this are grouped by area, each told in a sentence: nobody reads forty lines, or tabs through them. */
const FEW = 8

interface Decision {
  readonly asks: string
  /** None: it is asked for one operation, and for no access. */
  readonly scopes: readonly ConsentScope[]
  /** Between the scopes and the buttons. */
  readonly more?: SafeHtml | '' | undefined
  /** Nothing leads to "Allow": who is here by mistake must not. */
  readonly cautious?: boolean | undefined
  /** What the user decides beside the scopes. */
  readonly terms?: TermViews | undefined
}

/** What an app asks for, with the buttons of its form. */
export function decision(context: PageContext, asked: Decision): SafeHtml {
  const { asks, scopes, more, terms } = asked
  const organization = organizationChoice(context, terms)
  const details = authorizationDetails(context, terms)
  // All of it is allowed or denied: reading only is no answer then.
  const isWhole = details !== ''
  const { language } = context
  const [only, second] = scopes
  const skip = scopes.length > FEW ? html` <a href="#decision">${language.scopes.toDecision}</a>` : ''
  const untick = html` <span class="quiet">${language.scopes.untick}</span>${skip}`
  const disconnect = scopes.length === 0 ? '' : linkedToApps(context, language.scopes.disconnect)
  const access =
    only === undefined
      ? ''
      : html`<h2>${asks}</h2>
<p>${scopeCount(language, scopes, isWhole)}${second === undefined ? '' : untick}</p>
${second === undefined ? onlyScope(language, only) : scopeChoices(language, scopes)}`
  return html`${organization}${details}
${access}${more}
${buttons(language, asked, { chooses: organization !== '', isWhole })}
${disconnect === '' ? '' : html`<p class="quiet">${disconnect}</p>`}`
}

/** Without a box: a user who does not want it denies the request. */
function onlyScope(language: Language, scope: ConsentScope): SafeHtml {
  return html`<p class="scope"><input type="hidden" name="scope" value="${scope.name}"><span>${inWords(language, scope)}</span></p>`
}

type IsTicked = (scope: ConsentScope) => boolean

/** A check box for each scope, by area. @param isTicked default: every scope is */
export function scopeChoices(
  language: Language,
  scopes: readonly ConsentScope[],
  isTicked: IsTicked = () => true,
): SafeHtml {
  return scopes.length > FEW ? areas(language, scopes, isTicked) : fieldsets(language, scopes, isTicked)
}

/** How much it is, before any of it. @param hasMore whether there is more than scopes, which may change things */
function scopeCount(
  language: Language,
  scopes: readonly (ScopeInWords & Pick<Partial<ConsentScope>, 'allowedBefore'>)[],
  hasMore = false,
): string {
  const texts = language.scopes
  const changing = scopes.filter(({ access }) => access === 'write').length
  const isReadingOnly = !hasMore && scopes.every(({ name, access }) => isReading(name, access))
  if (scopes.length === 1 && changing === 1) return texts.oneChanging
  if (scopes.length === 1 && isReadingOnly) return texts.oneReading
  // In a short list each scope in sight has its mark.
  const before = scopes.length > FEW ? scopes.filter(({ allowedBefore }) => allowedBefore).length : 0
  const sentences = [
    counted(language, texts.permissions, scopes.length),
    ...(changing === 0 ? [] : [counted(language, texts.changing, changing)]),
    ...(isReadingOnly ? [texts.readingOnly] : []),
    ...(before === 0 ? [] : [counted(language, texts.allowedBefore, before)]),
  ]
  return sentences.join(' ')
}

/** What an app or a token may do, folded: many share a page. How much it is stands before it. @param more what follows the list */
export function permissionList(
  language: Language,
  mayDo: string,
  scopes: readonly ScopeInWords[],
  more: SafeHtml | string = '',
): SafeHtml {
  const lines = scopes.map(
    ({ description, access }) =>
      html`<li>${description}${access === 'write' ? canChange(language) : ''}</li>`,
  )
  return html`<details><summary>${mayDo} <span class="small">${scopeCount(language, scopes)}</span></summary>
  <ul class="plain">${lines}</ul>${more}</details>`
}

/** What a form decides beside scopes: `chooses`, a choice that must be made, which nobody makes to deny; `isWhole`, all or nothing. */
interface DecidesMore {
  readonly chooses: boolean
  readonly isWhole: boolean
}

/** Deny comes first: a browser sends a form by its first button. Below the scopes and never over them: whoever answers has passed them all. */
function buttons(
  { decision: texts }: Language,
  { scopes, cautious = false }: Decision,
  { chooses, isWhole }: DecidesMore,
): SafeHtml {
  return html`<div class="decision" id="decision" tabindex="-1">
  <button name="decision" value="deny"${chooses ? html` formnovalidate` : ''}>${texts.deny}</button>
  ${!isWhole && canAllowReadingOnly(scopes) ? html`<button name="decision" value="allow_reading" aria-label="${texts.allowReadingOnly}">${texts.readingOnly}</button>` : ''}
  <button name="decision" value="allow" class="${cautious ? '' : 'primary'}">${texts.allow}</button>
</div>`
}

/** Whether it is another answer than the other two. */
function canAllowReadingOnly(scopes: readonly ConsentScope[]): boolean {
  return scopes.some(({ access }) => access === 'write') && scopes.some(({ access }) => access === 'read')
}

function byArea(language: Language, scopes: readonly ConsentScope[]): [area: string, ConsentScope[]][] {
  return [...Map.groupBy(scopes, ({ area }) => area ?? language.scopes.general)]
}

function fieldsets(language: Language, scopes: readonly ConsentScope[], isTicked: IsTicked): SafeHtml {
  const named = scopes.some(({ area }) => area !== undefined)
  return html`${byArea(language, scopes).map(
    ([area, ofArea]) =>
      html`<fieldset><legend class="${named ? '' : 'unseen'}">${area}</legend>${ofArea.map((scope) => checkbox(language, scope, isTicked(scope)))}</fieldset>`,
  )}`
}

/** Each area can be read without opening it. */
function areas(language: Language, scopes: readonly ConsentScope[], isTicked: IsTicked): SafeHtml {
  return html`<div class="areas">${byArea(language, scopes).map(([area, ofArea]) => {
    const says = listed(
      language,
      ofArea.map(({ description }) => description),
    )
    const change = ofArea.some(({ access }) => access === 'write') ? canChange(language) : ''
    const before = ofArea.every(({ allowedBefore }) => allowedBefore) ? mark(language.scopes.before) : ''
    return html`<details class="area"><summary><b>${area}</b><span class="marks">${before}${change}</span><span class="says">${says}</span></summary>
${ofArea.map((scope) => checkbox(language, scope, isTicked(scope)))}</details>`
  })}</div>`
}

function checkbox(language: Language, scope: ConsentScope, ticked: boolean): SafeHtml {
  const box = scope.required
    ? html`<input type="checkbox" checked disabled>`
    : html`<input type="checkbox" name="scope" value="${scope.name}"${ticked ? html` checked` : ''}>`
  return html`<label class="scope">${box}<span>${inWords(language, scope)}</span></label>`
}

function inWords(
  language: Language,
  { description, access, required, allowedBefore }: ConsentScope,
): SafeHtml {
  const { scopes: texts } = language
  const marks = [
    ...(required ? [mark(texts.needed)] : []),
    ...(allowedBefore ? [mark(texts.before)] : []),
    ...(access === 'write' ? [canChange(language)] : []),
  ]
  return html`${description}${marks.length === 0 ? '' : html`<span class="marks">${marks}</span>`}`
}

export function mark(text: string): SafeHtml {
  return html` <span class="mark">${text}</span>`
}

function canChange({ scopes }: Language): SafeHtml {
  return html` <span class="mark change">${scopes.canChange}</span>`
}
