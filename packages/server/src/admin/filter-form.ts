import { html } from '@grantkit/pages'
import type { Markup } from '../http/page.ts'
import { RANGES } from '../operator/time-range.ts'

/** A form that filters a list by its address. @param fields in their order */
export function filterForm(path: string, fields: Markup[], button = 'Show'): Markup {
  return html`
<form method="get" action="${path}" class="filter">
  ${fields}
  <button class="primary">${button}</button>
</form>`
}

interface Choice {
  readonly value: string
  readonly text: string
}

interface Field {
  readonly name: string
  readonly label: string
  readonly value: string | undefined
}

export function textField({ name, label, value }: Field): Markup {
  return html`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value ?? ''}"></div>`
}

/** @param all the text of the choice of everything */
export function choiceField({ name, label, value }: Field, all: string, choices: readonly Choice[]): Markup {
  const option = (choice: Choice) =>
    html`<option value="${choice.value}"${choice.value === value ? html` selected` : ''}>${choice.text}</option>`
  return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">${[{ value: '', text: all }, ...choices].map(option)}</select></div>`
}

export function rangeField(value: string | undefined): Markup {
  const choices = Object.entries(RANGES).map(([name, { text }]) => ({ value: name, text }))
  return choiceField({ name: 'range', label: 'Time', value }, 'All', choices)
}
