import { randomUUID } from 'node:crypto'
import { type AuthorizationServer, declinedSignIn } from '@grantkit/core'
import { isCrossSite } from '@grantkit/core/feature'
import { displayText } from '@grantkit/core/internal'
import { fill, fillText, html } from '@grantkit/pages'
import type { Context } from 'hono'
import * as z from 'zod'
import { isMetByAny } from '../config/authentication-classes.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import { flowsInCookies } from '../http/flows.ts'
import { addressOf, type Markup, pageResponse } from '../http/page.ts'
import {
  demandsSignIn,
  type SignInWishes,
  signInAddress,
  wishesIn,
  wishFields,
} from '../http/sign-in-wishes.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import type { Visit } from '../sign-in/session.ts'
import type { Waiting } from '../sign-in/waiting-identities.ts'
import { type OfferedWays, type WaysToSignIn, waysOf } from '../sign-in/ways-to-sign-in.ts'
import { inLanguage, type LocalSite, type PageLanguage, type Says } from './page-language.ts'
import type { PageParts, RequestingApp } from './parts.ts'

export interface Shown extends ShownForms {
  readonly status?: number
  readonly problem?: Says | undefined
  /** Of the attempt that the problem stopped, for the operator. */
  readonly reference?: string | undefined
  readonly headers?: Record<string, string>
  /** Nothing here may be possible for the user: the page leads back to the app too. */
  readonly mayDecline?: boolean
  /** Set-Cookie lines. */
  readonly cookies?: readonly string[] | undefined
  /** The page offers to connect this identity after a sign-in. */
  readonly offers?: Waits | undefined
}

/** An identity that waits for a sign-in to its account: the id of its flow, and the name of its provider. */
type Waits = Pick<Waiting, 'id' | 'label'>

export const FORM_EXPIRED: Says = ({ signIn }) => signIn.expired
export const TOO_MANY: Says = ({ signIn }) => signIn.tooMany
const FORM_LIFETIME_SECONDS = 30 * 60
const Form = z.object({ jti: z.string() })

export type SignInPage = ReturnType<typeof signInPage>

/**
 * The sign-in page. Its forms have a token that matches a cookie, so that no other site can sign a user in (login
 * CSRF).
 */
export function signInPage(options: PageParts) {
  const { baseUrl, secret, sessions, ways, requestingApp, resets } = options
  const seconds = FORM_LIFETIME_SECONDS
  const cookie = { name: 'sign-in', purpose: 'sign-in cookie', value: z.object({}), seconds }
  const browsers = flowsInCookies({ secret, baseUrl }, cookie)
  const key = hmacKeys(secret, 'sign-in form')

  /**
   * The hidden field of another form of these pages, and the Set-Cookie lines that it needs. All forms of a browser share an id. Pages
   * that it opens at once have several, and each is good.
   */
  function issueForm(c: Context) {
    const cookies = c.req.header('cookie')
    const id = browsers.latest(cookies)?.id ?? randomUUID()
    return {
      token: signValue(key, { jti: id }, seconds),
      cookies: browsers.begin(cookies, id, {}) ?? [],
    }
  }

  async function show(c: Context, shown: Shown): Promise<Response> {
    const { returnTo, wishes, status = 200, problem, reference, mayDecline = false, headers = {} } = shown
    const { offers, connects, cookies = [] } = shown
    const form = issueForm(c)
    const app = await requestingApp(returnTo)
    const site = inLanguage(options.site, c, wishes)
    const { language } = site
    const own = await ownWays(options, c, shown)
    const back = mayDecline ? backToApp(app, returnTo, await visitOf(c, sessions), language) : ''
    const hidden = html`<input type="hidden" name="token" value="${form.token}">
  <input type="hidden" name="return_to" value="${returnTo}">${wishFields(wishes)}${
    connects === undefined
      ? ''
      : html`
  <input type="hidden" name="connect" value="${connects.id}">`
  }`
    const title = connects === undefined ? language.signIn.title : connecting(connects, language)
    const main = html`
<h1>${title}</h1>${
      connects === undefined
        ? sentBy(app, language)
        : html`
<p>${fill(language.signIn.connectWhy, { provider: connects.label })}</p>`
    }
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem(language)}</p>`}${forOperator(reference, language)}${offers === undefined ? '' : offerOf(site, offers, shown)}
${signInForms({ site, ways: own ?? ways, resets }, hidden, shown)}${own === undefined ? '' : anotherAccount(site, shown)}${back}`
    const script = ways.ceremonies && 'passkeys.js'
    // No form-action: browsers apply it to the redirect after the form, whose target may be any client.
    return pageResponse(site, {
      title,
      main,
      status,
      script,
      formAction: 'any',
      headers: { 'set-cookie': [...form.cookies, ...cookies], ...headers },
    })
  }

  return {
    issueForm,
    show,
    /** Whether this browser was shown the form recently. @param token the hidden field of the form */
    isOwnForm(c: Context, token: string | undefined) {
      const form = verifyValue(key, token, Form, seconds)
      const known = form && browsers.find(c.req.header('cookie'), form.jti)
      return known !== undefined && !isCrossSite(baseUrl, c.req.header())
    },
    /** A browser that was signed in by another tab meanwhile goes on; any other sees the form again. */
    async expired(c: Context, shown: Shown) {
      if (!demandsSignIn(shown.wishes) && (await visitOf(c, sessions))) return seeOther(c, shown.returnTo)
      return show(c, { ...shown, status: 403, problem: FORM_EXPIRED })
    },
  }
}

function connecting({ label }: Waits, { signIn }: PageLanguage): string {
  return fillText(signIn.connect, { provider: label })
}

/** The way to the page that connects it. */
function offerOf({ basePath, language }: LocalSite, offers: Waits, { returnTo, wishes }: Shown): Markup {
  const address = `${signInAddress(basePath, returnTo, wishes)}&connect=${offers.id}`
  return html`<p><a href="${address}">${connecting(offers, language)}</a></p>`
}

function anotherAccount({ basePath, language }: LocalSite, { returnTo, wishes }: Shown): Markup {
  const address = signInAddress(basePath, returnTo, { ...wishes, prompt: 'login select_account' })
  return html`
<p><a href="${address}">${language.signIn.anotherAccount}</a></p>`
}

/**
 * The ways of the user who has to sign in again: no other is of use. Only a browser with a session of the user gets them, so they
 * reveal no account. `undefined`: the page offers every way.
 */
async function ownWays(
  { sessions, ways }: PageParts,
  c: Context,
  { wishes, connects, email = '' }: Shown,
): Promise<OfferedWays | undefined> {
  const isSame = demandsSignIn(wishes) && !wishes.prompt?.includes('select_account')
  if (!isSame || demandsMoreThanPassword(wishes) || connects !== undefined || !ways.builtIn) return undefined
  const { account } = (await visitOf(c, sessions)) ?? {}
  if (account === undefined || (email !== '' && email.toLowerCase() !== account.email)) return undefined
  return waysOf(ways, account).catch(() => undefined)
}

/** The reference of a sign-in that failed, if it has one: its user gives it to the operator. */
export function forOperator(reference: string | undefined, { signIn }: PageLanguage): Markup | '' {
  if (reference === undefined) return ''
  return html`<p>${fill(signIn.reference, { reference: html`<code>${reference}</code>` })}</p>`
}

/** The sign-in page needs no database: while it is unreachable, nobody is signed in. */
export function visitOf(c: Context, sessions: PageParts['sessions']): Promise<Visit | undefined> {
  return sessions.visit(c.req.header('cookie')).catch(() => undefined)
}

/**
 * Whether a visitor of the sign-in page may go on at once: signed in, and no new sign-in is demanded. Where one is, the page to
 * which the user returns would send them back.
 */
export async function needsNoSignIn(c: Context, { sessions }: PageParts): Promise<boolean> {
  return !demandsSignIn(wishesIn(c.req.query())) && (await visitOf(c, sessions)) !== undefined
}

// The forms of the sign-in page, one for each method.

interface ShownForms {
  /** The sign-in connects this identity. */
  readonly connects?: Waiting | undefined
  /** Of an account that opens only with its passkey, whose user came by another way. */
  readonly needsPasskey?: boolean
  /** A path of this service. */
  readonly returnTo: string
  readonly email?: string
  /** False after a passkey was rejected, because the browser might send it again. Default: true. */
  readonly passkeysInField?: boolean
  readonly wishes: SignInWishes
}

interface FormParts extends Pick<PageParts, 'resets'> {
  readonly site: LocalSite
  readonly ways: OfferedWays
}

/** @param hidden fields that every form has */
function signInForms(parts: FormParts, hidden: Markup, shown: ShownForms): Markup {
  const { site } = parts
  // Another provider proves nothing about the account.
  const ways = shown.connects === undefined ? parts.ways : { ...parts.ways, providers: [] }
  return demandsMoreThanPassword(shown.wishes) && canMeet(ways)
    ? strongWays(site, ways, hidden, shown.needsPasskey)
    : everyWay({ ...parts, ways }, hidden, shown)
}

function demandsMoreThanPassword({ acrValues }: SignInWishes): boolean {
  return acrValues !== undefined && !isMetByAny(acrValues.split(' '))
}

const AUTOFOCUS = html.raw` autofocus`

function passwordForm(
  { basePath, language: { signIn } }: LocalSite,
  { ceremonies, builtIn }: OfferedWays,
  hidden: Markup,
  email: string,
): Markup {
  const [type, label] = builtIn ? ['email', signIn.email] : ['text', signIn.emailOrName]
  return html`<form method="post" action="${basePath}/login" class="card">
  ${hidden}
  <label for="email">${label}</label>
  <input id="email" name="email" type="${type}" autocomplete="username${ceremonies ? ' webauthn' : ''}" required value="${email}"${email === '' ? AUTOFOCUS : ''}>
  <label for="password">${signIn.password}</label>
  <input id="password" name="password" type="password" autocomplete="current-password" required${email === '' ? '' : AUTOFOCUS}>
  <button class="primary">${signIn.title}</button>
</form>`
}

function forgotten(
  { basePath, language: { signIn } }: LocalSite,
  returnTo: string,
  { uiLocales }: SignInWishes,
): Markup {
  const address = addressOf(`${basePath}/login/forgot`, { return_to: returnTo, ui_locales: uiLocales })
  return html`
<p><a href="${address}">${signIn.forgotten}</a></p>`
}

function everyWay(
  { site, ways, resets }: FormParts,
  hidden: Markup,
  { returnTo, wishes, email = '', passkeysInField = true }: ShownForms,
): Markup {
  const others = providerForms(site, ways.providers, hidden)
  if (ways.hasPassword === false) return html`${ways.ceremonies ? onlyPasskey(site, hidden) : ''}${others}`
  const forgot = resets && ways.builtIn ? forgotten(site, returnTo, wishes) : ''
  const passkey = ways.ceremonies ? passkeyForm(site, hidden, { inField: passkeysInField }) : ''
  return html`${passwordForm(site, ways, hidden, email)}${forgot}${passkey}${others}`
}

function onlyPasskey(site: LocalSite, hidden: Markup): Markup {
  const { stepUp } = site.language
  return html`${passkeyForm(site, hidden, { button: html`<button class="primary">${stepUp.button}</button>` })}
<p class="unsupported">${stepUp.unsupported}</p>`
}

type Providers = WaysToSignIn['providers']

function trusted(providers: Providers): Providers {
  return providers.filter(({ provider }) => provider.trustAcr)
}

/**
 * Whether some way to sign in here can be strong enough. Otherwise the page is as usual, and the client gets its error after
 * the sign-in.
 */
function canMeet({ ceremonies, providers }: OfferedWays): boolean {
  return ceremonies !== undefined || trusted(providers).length > 0
}

function strongWays(
  site: LocalSite,
  { ceremonies, providers }: OfferedWays,
  hidden: Markup,
  needsPasskey = false,
): Markup {
  const form = (button: Markup) => (ceremonies ? passkeyForm(site, hidden, { button }) : html``)
  const others = providerForms(site, trusted(providers), hidden)
  const { firstPasskey } = site.language
  if (needsPasskey)
    return html`<p class="problem" role="alert">${firstPasskey.only}</p>${onlyPasskey(site, hidden)}${others}`
  const notice = { locale: site.language.tag, account: `${site.basePath}/account#sign-in`, form }
  return html`${site.ui.stepUpNotice(notice)}${others}`
}

/** Hidden until the script finds that the browser supports passkeys. */
function passkeyForm(
  { basePath, language: { stepUp } }: LocalSite,
  hidden: Markup,
  { inField = false, button = html`<button>${stepUp.button}</button>` },
): Markup {
  return html`
<form method="post" action="${basePath}/login/passkey" data-passkey="get"${inField ? html.raw` data-in-field` : ''} class="other-way" hidden>
  ${hidden}
  <input type="hidden" name="answer">
  ${button}
</form>`
}

function providerForms(
  { basePath, language: { signIn } }: LocalSite,
  providers: Providers,
  hidden: Markup,
): Markup {
  return html`${providers.map(
    ({ provider: { id, label } }) => html`
<form method="post" action="${basePath}/login/with/${id}" class="other-way">
  ${hidden}
  <button>${fill(signIn.withProvider, { provider: label })}</button>
</form>`,
  )}`
}

export function requestingApp(
  baseUrl: string,
  server: () => Pick<AuthorizationServer, 'metadata' | 'clients'>,
): RequestingApp {
  return async (returnTo) => {
    const { origin, pathname, searchParams } = new URL(returnTo, baseUrl)
    const clientId = searchParams.get('client_id')
    const { metadata, clients } = server()
    if (clientId === null || origin + pathname !== metadata.authorization_endpoint) return undefined
    if (isAddress(clientId)) return { documentHost: new URL(clientId).host }
    // The name is optional on the sign-in page.
    return clients.find(clientId).catch(() => undefined)
  }
}

function isAddress(clientId: string): boolean {
  return clientId.startsWith('https://') && URL.canParse(clientId)
}

/** Which app sends the user, for the sign-in page. */
function sentBy(app: Awaited<ReturnType<RequestingApp>>, { signIn, common }: PageLanguage): Markup | '' {
  if (app === undefined) return ''
  if ('documentHost' in app)
    return html`<p>${fill(signIn.sentByHost, { host: html`<code>${app.documentHost}</code>` })}</p>`
  const text = app.origin === 'integration' ? signIn.sentBy : signIn.sentByUnverified
  return html`<p>${fill(text, { app: html`<bdi>${app.clientName ?? common.unnamedApp}</bdi>` })}</p>`
}

/** The way out for a user who cannot sign in as it is demanded, of an app or of a page of this service. */
export function backToApp(
  app: Awaited<ReturnType<RequestingApp>>,
  returnTo: string,
  visit: Visit | undefined,
  { signIn }: PageLanguage,
): Markup | '' {
  // Any other visitor would be sent to the sign-in page again.
  if (app === undefined && visit === undefined) return ''
  if (app === undefined)
    return html`
<p><a href="${returnTo}">${signIn.goBack}</a></p>`
  const name = nameOfApp(app)
  const text = name === undefined ? signIn.goBackToApp : signIn.goBackTo
  return html`
<p><a href="${declinedSignIn(returnTo)}">${fill(text, { app: html`<bdi>${name ?? ''}</bdi>` })}</a></p>`
}

/** Its name for the page of another application. */
export function nameOfApp(app: Awaited<ReturnType<RequestingApp>>): string | undefined {
  if (app === undefined) return undefined
  return displayText('documentHost' in app ? app.documentHost : (app.clientName ?? '')) || undefined
}
