import { formEncoded } from '@grantkit/testkit/client'
import { describe, expect, it } from 'vitest'
import { bodyOf } from './client.ts'
import { AUTHORIZE, DEVICE, FORM, GERMAN, LOGOUT, openPages } from './pages-service.ts'
import { REDIRECT_URI } from './service.ts'

/** What every page gets: the request of the browser, the language to speak, and texts in it. */

type Opened = Awaited<ReturnType<typeof openPages>>
type Sent = Record<string, string>

const toConsent = async ({ open, queryOf, viewOf }: Opened, sent: Sent) => {
  await open(`${AUTHORIZE}?${queryOf(sent)}`)
  return viewOf('consent')
}

const toDevice = async ({ open, post, viewOf, userCodeFor }: Opened, scope = 'openid') => {
  const user_code = await userCodeFor(scope)
  await open(DEVICE)
  await post(DEVICE, { ticket: viewOf('user code').ticket, user_code })
  return viewOf('device')
}

type Visit<Input extends unknown[]> = [
  page: string,
  how: string,
  visit: (opened: Opened, ...input: Input) => unknown,
]

/** Pages that a client sends the browser to, with parameters of the request. */
const OF_REQUESTS: Visit<[sent: Sent]>[] = [
  ['sign-in', 'without a session', ({ open, queryOf }, sent) => open(`${AUTHORIZE}?${queryOf(sent)}`, '')],
  ['consent', 'of a GET', ({ open, queryOf }, sent) => open(`${AUTHORIZE}?${queryOf(sent)}`)],
  ['consent', 'of a POST', ({ post, queryOf }, sent) => post(AUTHORIZE, queryOf(sent))],
  [
    'consent',
    'of a pushed request',
    async ({ open, push }, sent) => open(`${AUTHORIZE}?${await push(sent)}`),
  ],
  [
    'consent',
    'again, after an expired form',
    async (opened, sent) => {
      const { action } = await toConsent(opened, sent)
      await opened.post(action, { ticket: 'expired', decision: 'allow' })
    },
  ],
  [
    'callback',
    'after the consent form',
    async (opened, sent) => {
      const { action, ticket } = await toConsent(opened, sent)
      await opened.post(action, { ticket, decision: 'deny', callback: 'show' })
    },
  ],
  [
    'form post',
    'after the consent form',
    async (opened, sent) => {
      const { action, ticket } = await toConsent(opened, { ...sent, response_mode: 'form_post' })
      await opened.post(action, { ticket, decision: 'allow' })
    },
  ],
  [
    'form post',
    'of an error before any page',
    ({ open, queryOf }, sent) =>
      open(`${AUTHORIZE}?${queryOf({ ...sent, response_mode: 'form_post', scope: 'unknown' })}`),
  ],
  [
    'error',
    'of a GET',
    ({ open, queryOf }, sent) => open(`${AUTHORIZE}?${queryOf({ ...sent, client_id: 'unknown' })}`),
  ],
  [
    'error',
    'of a POST',
    ({ post, queryOf }, sent) => post(AUTHORIZE, queryOf({ ...sent, client_id: 'unknown' })),
  ],
  [
    'error',
    'of a pushed request that has expired',
    async ({ service, open, push }, sent) => {
      const query = await push(sent)
      service.clock.now += 60
      await open(`${AUTHORIZE}?${query}`)
    },
  ],
  [
    'error',
    'of a consent form',
    async (opened, sent) => {
      const { action, ticket } = await toConsent(opened, sent)
      await opened.post(action, { ticket, decision: 'deny' }, { origin: 'https://evil.example' })
    },
  ],
  ['logout', 'of a GET', ({ open }, sent) => open(`${LOGOUT}?${formEncoded(sent)}`)],
  ['logout', 'of a POST', ({ post }, sent) => post(LOGOUT, sent)],
  ['signed out', 'without a session', ({ open }, sent) => open(`${LOGOUT}?${formEncoded(sent)}`, '')],
  [
    'signed out',
    'after the form',
    async ({ post, viewOf }, sent) => {
      await post(LOGOUT, sent)
      const { action, ticket } = viewOf('logout')
      await post(action, { ticket })
    },
  ],
  [
    'error',
    'of a GET of logout',
    ({ open }, sent) => open(`${LOGOUT}?${formEncoded({ ...sent, post_logout_redirect_uri: REDIRECT_URI })}`),
  ],
  ['error', 'of a POST of logout', ({ post }, sent) => post(LOGOUT, { ...sent, state: 'x'.repeat(9000) })],
  [
    'error',
    'of a logout form',
    async ({ post, viewOf }, sent) => {
      await post(LOGOUT, sent)
      await post(viewOf('logout').action, { ticket: 'expired' })
    },
  ],
]

/** Pages that a user goes to. */
const OF_USERS: Visit<[]>[] = [
  ['sign-in', 'of a device', ({ open }) => open(DEVICE, '')],
  ['user code', 'of a GET', ({ open }) => open(DEVICE)],
  [
    'user code',
    'again, after a wrong one',
    async ({ open, post, viewOf }) => {
      await open(DEVICE)
      await post(DEVICE, { ticket: viewOf('user code').ticket, user_code: 'wrong' })
    },
  ],
  ['device', 'after its code', (opened) => toDevice(opened)],
  [
    'device answered',
    'after the form',
    async (opened) => {
      const { action, ticket } = await toDevice(opened)
      await opened.post(action, { ticket, decision: 'deny' })
    },
  ],
  ['error', 'of a device form', ({ post }) => post(DEVICE, {})],
]

const inLocale = (page: string, locale: string) => ({
  page,
  view: { locale, request: { headers: GERMAN } },
})

describe('a page gets its request, and speaks the language of the browser', () => {
  it.each(OF_USERS)('%s %s', async (page, _, visit) => {
    const opened = await openPages()
    await visit(opened)
    expect(opened.lastShown()).toMatchObject(inLocale(page, 'de'))
  })
})

describe('a page gets its request, and speaks the language that the client asks for by ui_locales', () => {
  it.each(OF_REQUESTS)('%s %s', async (page, _, visit) => {
    const opened = await openPages()
    await visit(opened, { ui_locales: 'nl fr' })
    expect(opened.lastShown()).toMatchObject(inLocale(page, 'fr'))
  })

  it('logout, where a repeated one counts as none and is no error', async () => {
    const { post, lastShown } = await openPages()
    await post(LOGOUT, 'ui_locales=fr&ui_locales=en')
    expect(lastShown()).toMatchObject(inLocale('logout', 'de'))
  })
})

it('the languages of the pages are published as ui_locales_supported', async () => {
  const { service } = await openPages()
  const { ui_locales_supported } = bodyOf(
    await service.send('GET', '/.well-known/oauth-authorization-server'),
  )
  expect(ui_locales_supported).toEqual(['en', 'de', 'fr'])
})

describe('scopes have texts in the language of the page, else in the first language of the pages that has one', () => {
  const scope = 'courses:read courses:write students:read'

  it.each([
    ['consent', (opened: Opened) => toConsent(opened, { scope })],
    ['device', (opened: Opened) => toDevice(opened, scope)],
  ] as const)('on the page of a %s', async (page, visit) => {
    const opened = await openPages()
    await visit(opened)
    expect(opened.viewOf(page).scopes).toEqual([
      {
        ...{ name: 'courses:read', description: 'Kurse sehen', area: 'Kurse', access: 'read' },
        ...{ required: false, allowedBefore: false },
      },
      { name: 'courses:write', description: 'Change courses', required: false, allowedBefore: false },
      {
        ...{ name: 'students:read', description: 'See students', area: 'Students', access: 'read' },
        ...{ required: false, allowedBefore: false },
      },
    ])
  })
})

describe('an error page names what the error is about', () => {
  it.each<[string, (opened: Opened) => unknown, object]>([
    [
      'a parameter',
      ({ open, queryOf }) => open(`${AUTHORIZE}?${queryOf({ redirect_uri: 'x'.repeat(9000) })}`),
      { parameter: 'redirect_uri' },
    ],
    ['a parameter of a form', ({ post }) => post(DEVICE, { user_code: 'x' }), { parameter: 'ticket' }],
    [
      'a media type',
      ({ post }) => post(DEVICE, '{}', { 'content-type': 'application/json' }),
      { mediaType: FORM },
    ],
    ['nothing', ({ open, queryOf }) => open(`${AUTHORIZE}?${queryOf({ client_id: 'unknown' })}`), {}],
  ])('%s', async (_, visit, parameters) => {
    const opened = await openPages()
    await visit(opened)
    expect(opened.viewOf('error').parameters).toEqual(parameters)
  })
})
