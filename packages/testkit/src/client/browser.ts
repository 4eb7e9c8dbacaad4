import type { HttpResponse } from '@grantkit/core'
import { type ConsentForm, formOfPage, formWith, shown } from './consent-form.ts'
import { destinationOf } from './destination.ts'
import { type Fields, FORM, formEncoded } from './fields.ts'
import { overFetch, type Send } from './send.ts'

/** The user's answer on the consent page. */
export interface UserAnswer {
  /** Default: `allow`. */
  readonly decision?: 'allow' | 'deny' | undefined
  /** Scopes that the user unticks. */
  readonly without?: readonly string[] | undefined
}

/**
 * Takes the user from an authorization request to the redirect URI of the client.
 *
 * @throws Error when the user does not get there
 */
export type Browser = (authorizationUrl: string, answer?: UserAnswer) => Promise<URL>

interface FormBrowserOptions {
  /** The origin of your pages: any other address belongs to the client. */
  readonly origin: string
  /** The values the user types into your sign-in form, by field name. */
  readonly typed: Readonly<Record<string, string>>
  /** Default: `fetch`. */
  readonly send?: Send | undefined
}

/**
 * A headless browser: keeps cookies, follows redirects, signs in by your form and answers your consent page.
 *
 * @example
 * ```ts with:server
 * import { formBrowser, testClient } from '@grantkit/testkit/client'
 *
 * const browser = formBrowser({ origin: issuer, typed: { email: 'ada@example.com', password: 'secret' } })
 * const client = await testClient(issuer, { browser })
 * ```
 */
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

  async function visit(url: string, answer: UserAnswer, hasTyped = false, form?: Fields): Promise<URL> {
    const response = await request(url, form)
    const destination = destinationOf(response)
    if (destination !== undefined) {
      const next = new URL(destination, origin)
      return next.href.startsWith(`${origin}/`) ? visit(next.href, answer, hasTyped) : next
    }
    const signIn = formWith(aField, response)
    // A form that comes back once would come back for ever.
    if (signIn !== undefined && hasTyped) throw new Error(`The sign-in page comes again ${shown(response)}`)
    const { action, fields } =
      signIn === undefined ? answered(formOfPage(response), answer) : filledIn(signIn, typed)
    // Without an action a form goes to the address of its page (HTML 4.10.22.3).
    return visit(new URL(action, url).href, answer, hasTyped || signIn !== undefined, fields)
  }

  return (url, answer = {}) => visit(url, answer)
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
