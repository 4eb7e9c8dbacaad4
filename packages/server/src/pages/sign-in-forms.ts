import { html } from '@grantkit/pages'
import type { Markup, Site } from '../http/page.ts'
import type { PasswordResets } from '../sign-in/password-resets.ts'
import type { WaysToSignIn } from '../sign-in/ways-to-sign-in.ts'
import type { Demand } from './demand.ts'

/** The forms of the sign-in page, one for each method. */

export interface ShownForms {
  /** A path of this service. */
  readonly returnTo: string
  readonly email?: string
  /** False after a passkey was rejected, because the browser might send it again. Default: true. */
  readonly passkeysInField?: boolean
  /** A password is not strong enough. */
  readonly demand?: Demand | undefined
}

export interface FormOptions {
  readonly site: Site
  readonly ways: WaysToSignIn
  /** Absent if no mail can be sent. */
  readonly resets?: PasswordResets | undefined
}

/** @param hidden fields that every form has */
export function signInForms(options: FormOptions, hidden: Markup, shown: ShownForms): Markup {
  const { site, ways } = options
  const { demand } = shown
  return demand !== undefined && canMeet(ways)
    ? strongWays(site, ways, hidden, demand)
    : everyWay(options, hidden, shown)
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

function everyWay(
  { site, ways, resets }: FormOptions,
  hidden: Markup,
  { returnTo, email = '', passkeysInField = true }: ShownForms,
): Markup {
  const forgot = resets && ways.builtIn ? forgotten(site, returnTo) : ''
  const passkey = ways.ceremonies ? passkeyForm(site, hidden, { inField: passkeysInField }) : ''
  return html`${passwordForm(site, ways, hidden, email)}${forgot}${passkey}${providerForms(site, ways.providers, hidden)}`
}

type Providers = WaysToSignIn['providers']

function trusted(providers: Providers): Providers {
  return providers.filter(({ provider }) => provider.trustAcr)
}

/**
 * Whether some way to sign in here can be strong enough. Otherwise the page is as usual, and the client gets its error after
 * the sign-in.
 */
function canMeet({ ceremonies, providers }: WaysToSignIn): boolean {
  return ceremonies !== undefined || trusted(providers).length > 0
}

function strongWays(site: Site, { ceremonies, providers }: WaysToSignIn, hidden: Markup, demand: Demand) {
  const form = (button: Markup) => (ceremonies ? passkeyForm(site, hidden, { button }) : html``)
  const notice = { locale: demand.locale, account: `${site.basePath}/account#sign-in`, form }
  return html`${site.ui.stepUpNotice(notice)}${providerForms(site, trusted(providers), hidden)}`
}

/** Hidden until the script finds that the browser supports passkeys. */
function passkeyForm(
  { basePath }: Site,
  hidden: Markup,
  { inField = false, button = html`<button>Sign in with a passkey</button>` },
): Markup {
  return html`
<form method="post" action="${basePath}/login/passkey" data-passkey="get"${inField ? html.raw` data-in-field` : ''} class="other-way" hidden>
  ${hidden}
  <input type="hidden" name="answer">
  ${button}
</form>`
}

function providerForms({ basePath }: Site, providers: Providers, hidden: Markup): Markup {
  return html`${providers.map(
    ({ provider: { id, label } }) => html`
<form method="post" action="${basePath}/login/with/${id}" class="other-way">
  ${hidden}
  <button>Continue with ${label}</button>
</form>`,
  )}`
}
