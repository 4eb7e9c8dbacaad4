import type { HttpResponse } from '@grantkit/core'
import { parse } from 'node-html-parser'

/** What the user sends back from a consent page, but for the decision. */
export interface ConsentForm {
  readonly action: string
  /** The ticket, the scopes, and whatever else the page holds. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** The form of a consent page, every scope ticked. @throws Error when the page has none with a ticket */
export function formOfPage({ status, body }: HttpResponse): ConsentForm {
  const page = parse(body)
  const form = page.querySelectorAll('form').find((each) => each.querySelector('[name=ticket]') !== null)
  if (form === undefined)
    throw new Error(`There is no form with a ticket on this page (status ${status}): ${body.slice(0, 500)}`)
  const fields = form
    .querySelectorAll('input[name]')
    .filter((input) => !input.hasAttribute('disabled') && input.getAttribute('type') !== 'submit')
    .map((input): [string, string] => [input.getAttribute('name') ?? '', input.getAttribute('value') ?? 'on'])
  return { action: form.getAttribute('action') ?? '', fields }
}
