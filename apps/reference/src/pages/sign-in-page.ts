import { randomUUID } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import { isCrossSite } from '@grantkit/core/feature'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import { z } from 'zod'
import { cookieOf } from '../http/cookies.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import type { WaysToSignIn } from '../sign-in/ways-to-sign-in.ts'
import { type Markup, pageResponse, type Site } from './page.ts'
import type { SendingApp } from './sending-app.ts'

/**
 * The sign-in page. Its forms have a token that matches a cookie, so that no other site can sign a user in (login
 * CSRF).
 */
export interface SignInPage {
  show(shown: Shown): Promise<Response>
  /** Whether this browser was shown the form recently. @param token the hidden field of the form */
  isOwnForm(c: Context, token: string | undefined): boolean
  /** Deletes the cookie of the form after the sign-in. */
  readonly usedCookie: string
}

interface Shown {
  /** A path of this service. */
  readonly returnTo: string
  readonly email?: string
  readonly status?: number
  readonly problem?: string
  readonly headers?: Record<string, string>
  /** False after a passkey was rejected, because the browser might send it again. Default: true. */
  readonly passkeysInField?: boolean
}

export interface SignInPageOptions {
  readonly site: Site
  readonly baseUrl: string
  readonly secret: ServerSecret
  readonly ways: WaysToSignIn
  readonly sentBy: SendingApp
}

export const FORM_EXPIRED = 'This form has expired. Please sign in again.'
export const TOO_MANY = 'Too many attempts. Please wait a little.'
const FORM_LIFETIME_SECONDS = 30 * 60
const Form = z.object({ jti: z.string() })

export function signInPage({ site, baseUrl, secret, ways, sentBy }: SignInPageOptions): SignInPage {
  const cookie = cookieOf('sign-in', baseUrl)
  const key = hmacKeys(secret, 'sign-in form')
  return {
    async show({ returnTo, email = '', status = 200, problem, headers = {}, passkeysInField = true }) {
      const id = randomUUID()
      const hidden = html`<input type="hidden" name="token" value="${signValue(key, { jti: id }, FORM_LIFETIME_SECONDS)}">
  <input type="hidden" name="return_to" value="${returnTo}">`
      const main = html`
<h1>Sign in</h1>${await sentBy(returnTo)}
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
${passwordForm(site, ways, hidden, email)}${otherWays(site, ways, hidden, passkeysInField)}`
      const script = ways.ceremonies && 'passkeys.js'
      const setCookie = { 'set-cookie': cookie.set(id, FORM_LIFETIME_SECONDS) }
      // No form-action: browsers apply it to the redirect after the form, whose target may be any client.
      return pageResponse(site, {
        title: 'Sign in',
        main,
        status,
        script,
        formAction: 'any',
        headers: { ...setCookie, ...headers },
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

const AUTOFOCUS = html.raw` autofocus`

function passwordForm(
  { basePath }: Site,
  { ceremonies }: WaysToSignIn,
  hidden: Markup,
  email: string,
): Markup {
  return html`<form method="post" action="${basePath}/login" class="card">
  ${hidden}
  <label for="email">Email</label>
  <input id="email" name="email" type="email" autocomplete="username${ceremonies ? ' webauthn' : ''}" required value="${email}"${email === '' ? AUTOFOCUS : ''}>
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="current-password" required${email === '' ? '' : AUTOFOCUS}>
  <button class="primary">Sign in</button>
</form>`
}

/** The passkey form is hidden until the script finds that the browser supports passkeys. */
function otherWays(
  { basePath }: Site,
  { ceremonies, providers }: WaysToSignIn,
  hidden: Markup,
  inField: boolean,
): Markup {
  const passkey = html`
<form method="post" action="${basePath}/login/passkey" data-passkey="get"${inField ? html.raw` data-in-field` : ''} class="other-way" hidden>
  ${hidden}
  <input type="hidden" name="answer">
  <button>Sign in with a passkey</button>
</form>`
  return html`${ceremonies ? passkey : ''}${providers.map(
    ({ provider: { id, label } }) => html`
<form method="post" action="${basePath}/login/with/${id}" class="other-way">
  ${hidden}
  <button>Continue with ${label}</button>
</form>`,
  )}`
}
