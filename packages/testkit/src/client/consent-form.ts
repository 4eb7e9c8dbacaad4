import type { HttpResponse } from '@grantkit/core'
import { parse } from 'node-html-parser'

/** What the user sends back from a consent page, but for the decision. */
export interface ConsentForm {
  readonly action: string
  /** The ticket, the scopes, and whatever else the page holds. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** The form of a consent page, every scope ticked. @throws Error when the page has none with a ticket */
export function formOfPage(page: HttpResponse): ConsentForm {
  const form = formWith('ticket', page)
  if (form !== undefined) return form
  throw new Error(`There is no form with a ticket on this page ${shown(page)}`)
}

/** As much of a page as an error can say. */
export function shown({ status, body }: HttpResponse): string {
  return `(status ${status}): ${body.slice(0, 500)}`
}

/** The form of a page that has a field of the name. */
export function formWith(name: string, { body }: HttpResponse): ConsentForm | undefined {
  const forms = parse(body).querySelectorAll('form')
  const form = forms.find((each) => each.querySelector(`[name=${name}]`) !== null)
  const fields = form
    ?.querySelectorAll('input[name]')
    .filter((input) => !input.hasAttribute('disabled') && input.getAttribute('type') !== 'submit')
    .map((input): [string, string] => [input.getAttribute('name') ?? '', input.getAttribute('value') ?? 'on'])
  return fields && { action: form?.getAttribute('action') ?? '', fields }
}
