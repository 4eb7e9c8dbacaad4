import { createHash } from 'node:crypto'
import type { HttpResponse, PublicClient } from '@grantkit/core'
import { describe, expect, it } from 'vitest'
import { html, type PagesOptions, pages } from '../src/index.ts'
import {
  CLIENT,
  consentView,
  details,
  formPostView,
  KNOWN,
  manyScopes,
  organizations,
  shownPages,
} from './shown-pages.ts'

const BRAND = { name: 'Notes & <b>more</b>', footer: [{ text: 'Imprint', href: '/imprint' }] }
const LINKS = {
  connectedApps: '/apps',
  signOut: (to: string) => `/logout?${new URLSearchParams({ to })}`,
  home: '/',
}
const OPTIONS: PagesOptions = {
  brand: BRAND,
  links: LINKS,
  user: () => ({ name: 'Ada', email: 'ada@example.com' }),
}

const DOCUMENT = { ...CLIENT, origin: 'document' as const }

const ui = pages(OPTIONS)
const policyOf = ({ headers }: HttpResponse) => String(headers['content-security-policy'])

const POSTING = formPostView({
  ...{ request: consentView('en').request, locale: 'en', client: CLIENT },
})

const EVERY_PAGE = ui.interaction.uiLocales.flatMap((locale) =>
  Object.entries(shownPages(ui, locale, '<script>alert(1)</script>')).map(([name, show]) => ({
    name,
    locale,
    show,
  })),
)

describe.each(EVERY_PAGE)('the page $name in $locale', ({ locale, show }) => {
  it('UI-05, REQ-74: every page is complete, escapes what others chose, and runs nothing but what core gave it', async () => {
    const { body: whole, headers } = await show()
    const body = whole.replace(`<script>${POSTING.script}</script>`, '')
    expect(body).toContain(`<html lang="${locale}" dir="ltr">`)
    expect(body).not.toMatch(/<script|\{\w+\}|undefined|\[object|Notes & <b>/)
    expect(body.match(/<h1>/g)).toHaveLength(1)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
  })
})

describe('every page', () => {
  it('allows its own style sheet by its hash, and nothing else', async () => {
    const page = await ui.interaction.consentPage(consentView('en'))
    const style = /<style>([\s\S]*)<\/style>/.exec(page.body)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(policyOf(page).split('; ')).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "form-action 'self' http://127.0.0.1:8123",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
  })

  it('may show the logo, if there is one, as an image in which an SVG runs no script', () => {
    const branded = pages({ brand: { name: 'Notes', logo: '<svg onload="alert(1)"/>' } })
    const page = branded.page({ title: 'Sign in', main: html`<h1>Sign in</h1>` })
    expect(policyOf(page)).toContain('; img-src data:; ')
    expect(page.body).toContain('<img src="data:image/svg+xml,%3Csvg%20onload')
    expect(page.body).not.toContain('<svg')
  })

  it('sends no form if it has none', () => {
    expect(policyOf(ui.page({ title: 'Help', main: html`<h1>Help</h1>` }))).toContain("form-action 'none'")
  })

  it('of yours runs the one script that it names, and its form may lead anywhere if it says so', () => {
    const page = ui.page({
      title: 'Sign in',
      main: html`<h1>Sign in</h1>`,
      script: '/passkeys.js',
      formAction: 'any',
    })
    expect(page.body).toContain('<script type="module" src="/passkeys.js"></script>')
    expect(policyOf(page)).toContain("; script-src 'self'; connect-src 'self'; base-uri")
    expect(policyOf(page)).not.toContain('form-action')
  })

  it('of yours is wide and has links beside the brand if it says so', () => {
    const main = html`<h1>Users</h1>`
    expect(ui.page({ title: 'Users', main, wide: true, header: html`<nav>Links</nav>` }).body).toMatch(
      /<body class="wide">\s*<header class="brand">.*<nav>Links<\/nav><\/header>/,
    )
    expect(ui.page({ title: 'Users', main }).body).toContain('<body>')
  })

  it('has the style of the brand after its own, and refuses one that closes its tag', () => {
    const styled = (style: string) => pages({ brand: { name: 'Notes', style } })
    expect(styled('.card{margin:0}').page({ title: 'Help', main: html`` }).body).toContain(
      '.card{margin:0}</style>',
    )
    expect(() => styled('</style><script>')).toThrow('brand.style must be CSS')
  })

  it('that posts an answer runs that script alone, sends its form there alone, and escapes what a client chose', async () => {
    const { body, headers } = await pages({
      ...OPTIONS,
      links: { signInAt: ['https://login.example'] },
    }).formPost.formPostPage({
      ...POSTING,
      fields: { state: '"><script>alert(1)</script>\n\'&amp;' },
    })
    expect(body).toContain(
      'name="state" value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\n&#39;&amp;amp;">',
    )
    expect(policyOf({ status: 200, headers, body })).toMatch(
      /^default-src 'none'; style-src '[^']+'; script-src 'sha256-[^']+'; form-action https:\/\/calendar\.example\.com; base/,
    )
  })

  it('links to no page that is not named', async () => {
    const bare = pages({ brand: { name: 'Notes' } })
    for (const show of Object.values(shownPages(bare, 'en')))
      expect((await show()).body).not.toMatch(/<a href="(?!#|\/oauth\/requests")/)
  })

  it('is replaced alone, with the texts, the layout and the original at hand', async () => {
    const own = pages({
      ...OPTIONS,
      overrides: {
        consentPage: async (view, page) => {
          const { body } = await page.original()
          const main = html`<h1>${page.language.decision.allow} ${view.client.clientName}? ${body.length > 1000}</h1>`
          return page.layout({ title: 'Own', main })
        },
      },
    })
    const { body } = await own.interaction.consentPage(consentView('de'))
    expect(body).toContain('<h1>Erlauben Desk Calendar? true</h1>')
  })
})

describe('the consent page', () => {
  const consent = async (other: Parameters<typeof consentView>[1], options = OPTIONS) => {
    const { body } = await pages(options).interaction.consentPage(consentView('en', other))
    return body
  }

  it('names the only organization, and asks for one of several, without a default', async () => {
    expect(await consent({})).not.toContain('name="organization"')
    const one = await consent({ terms: organizations(1) })
    expect(one).toContain('<input type="hidden" name="organization" value="org_0">')
    expect(one).toMatch(/<dt>Organization<\/dt><dd><strong><bdi>Acme</)
    const few = await consent({ terms: organizations(3) })
    expect(few.match(/<input type="radio" name="organization" value="org_\d" required>/g)).toHaveLength(3)
    const many = await consent({ terms: organizations(200) })
    expect(many.match(/<option /g)).toHaveLength(201)
    for (const page of [few, many]) {
      expect(page).not.toMatch(/ (checked|selected)[^>]*name="organization"|<option[^>]* selected/)
      // Nobody chooses in order to deny.
      expect(page).toContain('<button name="decision" value="deny" formnovalidate>')
    }
  })

  it('has each detail in words, and no answer to a part of them', async () => {
    const page = await consent({ terms: details('<b>&'), scopes: manyScopes('en') })
    expect(page).toContain('names the payee “&lt;b&gt;&amp;”</strong></li>')
    expect(page).toContain('<input type="hidden" name="authorization_details" value="the-digest">')
    expect(page).not.toContain('value="allow_reading"')
    const reading = await consent({
      terms: details(),
      scopes: manyScopes('en').filter(({ access }) => access === 'read'),
    })
    expect(reading).not.toContain('None can change anything')
  })

  it('offers "Reading only" if that is another answer than the other two', async () => {
    const scopes = manyScopes('en')
    const reading = scopes.filter(({ access }) => access === 'read')
    const writing = scopes.filter(({ access }) => access === 'write')
    expect(await consent({ scopes })).toContain('value="allow_reading"')
    expect(await consent({ scopes: reading })).not.toContain('value="allow_reading"')
    expect(await consent({ scopes: writing })).not.toContain('value="allow_reading"')
  })

  it('says that nothing can be changed only if each scope is known to read', async () => {
    const READING_ONLY = 'None can change anything.'
    const scope = { description: 'Do it', required: false, allowedBefore: false }
    const read = { ...scope, name: 'notes:read', access: 'read' as const }
    const openid = { ...scope, name: 'openid' }
    const unknown = { ...scope, name: 'notes:write' }
    expect(await consent({ scopes: [read, openid] })).toContain(`2 permissions. ${READING_ONLY}`)
    expect(await consent({ scopes: [read, unknown] })).toContain('2 permissions. <')
  })

  it('tells what each area of a long list is about before it is opened', async () => {
    const body = await consent({ scopes: manyScopes('en') })
    expect(body).toContain('38 permissions. 19 can change things.')
    expect(body.match(/<details class="area">/g)).toHaveLength(19)
    expect(body).toContain('See the courses and create, change and delete courses')
    expect(body.match(/<input type="checkbox" name="scope"/g)).toHaveLength(38)
  })

  it('folds no list of eight', async () => {
    expect(await consent({ scopes: manyScopes('en').slice(0, 8) })).not.toContain('<details class="area">')
  })

  it('lets nobody untick a scope that is needed', async () => {
    const scopes = consentView('en').scopes.map((scope, at) => ({ ...scope, required: at === 0 }))
    const body = await consent({ scopes })
    expect(body.match(/<input type="checkbox" checked disabled>/g)).toHaveLength(1)
    expect(body).not.toContain(`name="scope" value="${scopes[0]?.name}"`)
  })

  it.each([
    ['read', false, 'One permission, which changes nothing.</p>'],
    ['write', false, 'One permission, which can change things.</p>'],
    [undefined, true, '1 permission.</p>'],
  ] as const)('says what a single scope (%s) can do, without a box', async (access, required, says) => {
    const scope = { name: 'a', description: 'Do it', required, allowedBefore: false }
    const body = await consent({ scopes: [{ ...scope, ...(access && { access }) }] })
    expect(body).toContain(`<p>${says}`)
    expect(body).toContain('<input type="hidden" name="scope" value="a"><span>Do it')
    expect(body).not.toMatch(/<input type="checkbox"|Untick/)
  })

  it('says why an answer did not count', async () => {
    expect(await consent({})).not.toContain('role="alert"')
    expect(await consent({ formExpired: true })).toContain('role="alert">Your answer did not count')
    expect(await consent({ allowsNothing: true })).toContain('role="alert">That answer would allow nothing')
  })

  it('marks what was allowed before, and counts it only in a list that is folded', async () => {
    const few = await consent({})
    expect(few).toContain('<span class="mark">Allowed before</span>')
    expect(few).not.toContain('You have allowed')
    const scopes = manyScopes('en').map((scope, at) => ({ ...scope, allowedBefore: at < 3 }))
    expect(await consent({ scopes })).toContain('You have allowed 3 of them before.')
  })

  it.each([
    ['an app of the operator', { ...CLIENT, origin: 'integration' as const }, undefined, 'Set up by <bdi>'],
    ['an app that registered itself', CLIENT, undefined, 'Not verified: it chose this name itself.'],
    [
      'a document',
      DOCUMENT,
      { host: 'a.example', loopback: false },
      'if you trust the site that describes it',
    ],
    [
      'a document of a program',
      DOCUMENT,
      { host: 'a.example', loopback: true },
      'can pretend to be this app',
    ],
  ])(
    'DR-01, REQ-24: the consent page says how far to trust the name that a client has: %s',
    async (_, client, identity, text) => {
      const known = { ...client, clientId: 'https://a.example/app.json' }
      expect(await consent({ client: known, identity })).toContain(text)
    },
  )

  it('CM-13: the consent page shows the whole address of a document, escaped, and its host larger', async () => {
    const clientId = "https://a.example/claude.ai/x'onclick='alert(1)&lt;/app.json"
    const client = { ...CLIENT, origin: 'document' as const, clientId }
    const body = await consent({ client, identity: { host: 'a.example', loopback: false } })
    const rest = '/claude.ai/x&#39;onclick=&#39;alert(1)&amp;lt;/app.json'
    expect(body).toContain(`https://<strong class="host">a.example</strong>${rest}</code>`)
  })

  it('shows a private-use address with its scheme', async () => {
    const cursor = 'cursor://anysphere.cursor-mcp/oauth/callback'
    const body = await consent({ redirectUri: cursor })
    expect(body).toContain('<bdi class="host" dir="ltr">cursor://anysphere.cursor-mcp</bdi>')
    expect(body).toContain('Not verified: it chose this name itself.')
  })

  it('has the whole address and the reference of the sign-in attempt, if there is one, in one disclosure', async () => {
    const folded = /<details>([\s\S]*?)<\/details>/.exec(await consent({ reference: '7K3M-Q2WD' }))?.[1]
    expect(folded).toContain('<code dir="ltr">http://127.0.0.1:8123/callback?state=1</code>')
    expect(folded).toContain('<dt>Reference</dt><dd><code dir="ltr">7K3M-Q2WD</code></dd>')
    expect(await consent({})).not.toContain('<dt>Reference</dt>')
  })

  it('leads whoever is somebody else to a sign-out that comes back', async () => {
    expect(await consent({})).toContain('/logout?to=%2Foauth%2Fauthorize%3Fclient_id%3Dc1')
  })

  it('says nothing of a user who is unknown', async () => {
    expect(await consent({}, { brand: BRAND, user: () => undefined })).not.toContain('Signed in as')
  })
})

describe('the consent page of a known client', () => {
  const consent = async (origin: PublicClient['origin'], clientName?: string, locale = 'en') => {
    const client = { ...CLIENT, origin, clientName, clientId: 'https://chatgpt.com/oauth/client.json' }
    const { body } = await ui.interaction.consentPage(consentView(locale, { ...KNOWN, client }))
    return body
  }
  const CALLS_ITSELF = 'The app calls itself'

  it('shows the verified host before what the client calls itself', async () => {
    const body = await consent('registered', 'Payroll')
    expect(body).toMatch(
      /<p class="app-name"><bdi>ChatGPT<\/bdi><\/p>\s*<p class="quiet">Verified: your answer goes to <strong><bdi dir="ltr">chatgpt\.com<\/bdi><\/strong> and nowhere else\. The app calls itself <bdi>Payroll<\/bdi>\./,
    )
    expect(body).not.toMatch(/chose this name|describes it|Described by/)
  })

  it('says where the answer goes once, where that is the verified host', async () => {
    expect(await consent('registered')).not.toContain('Sends you to')
    const view = consentView('en', { ...KNOWN, redirectUri: 'https://login.chatgpt.com/callback' })
    const { body } = await ui.interaction.consentPage(view)
    expect(body).toMatch(/Sends you to<\/dt><dd><bdi class="host" dir="ltr">login\.chatgpt\.com</)
  })

  it.each(['ChatGPT', undefined])('says its name once where it calls itself %s', async (clientName) => {
    expect(await consent('registered', clientName)).not.toContain(CALLS_ITSELF)
  })

  it('shows the document of one that has it', async () => {
    expect(await consent('document', 'ChatGPT')).toContain('<dt>Described by</dt>')
  })

  it('has the name that the operator gave it', async () => {
    const body = await consent('integration', 'Our assistant')
    expect(body).toContain('<p class="app-name"><bdi>Our assistant</bdi></p>')
    expect(body).toMatch(/Verified: .* Set up by <bdi>/)
    expect(body).not.toContain(CALLS_ITSELF)
  })

  it.each(['registered', 'document', 'integration'] as const)(
    'says who gains access, and leads no user to Allow: %s',
    async (origin) => {
      const body = await consent(origin, 'ChatGPT')
      expect(body).toContain(
        '<strong>Whoever began this at <bdi dir="ltr">chatgpt.com</bdi> can use this access as you.</strong> Go on only if you began it there yourself',
      )
      expect(body).toMatch(/value="deny">[\s\S]*value="allow" class="">/)
      expect(body).not.toContain('class="primary"')
    },
  )
})

it('the page of a sign-out may lead its form to the app', async () => {
  const { request, session, client } = consentView('en')
  const view = { request, session, client, locale: 'en', action: '/logout/confirm', ticket: 'x' }
  const page = await ui.logout.logoutPage({ ...view, formActionSources: ['http://127.0.0.1:8123'] })
  expect(policyOf(page)).toContain("form-action 'self' http://127.0.0.1:8123;")
})

describe('the page of a request without a browser', () => {
  it('shows what the app says in quotes, the warning, and buttons of one size, the denial first', async () => {
    const { body = '' } = (await shownPages(ui, 'en').request?.()) ?? {}
    expect(body).toContain('<dt>The app says</dt><dd><q>“<bdi>Order 17: a desk for 249 EUR</bdi>”</q></dd>')
    expect(body).toContain('<strong>Deny if you do not expect this.</strong>')
    expect(body).toContain('from the network <bdi dir="ltr"><code>203.0.113.0/24</code></bdi>')
    const [, buttons = ''] = /<div class="decision"[^>]*>(.*?)<\/div>/s.exec(body) ?? []
    expect([...buttons.matchAll(/<button[^>]*value="(\w+)"/g)].map(([, value]) => value)).toEqual([
      'deny',
      'allow_reading',
      'allow',
    ])
    expect(buttons).not.toContain('primary')
  })

  it('has a button against each app that asked in vain, and another for each that is silenced', async () => {
    const { body = '' } = (await shownPages(ui, 'en')['requests-none']?.()) ?? {}
    const forms = [...body.matchAll(/name="never" value="(\w*)">\s*<button>([^<]*)</g)]
    expect(forms.map(([, never, button]) => [never, button])).toEqual([
      ['yes', 'Do not let it ask again'],
      ['', 'Let it ask again'],
    ])
  })

  it('sends nobody back to an app in which they began nothing', async () => {
    const { request } = consentView('en')
    const error = {
      request,
      locale: 'en',
      error: 'invalid_request',
      status: 400,
      description: '',
      parameters: {},
    }
    const adviceOf = async (reason: string) => (await ui.interaction.errorPage({ ...error, reason })).body
    expect(await adviceOf('backchannel_request_gone')).toContain('the app must ask again')
    expect(await adviceOf('backchannel_ticket_invalid')).toContain('open the requests page again')
    expect(await adviceOf('backchannel_request_unknown')).not.toContain('start again')
  })

  it('escapes what the app says', async () => {
    const { request, session } = consentView('en')
    const view = {
      ...{ request, session, locale: 'en', action: '/oauth/requests', ticket: 'x' },
      ...{ unanswered: [], blocked: [] },
    }
    const waiting = { client: CLIENT, message: '”</q><script>', age: 1, href: '/oauth/requests?request=r' }
    const { body } = await ui.requests.requestsPage({ ...view, requests: [waiting] })
    expect(body).toContain('“<bdi>”&lt;/q&gt;&lt;script&gt;</bdi>”')
  })
})

describe('the pages of a device', () => {
  it('have Deny before Allow, and lead no user to Allow', async () => {
    const page = await shownPages(ui, 'en').device?.()
    expect(page?.body).toMatch(/value="deny">[\s\S]*value="allow" class="">/)
  })

  it('escape what was typed', async () => {
    const { request, session } = consentView('en')
    const view = { request, session, locale: 'en', action: '/oauth/device', ticket: 'x' }
    const { body } = await ui.device.userCodePage({ ...view, typed: '"><script>', wrong: true })
    expect(body).toContain('value="&quot;&gt;&lt;script&gt;"')
  })
})

describe('the error page', () => {
  const shown = (reason: string, status = 400, options = OPTIONS, reference?: string) =>
    pages(options).interaction.errorPage({
      ...(reference && { reference }),
      ...{ request: consentView('de').request, locale: 'de', error: 'invalid_client', reason, status },
      description: 'No client has this client_id',
      parameters: { client_id: '<c1>' },
    })

  it('advises the user in their language, and the developer in English', async () => {
    const { body, status } = await shown('client_unknown')
    expect(status).toBe(400)
    expect(body).toContain('kennt diese App nicht')
    expect(body).toContain('<div lang="en" dir="ltr">')
    expect(body).toContain('<dt>client_id</dt><dd><code>&lt;c1&gt;</code></dd>')
    expect(body).toContain('No client has this client_id')
  })

  it.each([
    ['organization_missing', 'Sie gehören zu keiner Organisation'],
    ['organization_not_member', 'Sie gehören nicht zu dieser Organisation'],
    ['details_not_shown', 'Die Seite hat nicht alles gezeigt'],
    ['user_decision_missing', 'Eine Auswahl fehlte'],
  ])('says of %s "%s …"', async (reason, text) => {
    expect((await shown(reason)).body).toContain(text)
  })

  it('folds what is for the developer, so that the user reads the advice', async () => {
    const { body } = await shown('client_unknown')
    const folded = String(/<details class="developer">[\s\S]*<\/details>/.exec(String(body)))
    expect(folded).toContain('No client has this client_id')
    expect(folded).not.toContain('kennt diese App nicht')
  })

  it('says that the service does not work, if that is so', async () => {
    const { body, status } = await shown('store_unavailable', 503)
    expect([status, body]).toEqual([503, expect.stringContaining('Das geht im Moment nicht')])
  })

  it('has the reference of the sign-in attempt for the user and for the developer', async () => {
    const { body } = await shown('client_unknown', 400, OPTIONS, '7K3M-Q2WD')
    expect(body).toContain('geben Sie diese Referenz an: <bdi dir="ltr"><code>7K3M-Q2WD</code></bdi></p>')
    expect(body).toContain('<dt>reference</dt><dd><code>7K3M-Q2WD</code></dd>')
    expect((await shown('client_unknown')).body).not.toContain('>reference<')
  })

  it('blames the app for whatever it does not know', async () => {
    expect((await shown('reason_of_a_feature')).body).toContain('hat einen Fehler gemacht')
  })

  it('names the ways in which an app can register, if it knows the metadata', async () => {
    const metadata = () => ({ registration_endpoint: 'https://notes.example/register' }) as never
    expect((await shown('client_unknown', 400, { ...OPTIONS, metadata })).body).toContain(
      '<dt>registration_endpoint</dt><dd><code>https://notes.example/register</code></dd>',
    )
    expect((await shown('client_unknown')).body).not.toContain('<dt>registration_endpoint</dt>')
  })

  it('tells the developer what to do in the words that an operator would send', async () => {
    const { body } = await shown('redirect_uri_not_registered')
    expect(body).toContain('<p>Send a <code>redirect_uri</code> that the client registered, byte for byte')
  })

  it.each(['consent_ticket_invalid', 'store_unavailable', 'reason_of_a_feature'])(
    'tells the developer nothing to do about %s, which no app can change',
    async (reason) => {
      expect((await shown(reason)).body).not.toContain('Accept: application/json')
    },
  )
})

describe('the page that opens an app', () => {
  const view = {
    request: { method: 'POST', path: '/oauth/consent', query: '', headers: {}, body: '' },
    ...{ locale: 'en', client: CLIENT, allowed: true, lifetime: 60 },
    redirectUri: 'cursor://anysphere.cursor-mcp/oauth/callback',
    callbackUrl: 'cursor://anysphere.cursor-mcp/oauth/callback?code=a&state=%22%3E&iss=b',
  }
  const bodyOf = async (other: Partial<typeof view> = {}) =>
    (await ui.interaction.openAppPage({ ...view, ...other })).body

  it('has the name of the app, its address with the scheme, and a link with the whole answer', async () => {
    const body = await bodyOf()
    expect(body).toContain('<h1>Back to <bdi>Desk Calendar</bdi></h1>')
    expect(body).toContain('<bdi class="host" dir="ltr">cursor://anysphere.cursor-mcp</bdi>')
    expect(body).toContain(
      'href="cursor://anysphere.cursor-mcp/oauth/callback?code=a&amp;state=%22%3E&amp;iss=b"',
    )
    expect(body).toContain('for 60 seconds')
  })

  it('has no name for an app without one', async () => {
    const { clientName: _, ...client } = CLIENT
    expect(await bodyOf({ client })).toContain('<h1>Back to the app</h1>')
  })

  it('says of a denial that the app has no access, and offers the way back too', async () => {
    const body = await bodyOf({ allowed: false, callbackUrl: `${view.redirectUri}?error=access_denied` })
    expect(body).toContain('The app did not get access.')
    expect(body).toContain('?error=access_denied"')
    expect(body).not.toContain('class="primary"')
    expect(body).not.toContain('seconds')
  })

  it('sends no form and loads nothing', async () => {
    const policy = policyOf(await ui.interaction.openAppPage(view))
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]+; form-action 'none'; base-uri 'none'/,
    )
  })

  it('lets its address leave no attribute', async () => {
    const callbackUrl = 'app:/cb?state="><script>alert(1)</script>'
    expect(await bodyOf({ callbackUrl })).toContain('href="app:/cb?state=&quot;&gt;&lt;script&gt;')
  })
})
