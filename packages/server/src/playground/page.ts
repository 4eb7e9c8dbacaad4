import type { ScopeCatalogue } from '@grantkit/core'
import { wellKnownAddress } from '@grantkit/core/adapter'
import { html } from '@grantkit/pages'
import type { Markup } from '../http/page.ts'

export interface PlaygroundPage {
  /** The issuer. The redirect URI of the page is `/playground` below it. */
  readonly baseUrl: string
  readonly scopes: ScopeCatalogue
  /** How an operator calls the commands for clients. */
  readonly program: string
  /** The paths of APIs to choose from, besides UserInfo. */
  readonly apis: readonly string[]
}

interface Step {
  /** The script knows the step by it. */
  readonly id: string
  readonly title: string
  /** Where the step is specified: names with their documents. */
  readonly rfcs: readonly (readonly [name: string, url: string])[]
  readonly text: string
  readonly button: string
  readonly fields?: Markup | undefined
}

/** What is inside `<main>`: the steps with their forms. The script adds what was sent and answered. */
export function playgroundMain(page: PlaygroundPage): Markup {
  const { baseUrl } = page
  const steps = stepsOf(page)
  return html`
<h1>Playground</h1>
<p>An app in this page signs you in at <strong>${baseUrl}</strong>, as any app in a browser does. You see each request and each answer. The tokens stay in this tab. The page exists in development only.</p>
<noscript><p class="problem">The app is a script. Allow scripts for this page.</p></noscript>
<div class="playground" data-issuer="${baseUrl}" data-metadata="${wellKnownAddress('oauth-authorization-server', baseUrl)}">
  <nav aria-label="Steps">
    <ol>${steps.map(({ id, title }) => html`<li data-of="${id}"><a href="#${id}">${title}</a></li>`)}</ol>
    <button type="button" id="restart">Start again</button>
  </nav>
  <div>${steps.map(stepSection)}</div>
</div>`
}

function stepSection({ id, title, rfcs, text, button, fields = html`` }: Step, index: number): Markup {
  return html`
<section class="card" id="${id}" aria-labelledby="${id}-title">
  <h2 id="${id}-title">${index + 1}. ${title}</h2>
  <p class="quiet">${rfcs.map(([name, url]) => html`<a href="${url}">${name}</a> `)}</p>
  <p>${text}</p>
  <form>
    ${fields}
    <div class="act"><button class="primary">${button}</button> <span class="lack quiet"></span></div>
  </form>
  <div class="exchange" aria-live="polite"></div>
</section>`
}

const rfc = (number: number, section = '') =>
  [
    section === '' ? `RFC ${number}` : `RFC ${number}, ${section}`,
    `https://www.rfc-editor.org/rfc/rfc${number}${section === '' ? '' : `#section-${section}`}`,
  ] as const

function stepsOf(page: PlaygroundPage): readonly Step[] {
  return [
    {
      id: 'metadata',
      title: 'Metadata',
      rfcs: [rfc(8414)],
      text: 'The app knows the issuer. Its metadata has the endpoints, and what the server can do.',
      button: 'Read the metadata',
    },
    {
      id: 'registration',
      title: 'Registration',
      rfcs: [rfc(7591)],
      text: 'The app registers itself, and gets a client_id. It is a public client: a page can keep no secret.',
      button: 'Register',
      fields: clientFields(page),
    },
    {
      id: 'authorization',
      title: 'Authorization request',
      rfcs: [rfc(6749, '4.1.1'), rfc(7636), rfc(9207)],
      text: 'The browser goes to the server, where you sign in and allow the access. It returns to this page with a code.',
      button: 'Sign in',
      fields: scopeFields(page),
    },
    {
      id: 'token',
      title: 'Token request',
      rfcs: [rfc(6749, '4.1.3'), rfc(7636, '4.5')],
      text: 'The app redeems the code. The code_verifier proves that it is the app that sent the code_challenge.',
      button: 'Redeem the code',
    },
    {
      id: 'api',
      title: 'API call',
      rfcs: [rfc(6750, '2.1')],
      text: 'The app sends the access token to an API of this server.',
      button: 'Call the API',
      fields: apiFields(page),
    },
    {
      id: 'refresh',
      title: 'Refresh',
      rfcs: [rfc(6749, '6'), rfc(9700, '4.14')],
      text: 'The app gets a new access token without its user. The refresh token is replaced too.',
      button: 'Refresh',
    },
    {
      id: 'step-up',
      title: 'Step up',
      rfcs: [rfc(9470, '4')],
      text: 'An API may demand a stronger or a more recent sign-in. The app sends you to the server once more, and redeems the new code in step 4.',
      button: 'Sign in again',
      fields: stepUpFields(),
    },
    {
      id: 'revocation',
      title: 'Revocation',
      rfcs: [rfc(7009)],
      text: 'The app gives a token up. The refresh token ends the whole grant: call the API again to see it.',
      button: 'Revoke',
      fields: revocationFields(),
    },
  ]
}

function clientFields({ baseUrl, program }: PlaygroundPage): Markup {
  return html`
<details id="existing">
  <summary>Use a client that exists</summary>
  <p>An operator adds one with <code>${program} clients add --name Playground --public --redirect-uri ${baseUrl}/playground</code></p>
  <label class="field" for="client-id">client_id</label>
  <input id="client-id" autocomplete="off" spellcheck="false">
  <button type="button" id="use-client">Use this client</button>
</details>`
}

const IDENTITY = ['openid', 'profile', 'email']

/** The identity is chosen, and one scope of an API that changes nothing: a consent page of 20 would hide what it is about. */
function scopeFields({ scopes }: PlaygroundPage): Markup {
  const open = Object.entries(scopes).filter(([, { restricted }]) => restricted !== true)
  const reading = open.find(([name, { access }]) => access !== 'write' && !IDENTITY.includes(name))?.[0]
  return html`
<fieldset>
  <legend class="field">scope</legend>
  <div class="choices">${open.map(
    ([name]) =>
      html`<label><input type="checkbox" name="scope" value="${name}"${name === reading || IDENTITY.includes(name) ? html` checked` : ''}> <code>${name}</code></label>`,
  )}</div>
</fieldset>`
}

function apiFields({ apis }: PlaygroundPage): Markup {
  const known = html`
<label class="field" for="known-api">API</label>
<select id="known-api"><option value="">UserInfo</option>${apis.map((address) => html`<option>${address}</option>`)}</select>`
  return html`
${apis.length === 0 ? '' : known}
<div class="beside">
  <div><label class="field" for="method">Method</label>
  <select id="method"><option>GET</option><option>DELETE</option></select></div>
  <div><label class="field" for="address">Address at this server</label>
  <input id="address" autocomplete="off" spellcheck="false" required></div>
</div>`
}

function stepUpFields(): Markup {
  return html`
<div class="beside">
  <div><label class="field" for="acr-values">acr_values</label>
  <select id="acr-values"><option value="">any</option></select></div>
  <div><label class="field" for="max-age">max_age, in seconds</label>
  <input id="max-age" type="number" min="0" value="0"></div>
</div>`
}

function revocationFields(): Markup {
  return html`
<label class="field" for="revoked">Token</label>
<select id="revoked"><option>refresh_token</option><option>access_token</option></select>`
}
