/** What core would show on each page, for tests and pictures. */
import type { ConsentScope, ConsentView, HttpRequest, HttpResponse, PublicClient } from '@grantkit/core'
import type { FormPostView } from '@grantkit/core/form-post'
import { html } from '@remix-run/html-template'
import type { Pages } from '../src/index.ts'
import { connectedAppsView } from './connected-apps-view.ts'
import { madeTokenView, noTokensView, tokensView } from './personal-tokens-view.ts'

const request: HttpRequest = { method: 'GET', path: '/oauth/device', query: '', headers: {}, body: '' }
const session = { id: 'session', subject: 'ada', authTime: 0 }

export const CLIENT: PublicClient = {
  clientId: 'c1',
  clientName: 'Desk Calendar',
  origin: 'registered',
  applicationType: 'native',
  redirectUris: ['http://127.0.0.1:8123/callback'],
  tokenEndpointAuthMethod: 'none',
  grantTypes: ['authorization_code', 'refresh_token'],
  idTokenSignedResponseAlg: 'ES256',
  createdAt: 0,
  expiresAt: 0,
}

type Texts = readonly [read: string, write: string]

const SCOPES: Readonly<Record<string, Readonly<Record<string, Texts>>>> = {
  en: {
    Notes: ['See your notes', 'Create, change and delete notes'],
    Profile: ['See your name and picture', 'Change your profile'],
  },
  de: {
    Notizen: ['Ihre Notizen ansehen', 'Notizen anlegen, ändern und löschen'],
    Profil: ['Ihren Namen und Ihr Bild ansehen', 'Ihr Profil ändern'],
  },
}

const AREAS: Readonly<Record<string, readonly string[]>> = {
  en: 'courses students members reports chapters orders settings themes events plans coupons posts subscriptions products comments lecturers files forms pages'.split(
    ' ',
  ),
  de: 'Kurse Teilnehmende Mitglieder Berichte Kapitel Bestellungen Einstellungen Designs Veranstaltungen Tarife Gutscheine Beiträge Abonnements Produkte Kommentare Lehrende Dateien Formulare Seiten'.split(
    ' ',
  ),
}

function scope(name: string, area: string, description: string): ConsentScope {
  const access = name.endsWith(':write') ? 'write' : 'read'
  return { name, description, area, access, required: false, allowedBefore: name.startsWith('profile') }
}

function fewScopes(locale: string): ConsentScope[] {
  const [notes, profile] = Object.entries(SCOPES[locale] ?? SCOPES.en ?? {})
  return [
    ...[notes, profile].flatMap((entry, at) => {
      const [area, texts] = entry ?? ['', []]
      const name = at === 0 ? 'notes' : 'profile'
      return [scope(`${name}:read`, area, texts[0] ?? ''), scope(`${name}:write`, area, texts[1] ?? '')]
    }),
  ]
}

/** Thirty-eight, in nineteen areas. */
export function manyScopes(locale: string): ConsentScope[] {
  const german = locale === 'de'
  return (AREAS[locale] ?? AREAS.en ?? []).flatMap((area, at) => {
    const title = area.charAt(0).toUpperCase() + area.slice(1)
    return [
      scope(`a${at}:read`, title, german ? `${area} ansehen` : `See the ${area}`),
      scope(
        `a${at}:write`,
        title,
        german ? `${area} anlegen, ändern und löschen` : `Create, change and delete ${area}`,
      ),
    ]
  })
}

export function consentView(locale: string, other: Partial<ConsentView> = {}): ConsentView {
  return {
    ...{ request, locale, client: CLIENT, session, resources: [], formExpired: false, ticket: 'ticket' },
    redirectUri: 'http://127.0.0.1:8123/callback?state=1',
    scopes: fewScopes(locale),
    action: '/oauth/consent?client_id=c1',
    returnTo: '/oauth/authorize?client_id=c1',
    formActionSources: ['http://127.0.0.1:8123'],
    ...other,
  }
}

const DOCUMENT: Partial<ConsentView> = {
  client: { ...CLIENT, clientId: 'https://apps.example.com/desk/calendar.json', origin: 'document' },
  identity: { host: 'apps.example.com', loopback: false },
  redirectUri: 'https://calendar.example.com/callback',
  formActionSources: ['https://calendar.example.com'],
}

/** ChatGPT, which registered itself with its address. */
export const KNOWN: Partial<ConsentView> = {
  identity: { host: 'chatgpt.com', loopback: false, known: { name: 'ChatGPT', host: 'chatgpt.com' } },
  redirectUri: 'https://chatgpt.com/connector_platform_oauth_redirect',
  formActionSources: ['https://chatgpt.com'],
  reference: '7K3M-Q2WD',
}

export function formPostView(view: Pick<FormPostView, 'request' | 'locale' | 'client'>): FormPostView {
  return {
    ...view,
    action: 'https://calendar.example.com/callback',
    fields: { code: 'gkc_x0Tq7dUzvVb1y5mYkq2hG3', state: '1', iss: 'https://notes.example.com' },
    // The real one would leave the page.
    script: 'void 0',
    scriptSource: "'sha256-yyjq/GGlTvm0YhdkNx72uPxcwaIXqWZBYZftmpA6pYU='",
    formActionSources: ['https://calendar.example.com'],
  }
}

const ORGANIZATIONS = ['Acme', 'Birch & Sons', 'Cobalt Mining and Refining Company of the Northern Provinces']

/** @param own the name of the last one, which its admin chose */
export function organizations(count: number, own = 'Dune') {
  const names = Array.from({ length: count }, (_, at) => ORGANIZATIONS[at] ?? `Organization ${at + 1}`)
  if (count > ORGANIZATIONS.length) names[count - 1] = own
  return { organization: { organizations: names.map((name, at) => ({ id: `org_${at}`, name })) } }
}

/** @param payee what the app calls whom it wants to pay */
export function details(payee = 'Example Shop') {
  const texts = [`Pay 12.50 EUR once. The app names the payee “${payee}”`, 'Spend at most 50 EUR a day']
  return {
    authorization_details: { details: texts.map((text) => ({ type: 'payment', text })), shown: 'the-digest' },
  }
}

/** Each page, by the name of its picture. @param app what it calls itself @param few what the pages for a decision ask for */
export function shownPages(
  { interaction, callbackPage, device, formPost, requests, logout, ...more }: Pages,
  locale: string,
  app = CLIENT.clientName,
  few = fewScopes(locale),
): Readonly<Record<string, () => HttpResponse | Promise<HttpResponse>>> {
  const { connectedApps, personalTokensPage, page } = more
  const client = { ...CLIENT, clientName: app }
  const named = { ...DOCUMENT, client: { ...CLIENT, ...DOCUMENT.client, clientName: app } }
  const view = { request, locale, session, client }
  const code = { ...view, action: '/oauth/device', ticket: 'ticket', typed: '', wrong: false }
  const decision = { ...code, userCode: 'WDJB-MJHT', age: 20, scopes: few, resources: [] }
  const asked = {
    message: 'Order 17: a desk for 249 EUR',
    network: '203.0.113.0/24',
    sameNetwork: false,
    operation: false,
  }
  const answered = { ...view, operation: false, href: '/oauth/requests' }
  const waiting = {
    ...{ ...view, action: '/oauth/requests', ticket: 'ticket', unanswered: [], blocked: [client] },
    requests: [{ client, message: asked.message, age: 20, href: '/oauth/requests?request=r' }],
  }
  const callbackUrl =
    'http://127.0.0.1:8123/callback?code=gkc_x0Tq7dUzvVb1y5mYkq2hG3&state=1&iss=https%3A%2F%2Fnotes.example.com'
  const openApp = {
    ...view,
    redirectUri: 'com.example.calendar:/callback',
    callbackUrl: 'com.example.calendar:/callback?code=gkc_x0Tq7dUzvVb1y5mYkq2hG3&state=1',
    lifetime: 60,
  }
  const error = {
    ...{ request, locale, error: 'invalid_request', reason: 'redirect_uri_not_registered', status: 400 },
    description: 'redirect_uri is not one that the client registered',
    parameters: { redirect_uri: 'https://elsewhere.example/' },
    reference: '7K3M-Q2WD',
  }
  const scopes = fewScopes(locale).map(({ allowedBefore: _, ...scope }) => scope)
  const apps = connectedAppsView(view, app, scopes)
  const notice = { change: 'disconnected' as const, app }
  return {
    consent: () =>
      interaction.consentPage(consentView(locale, { client, scopes: few, canShowCallback: true })),
    'consent-document': () => interaction.consentPage(consentView(locale, { ...named, scopes: few })),
    'consent-expired': () =>
      interaction.consentPage(consentView(locale, { client, scopes: few, formExpired: true })),
    'consent-allows-nothing': () =>
      interaction.consentPage(consentView(locale, { client, scopes: few, allowsNothing: true })),
    'consent-known-client': () =>
      interaction.consentPage(consentView(locale, { client, scopes: few, ...KNOWN })),
    'consent-38-scopes': () =>
      interaction.consentPage(consentView(locale, { client, scopes: manyScopes(locale) })),
    'consent-organization': () =>
      interaction.consentPage(consentView(locale, { client, scopes: few, terms: organizations(1, app) })),
    'consent-organizations': () =>
      interaction.consentPage(consentView(locale, { client, scopes: few, terms: organizations(3, app) })),
    'consent-200-organizations': () =>
      interaction.consentPage(consentView(locale, { client, scopes: few, terms: organizations(200, app) })),
    'consent-details': () =>
      interaction.consentPage(consentView(locale, { client, scopes: few, terms: details(app) })),
    'device-organizations': () =>
      device.devicePage({ ...decision, sameNetwork: true, terms: organizations(2, app) }),
    error: () => interaction.errorPage(error),
    unavailable: () =>
      interaction.errorPage({ ...error, reason: 'store_unavailable', status: 503, parameters: {} }),
    callback: () => callbackPage({ ...view, callbackUrl, allowed: true, lifetime: 60 }),
    'callback-denied': () => callbackPage({ ...view, callbackUrl, allowed: false, lifetime: 60 }),
    'open-app': () => interaction.openAppPage({ ...openApp, allowed: true }),
    'open-app-denied': () => interaction.openAppPage({ ...openApp, allowed: false }),
    'form-post': () => formPost.formPostPage(formPostView(view)),
    'device-code': () => device.userCodePage(code),
    'device-code-wrong': () => device.userCodePage({ ...code, typed: 'WDJB', wrong: true }),
    device: () => device.devicePage({ ...decision, sameNetwork: true }),
    'device-elsewhere': () => device.devicePage({ ...decision, age: 130, sameNetwork: false }),
    'device-answered': () => device.deviceAnsweredPage({ ...view, allowed: true }),
    'device-denied': () => device.deviceAnsweredPage({ ...view, allowed: false }),
    requests: () => requests.requestsPage(waiting),
    'requests-none': () => requests.requestsPage({ ...waiting, requests: [], unanswered: [client] }),
    request: () => requests.requestPage({ ...decision, ...asked }),
    'request-operation': () =>
      requests.requestPage({ ...decision, ...asked, scopes: [], operation: true, terms: details(app) }),
    'request-allowed': () => requests.requestAnsweredPage({ ...answered, allowed: true }),
    'request-allowed-once': () =>
      requests.requestAnsweredPage({ ...answered, allowed: true, operation: true }),
    'request-denied-once': () =>
      requests.requestAnsweredPage({ ...answered, allowed: false, operation: true }),
    'request-denied': () =>
      requests.requestAnsweredPage({
        ...answered,
        allowed: false,
        blockedUntil: 1_800_000_000,
      }),
    logout: () => logout.logoutPage({ ...code, formActionSources: [] }),
    'signed-out': () => logout.signedOutPage({ request, locale }),
    'connected-apps': () => connectedApps.connectedAppsPage(apps),
    'connected-apps-changed': () =>
      connectedApps.connectedAppsPage({ ...apps, next: undefined, first: '/', apps: [], notice }),
    'connected-apps-expired': () => connectedApps.connectedAppsPage({ ...apps, expired: true }),
    'personal-tokens': () => personalTokensPage(tokensView(view, scopes, app)),
    'personal-tokens-ended': () => personalTokensPage({ ...noTokensView(view, scopes), ended: app ?? '' }),
    'personal-tokens-full': () =>
      personalTokensPage({ ...noTokensView(view, manyScopes(locale)), problem: 'full', status: 409 }),
    'personal-token-made': () => personalTokensPage(madeTokenView(view, scopes, app)),
    'sign-in': () => page(signIn(locale)),
  }
}

const SIGN_IN = { en: ['Sign in', 'Email', 'Password'], de: ['Anmelden', 'E-Mail', 'Passwort'] } as const

function signIn(locale: string) {
  const [title, email, password] = SIGN_IN[locale === 'de' ? 'de' : 'en']
  return {
    title,
    locale,
    formAction: ["'self'"],
    main: html`<h1>${title}</h1>
<form method="post">
  <label class="field" for="email">${email}</label><input id="email" name="email" type="email" autocomplete="username">
  <label class="field" for="password">${password}</label><input id="password" name="password" type="password" autocomplete="current-password">
  <button class="primary">${title}</button>
</form>`,
  }
}
