import { randomUUID } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import { isCrossSite } from '@grantkit/core/feature'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import * as z from 'zod'
import { cookieOf } from '../http/cookies.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import type { PasswordResets } from '../sign-in/password-resets.ts'
import type { WaysToSignIn } from '../sign-in/ways-to-sign-in.ts'
import { type Markup, pageResponse, type Site } from './page.ts'
import { type RequestingApp, sentBy } from './sending-app.ts'

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
  readonly requestingApp: RequestingApp
  /** Absent if no mail can be sent. */
  readonly resets?: PasswordResets | undefined
}

export const FORM_EXPIRED = 'This form has expired. Please sign in again.'
export const TOO_MANY = 'Too many attempts. Please wait a little.'
const FORM_LIFETIME_SECONDS = 30 * 60
const Form = z.object({ jti: z.string() })

export function signInPage(options: SignInPageOptions): SignInPage {
  const { site, baseUrl, secret, ways, requestingApp, resets } = options
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
    async show({ returnTo, email = '', status = 200, problem, headers = {}, passkeysInField = true }) {
      const form = issueForm()
      const hidden = html`<input type="hidden" name="token" value="${form.token}">
  <input type="hidden" name="return_to" value="${returnTo}">`
      const main = html`
<h1>Sign in</h1>${sentBy(await requestingApp(returnTo))}
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
${passwordForm(site, ways, hidden, email)}${resets && ways.builtIn ? forgotten(site, returnTo) : ''}${otherWays(site, ways, hidden, passkeysInField)}`
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

const AUTOFOCUS = html.raw` autofocus`

function passwordForm(
  { basePath }: Site,
  { ceremonies, builtIn }: WaysToSignIn,
  hidden: Markup,
  email: string,
): Markup {
  const [type, label] = builtIn ? ['email', 'Email'] : ['text', 'Email or user name']
  return html`<form method="post" action="${basePath}/login" class="card">
  ${hidden}
  <label for="email">${label}</label>
  <input id="email" name="email" type="${type}" autocomplete="username${ceremonies ? ' webauthn' : ''}" required value="${email}"${email === '' ? AUTOFOCUS : ''}>
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="current-password" required${email === '' ? '' : AUTOFOCUS}>
  <button class="primary">Sign in</button>
</form>`
}

function forgotten({ basePath }: Site, returnTo: string): Markup {
  const query = String(new URLSearchParams({ return_to: returnTo }))
  return html`
<p><a href="${basePath}/login/forgot?${query}">Forgot your password?</a></p>`
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
