import { returnPath } from '@grantkit/core'
import { html } from '@grantkit/pages'
import { addressOf, type Markup } from './page.ts'

/**
 * What an app, or a page of this service, wants of a sign-in (OpenID Connect Core 3.1.2.1, RFC 9470 4). The query of the sign-in
 * page and its forms carry it, and anyone can change it there: it decides what the page offers and what a provider is asked
 * for. The session says what came of it, and whoever has the wishes compares that.
 */
export interface SignInWishes {
  /** `login`: the user proves to be there. `select_account`: the user chooses the account. Or both. */
  readonly prompt?: string | undefined
  /** The maximum age of the sign-in, in seconds. */
  readonly maxAge?: number | undefined
  /** Authentication classes, separated by spaces. */
  readonly acrValues?: string | undefined
  readonly uiLocales?: string | undefined
}

const MAX_TEXT = 254

type WishFields = Partial<Readonly<Record<'prompt' | 'max_age' | 'acr_values' | 'ui_locales', string>>>

/** @param sent the query of the page, or the fields of a form. What cannot be understood is no wish */
export function wishesIn(sent: WishFields): SignInWishes {
  const { prompt = '', max_age = '', acr_values = '', ui_locales = '' } = sent
  const prompts = ['login', 'select_account'].filter((known) => prompt.split(' ').includes(known))
  return {
    prompt: prompts.join(' ') || undefined,
    maxAge: /^\d{1,9}$/.test(max_age) ? Number(max_age) : undefined,
    acrValues: acr_values.slice(0, MAX_TEXT) || undefined,
    uiLocales: ui_locales.slice(0, MAX_TEXT) || undefined,
  }
}

/** Whether the user must prove to be there now, whatever session there is. */
export function demandsLogin({ prompt = '', maxAge }: SignInWishes): boolean {
  return maxAge === 0 || prompt.split(' ').includes('login')
}

/** Whether a user who is signed in has to sign in all the same. */
export function demandsSignIn({ prompt, maxAge, acrValues }: SignInWishes): boolean {
  return prompt !== undefined || maxAge !== undefined || acrValues !== undefined
}

/** What {@link wishesIn} reads. Empty: not wished. */
export function fieldsOf({ prompt = '', maxAge, acrValues = '', uiLocales = '' }: SignInWishes) {
  return { prompt, max_age: maxAge?.toString() ?? '', acr_values: acrValues, ui_locales: uiLocales }
}

/** The hidden fields by which a form carries them on. */
export function wishFields(wishes: SignInWishes): Markup {
  const fields = Object.entries(fieldsOf(wishes)).filter(([, value]) => value !== '')
  return html`${fields.map(
    ([name, value]) => html`
  <input type="hidden" name="${name}" value="${value}">`,
  )}`
}

/** The languages that the app wants which waits for the user. @param returnTo where the user goes on */
export function localesOf(returnTo = ''): string | undefined {
  const { searchParams } = new URL(returnPath(returnTo, '/'), 'https://any.example')
  return searchParams.get('ui_locales') ?? undefined
}

/** The address of the sign-in page. @param returnTo where the user goes on, a path of this service */
export function signInAddress(
  basePath: string,
  returnTo: string,
  {
    loginHint,
    uiLocales = localesOf(returnTo),
    ...wishes
  }: SignInWishes & { readonly loginHint?: string | undefined } = {},
): string {
  return addressOf(`${basePath}/login`, {
    return_to: returnTo,
    login_hint: loginHint,
    ...fieldsOf({ ...wishes, uiLocales }),
  })
}

/** The same for a page that wants the user to sign in again. @param strong `false`: with a passkey */
export function signInAgain(basePath: string, path: string, strong = true): string {
  return signInAddress(basePath, path, { prompt: 'login', acrValues: strong ? undefined : 'phr' })
}
