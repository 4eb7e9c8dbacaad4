import { formatReference, type StepEvent } from '@grantkit/explain'
import { html } from '@grantkit/pages'
import { STEP_WORDS, TRIED_WORDS } from '../attempts/words.ts'
import type { Markup, Site } from '../http/page.ts'
import { reasonWords } from './words.ts'

/** Shared by the pages about sign-in attempts. */

/** A text of a verdict, with the names of parameters and settings as code. */
export function verdictText(text: string): Markup {
  return html`${text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`
}

export function attemptLink({ basePath }: Site, reference: string): Markup {
  const shown = formatReference(reference)
  return html`<a href="${basePath}/admin/why/${shown}"><code class="short">${shown}</code></a>`
}

/** What happened, and why it was refused. */
export function stepWords({ step, outcome, reason }: StepEvent): Markup {
  if (outcome === 'ok') return html`<span title="${step}">${STEP_WORDS[step]}</span>`
  const why = reason === undefined ? outcome : reasonWords(reason)
  return html`<span class="state bad" title="${step}">${TRIED_WORDS[step] ?? STEP_WORDS[step]}</span><div class="hint" title="${reason ?? ''}">${why}</div>`
}
