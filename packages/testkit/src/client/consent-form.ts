import type { HttpResponse } from '@grantkit/core'
import { type HTMLElement, parse } from 'node-html-parser'

/** The form of a consent page, without the decision. */
export interface ConsentForm {
  readonly action: string
  /** The ticket, the scopes, and any other fields of the page. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/**
 * Reads the form of a consent page, with every scope ticked and its other checkboxes as it shows them.
 *
 * @throws Error when the page has no form with a ticket
 *
 * @example
 * ```ts
 * import type { HttpResponse } from '@grantkit/core'
 * import { formOfPage } from '@grantkit/testkit/client'
 *
 * export const answersOf = (page: HttpResponse) => formOfPage(page).fields
 * ```
 */
export function formOfPage(page: HttpResponse): ConsentForm {
  const form = formWith('ticket', page)
  if (form !== undefined) return form
  throw new Error(`There is no form with a ticket on this page ${shown(page)}`)
}

/** A short form of a page, for error messages. */
export function shown({ status, body }: HttpResponse): string {
  return `(status ${status}): ${body.slice(0, 500)}`
}

/** The form that has a field of this name. */
export function formWith(name: string, { body }: HttpResponse): ConsentForm | undefined {
  const forms = parse(body).querySelectorAll('form')
  const form = forms.find((each) => each.querySelector(`[name=${name}]`) !== null)
  const fields = form
    ?.querySelectorAll('input[name]')
    .filter(isSent)
    .map((input): [string, string] => [input.getAttribute('name') ?? '', input.getAttribute('value') ?? 'on'])
  return fields && { action: form?.getAttribute('action') ?? '', fields }
}

function isSent(input: HTMLElement): boolean {
  const [name, type] = [input.getAttribute('name'), input.getAttribute('type')]
  if (input.hasAttribute('disabled') || type === 'submit') return false
  return type !== 'checkbox' || name === 'scope' || input.hasAttribute('checked')
}
