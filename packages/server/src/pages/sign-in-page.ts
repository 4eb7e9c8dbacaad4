import { randomUUID } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import { isCrossSite } from '@grantkit/core/feature'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import * as z from 'zod'
import { cookieOf } from '../http/cookies.ts'
import { forOperator, pageResponse } from '../http/page.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import { demandFields } from './demand.ts'
import { type RequestingApp, sentBy } from './sending-app.ts'
import { type FormOptions, type ShownForms, signInForms } from './sign-in-forms.ts'

/**
 * The sign-in page. Its forms have a token that matches a cookie, so that no other site can sign a user in (login
 * CSRF).
 */
export interface SignInPage {
  show(shown: Shown): Promise<Response>
  /** The hidden field of another form of these pages, and the Set-Cookie that it needs. */
  issueForm(): { readonly token: string; readonly cookie: string }
  /** Whether this browser was shown the form recently. @param token the hidden field of the form */
  isOwnForm(c: Context, token: string | undefined): boolean
  /** Deletes the cookie of the form after the sign-in. */
  readonly usedCookie: string
}

interface Shown extends ShownForms {
  readonly status?: number
  readonly problem?: string
  /** Of the attempt that the problem stopped, for the operator. */
  readonly reference?: string | undefined
  readonly headers?: Record<string, string>
  /** `login`: the page of this service to which the user returns requires a new sign-in, also at a provider. */
  readonly prompt?: string | undefined
}

export interface SignInPageOptions extends FormOptions {
  readonly baseUrl: string
  readonly secret: ServerSecret
  readonly requestingApp: RequestingApp
}

export const FORM_EXPIRED = 'This form has expired. Please sign in again.'
export const TOO_MANY = 'Too many attempts. Please wait a little.'
const FORM_LIFETIME_SECONDS = 30 * 60
const PROMPT = html`
  <input type="hidden" name="prompt" value="login">`
const Form = z.object({ jti: z.string() })

export function signInPage(options: SignInPageOptions): SignInPage {
  const { site, baseUrl, secret, ways, requestingApp } = options
  const cookie = cookieOf('sign-in', baseUrl)
  const key = hmacKeys(secret, 'sign-in form')
  const issueForm = () => {
    const id = randomUUID()
    return {
      token: signValue(key, { jti: id }, FORM_LIFETIME_SECONDS),
      cookie: cookie.set(id, FORM_LIFETIME_SECONDS),
    }
  }
  return {
    issueForm,
    async show({ returnTo, status = 200, problem, reference, headers = {}, demand, prompt, ...shown }) {
      const form = issueForm()
      const hidden = html`<input type="hidden" name="token" value="${form.token}">
  <input type="hidden" name="return_to" value="${returnTo}">${demand === undefined ? '' : demandFields(demand)}${prompt === 'login' ? PROMPT : ''}`
      const main = html`
<h1>Sign in</h1>${sentBy(await requestingApp(returnTo))}
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}${forOperator(reference)}
${signInForms(options, hidden, { ...shown, returnTo, demand })}`
      const script = ways.ceremonies && 'passkeys.js'
      // No form-action: browsers apply it to the redirect after the form, whose target may be any client.
      return pageResponse(site, {
        title: 'Sign in',
        main,
        status,
        script,
        formAction: 'any',
        headers: { 'set-cookie': form.cookie, ...headers },
      })
    },
    isOwnForm(c, token) {
      const id = cookie.read(c.req.header('cookie'))
      return (
        !isCrossSite(baseUrl, c.req.header()) &&
        id !== undefined &&
        verifyValue(key, token, Form, FORM_LIFETIME_SECONDS)?.jti === id
      )
    },
    usedCookie: cookie.set('', 0),
  }
}
