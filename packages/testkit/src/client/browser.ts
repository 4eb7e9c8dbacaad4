import type { HttpResponse } from '@grantkit/core'
import { type ConsentForm, formOfPage, formWith, shown } from './consent-form.ts'
import { type Fields, FORM, formEncoded } from './fields.ts'
import { overFetch, type Send } from './send.ts'

/** What the user answers when they are asked. */
export interface UserAnswer {
  /** Default: `allow`. */
  readonly decision?: 'allow' | 'deny'
  /** Scopes that the user unticks. */
  readonly without?: readonly string[]
}

/**
 * Takes the user from an authorization request to the address that the client is called back at.
 *
 * @throws Error when the user does not get there
 */
export type Browser = (authorizationUrl: string, answer?: UserAnswer) => Promise<URL>

export interface FormBrowserOptions {
  /** Where your pages are: an address elsewhere is the client's. */
  readonly origin: string
  /** What the user types into the form of your sign-in page, by the names of its fields. */
  readonly typed: Readonly<Record<string, string>>
  /** Default: `fetch`. */
  readonly send?: Send
}

/** A browser without a screen: keeps cookies, follows redirects, signs in by your form and answers your consent page. */
export function formBrowser({ origin, typed, send = overFetch() }: FormBrowserOptions): Browser {
  const cookies = new Map<string, string>()
  const [aField = ''] = Object.keys(typed)

  async function request(url: string, form?: Fields): Promise<HttpResponse> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await send(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { cookie, ...(form && FORM) },
      body: form === undefined ? '' : formEncoded(form),
    })
    for (const line of [response.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return response
  }

  async function follow(response: HttpResponse, answer: UserAnswer, hasTyped = false): Promise<URL> {
    const { location } = response.headers
    if (location !== undefined) {
      const next = new URL(String(location), origin)
      return next.href.startsWith(`${origin}/`) ? follow(await request(next.href), answer, hasTyped) : next
    }
    const signIn = formWith(aField, response)
    // A form that comes again would come for ever.
    if (signIn !== undefined && hasTyped) throw new Error(`The sign-in page comes again ${shown(response)}`)
    const form = signIn === undefined ? answered(formOfPage(response), answer) : filledIn(signIn, typed)
    const next = await request(new URL(form.action, origin).href, form.fields)
    return follow(next, answer, hasTyped || signIn !== undefined)
  }

  return async (url, answer = {}) => follow(await request(url), answer)
}

function filledIn({ action, fields }: ConsentForm, typed: Readonly<Record<string, string>>): ConsentForm {
  const hidden = fields.filter(([name]) => !(name in typed))
  return { action, fields: [...hidden, ...Object.entries(typed)] }
}

function answered(
  { action, fields }: ConsentForm,
  { decision = 'allow', without = [] }: UserAnswer,
): ConsentForm {
  const ticked = fields.filter(([name, value]) => name !== 'scope' || !without.includes(value))
  return { action, fields: [...ticked, ['decision', decision]] }
}
