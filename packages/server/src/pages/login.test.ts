import { pages } from '@grantkit/pages'
import { createMemoryStore } from '@grantkit/store-memory'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { memoryAccounts } from '../../test/memory-accounts.ts'
import { DANA, THEO } from '../../test/people.ts'
import { accountDirectory } from '../accounts/account-directory.ts'
import { passkeyRows } from '../accounts/passkeys/passkey-rows.ts'
import { passwordChecks } from '../accounts/passwords.ts'
import { prefetch, type WithBody } from '../http/bodies-and-answers.ts'
import { countersInMemory } from '../limits/counters.ts'
import { guessLimits } from '../limits/guess-limits.ts'
import { signInLimits } from '../limits/rate-limiter.ts'
import { enrolmentsOf } from '../sign-in/enrolments.ts'
import { knownBrowsers } from '../sign-in/known-browsers.ts'
import { requiredPasskeys } from '../sign-in/required-passkeys.ts'
import { sessionsOfBrowsers } from '../sign-in/session.ts'
import { waitingIdentities } from '../sign-in/waiting-identities.ts'
import { adminSignIns, waysToSignIn } from '../sign-in/ways-to-sign-in.ts'
import { login } from './login.ts'
import type { PageParts } from './parts.ts'
import { signInPage } from './sign-in-page.ts'

const BASE_URL = 'https://server.example'
const SECRET = 'a secret of the tests, long enough'
const { database, accounts } = await memoryAccounts()
for (const account of [DANA, THEO]) await accounts.add(account)

const free = requiredPasskeys({
  ...{ rule: undefined, accounts },
  ...{ directory: accountDirectory(database), passkeys: passkeyRows(database) },
})

function openLogin(
  onEvent: PageParts['onEvent'] = () => {},
  sessions = sessionsOfBrowsers({ secret: SECRET, baseUrl: BASE_URL, accounts, demandPasskey: free.demand }),
) {
  const store = createMemoryStore()
  const site = { basePath: '', ui: pages({ brand: { name: 'Notes' } }) }
  const limits = signInLimits(countersInMemory)
  const ways = waysToSignIn({
    ...{ name: 'A', secret: SECRET, baseUrl: BASE_URL },
    ...{ store, database, accounts, providers: [] },
  })
  const options: Partial<PageParts> = {
    site,
    baseUrl: BASE_URL,
    secret: SECRET,
    accounts,
    sessions,
    limits,
    guesses: guessLimits(countersInMemory),
    browsers: knownBrowsers({ secret: SECRET, baseUrl: BASE_URL, accounts }),
    checks: passwordChecks(),
    callerOf: () => undefined,
    reportFailed: () => undefined,
    requestingApp: async () => undefined,
    ways,
    requiredPasskeys: free,
    enrolments: enrolmentsOf({
      ...{ secret: SECRET, baseUrl: BASE_URL },
      ...{ store, accounts, passkeys: ways.passkeys },
    }),
    waiting: waitingIdentities({
      ...{ secret: SECRET, baseUrl: BASE_URL, accounts, ways },
      adminSignIns: adminSignIns({ ...ways, acr: undefined }),
    }),
    onEvent,
  }
  const parts = options as PageParts
  const { show, submit } = login(parts, signInPage(parts))
  return new Hono<WithBody>().get('/login', show).post('/login', prefetch, submit)
}

/** The form in the browser, ready to submit. */
async function formFrom(page: Response) {
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(await page.text()) ?? []
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { token, cookie }
}

async function submit(
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  page = openLogin(),
) {
  const { token, cookie } = await formFrom(await page.request('/login'))
  const body = new URLSearchParams({ token, email: 'demo@example.com', password: 'demo', ...fields })
  return page.request('/login', { method: 'POST', headers: { cookie, ...headers }, body })
}

type Page = ReturnType<typeof openLogin>

/** The status and the target of the answer to a form with the right password. */
async function posted(page: Page, token = '', cookie = '', fields: Record<string, string> = {}) {
  const typed = { token, email: 'demo@example.com', password: 'demo', return_to: '/account', ...fields }
  const body = new URLSearchParams(typed)
  const { status, headers } = await page.request('/login', { method: 'POST', headers: { cookie }, body })
  return { status, location: headers.get('location'), cookies: headers.getSetCookie() }
}

/** A browser with several tabs, which share its cookies. */
function tabsOf(page: Page) {
  const jar = new Map<string, string>()
  const keep = (lines: readonly string[]) => {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (line.includes('Max-Age=0')) jar.delete(name)
      else jar.set(name, value)
    }
  }
  const cookie = () => [...jar].map((pair) => pair.join('=')).join('; ')
  const get = async (path: string) => {
    const answer = await page.request(path, { headers: { cookie: cookie() } })
    keep(answer.headers.getSetCookie())
    return answer
  }
  return {
    get,
    open: async () => formFrom(await get('/login?prompt=')),
    async submit({ token }: { readonly token: string }, fields: Record<string, string> = {}) {
      const { status, location, cookies } = await posted(page, token, cookie(), fields)
      keep(cookies)
      return [status, location]
    },
    /** As if the cookie had ended. */
    forget(name: string) {
      for (const known of jar.keys()) if (known.includes(name)) jar.delete(known)
    },
  }
}

const otherForm = await formFrom(await openLogin().request('/login'))

describe('the sign-in form', () => {
  it('UI-09, REQ-21: a sign-in returns the user to the original page by a 303 without a body', async () => {
    const response = await submit({ return_to: '/oauth/authorize?x=1' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/oauth/authorize?x=1'])
    expect(await response.text()).toBe('')
    const cookies = response.headers.getSetCookie()
    expect(cookies, 'the forms of other tabs stay good').toEqual([
      expect.stringMatching(/^__Host-session=.+Secure/),
      expect.stringMatching(/^__Host-device\.[\w-]{8}=.+Max-Age=15552000.+HttpOnly; Secure/),
    ])
  })

  it('UI-08: a sign-in redirects only to this site', async () => {
    expect((await submit({ return_to: '//evil.example' })).headers.get('location')).toBe('/')
  })

  it('UI-09, UI-11: an unknown user and a wrong password get the same page, without the password', async () => {
    const answers = [
      await submit({ password: 'wrong-4711' }),
      await submit({ password: 'demo ' }),
      await submit({ email: 'nobody@example.com' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
    const bodies = await Promise.all(answers.map((answer) => answer.text()))
    expect(bodies[0]).toContain('do not belong together')
    expect(bodies[0]).not.toContain('wrong-4711')
    expect(new Set(bodies.map((body) => body.replaceAll(/value="[^"]*"/g, ''))).size).toBe(1)
  })

  it.each([
    ['without its token', { token: '' }, {}],
    ['with a forged token', { token: 'a.b.c' }, {}],
    ['without its cookie', {}, { cookie: '' }],
    ['with the cookie of another form', {}, { cookie: otherForm.cookie }],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling host', {}, { 'sec-fetch-site': 'same-site' }],
    ['from another origin', {}, { origin: 'https://evil.example' }],
  ])(
    'UI-02: the sign-in form belongs to one browser, and is not taken from another site: %s',
    async (_, fields, headers) => {
      const response = await submit(fields, headers as Record<string, string>)
      expect(response.status).toBe(403)
      expect(response.headers.get('set-cookie')).not.toContain('session')
    },
  )

  it.each([
    ['its own origin', { origin: BASE_URL }],
    [
      'the null origin that a page without a referrer has',
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
    ],
    [
      'another name of the server, as localhost is in development',
      { origin: 'http://localhost:3000', host: 'localhost:3000', 'sec-fetch-site': 'same-origin' },
    ],
  ])('is accepted from %s', async (_, headers) => {
    expect((await submit({}, headers as Record<string, string>)).status).toBe(303)
  })

  it.each([
    ['the first', 0],
    ['the last', 4],
  ])('signs in from %s of five tabs that a browser opened at once', async (_, used) => {
    const page = openLogin()
    const tabs = await Promise.all(
      Array.from({ length: 5 }, async () => formFrom(await page.request('/login'))),
    )
    const cookie = tabs.map((tab) => tab.cookie).join('; ')
    expect(await posted(page, tabs[used]?.token, cookie)).toMatchObject({ status: 303, location: '/account' })
  })

  it.each([
    ['was refused', 'wrong'],
    ['signed in', 'demo'],
  ])('signs in from a tab, and from the back button, after another tab %s', async (_, password) => {
    const browser = tabsOf(openLogin())
    const [older, newer] = [await browser.open(), await browser.open()]
    await browser.submit(newer, { password })
    await browser.submit(newer, { password })
    browser.forget('session')
    expect(await browser.submit(older)).toEqual([303, '/account'])
    browser.forget('session')
    expect(await browser.submit(older), 'sent again').toEqual([303, '/account'])
  })

  it('goes on in a tab that was too old, if another one signed in meanwhile', async () => {
    const browser = tabsOf(openLogin())
    await browser.submit(await browser.open())
    const old = { token: 'a form of yesterday' }
    expect(await browser.submit(old)).toEqual([303, '/account'])
    expect(await browser.submit(old, { prompt: 'login' }), 'a new sign-in was demanded').toEqual([403, null])
    browser.forget('session')
    expect(await browser.submit(old)).toEqual([403, null])
  })

  it('goes on at once in a browser that is signed in, unless a new sign-in is demanded', async () => {
    const browser = tabsOf(openLogin())
    await browser.submit(await browser.open())
    const answers = async (query: string) => {
      const { status, headers } = await browser.get(`/login?${query}`)
      return [status, headers.get('location')]
    }
    expect(await answers('return_to=/account')).toEqual([303, '/account'])
    expect(await answers('return_to=//evil.example')).toEqual([303, '/'])
    for (const demand of ['prompt=select_account', 'max_age=60', 'acr_values=phr'])
      expect(await answers(demand), demand).toEqual([200, null])
  })

  it('is shown while the database cannot say who is signed in', async () => {
    const sessions = sessionsOfBrowsers({
      secret: SECRET,
      baseUrl: BASE_URL,
      accounts,
      demandPasskey: free.demand,
    })
    const read = () => Promise.reject(new Error('the database is down'))
    const page = openLogin(() => {}, { ...sessions, read })
    expect((await page.request('/login')).status).toBe(200)
  })

  it('UI-11: guessing is slowed down, for this account only', async () => {
    const page = openLogin()
    for (let attempt = 0; attempt < 10; attempt++) await submit({ password: `guess ${attempt}` }, {}, page)
    const blocked = await submit({}, {}, page)
    expect([blocked.status, Number(blocked.headers.get('retry-after'))]).toEqual([
      429,
      expect.closeTo(900, -2),
    ])
    expect((await submit({ email: 'teacher@example.com', password: 'teacher' }, {}, page)).status).toBe(303)
  })

  it('is logged with its account and without the input', async () => {
    const events: unknown[] = []
    const page = openLogin((event) => events.push(event))
    await submit({}, {}, page)
    await submit({ password: 'wrong' }, {}, page)
    await submit({ email: 'my password', password: '' }, {}, page)
    for (let n = 0; n < 10; n++) await submit({ email: 'teacher@example.com', password: 'x' }, {}, page)
    await submit({ email: 'teacher@example.com', password: 'teacher' }, {}, page)
    expect(events.slice(0, 3)).toEqual([
      {
        type: 'sign_in_succeeded',
        subject: 'demo-account',
        sessionId: expect.any(String),
        signedInBy: 'password',
      },
      { type: 'sign_in_failed', reason: 'wrong_password', subject: 'demo-account' },
      { type: 'sign_in_failed', reason: 'wrong_password', subject: undefined },
    ])
    expect(events.at(-1)).toEqual({
      type: 'sign_in_failed',
      reason: 'too_many_attempts',
      subject: 'teacher-account',
    })
  })

  it('UI-05, REQ-74: the sign-in page escapes repeated input', async () => {
    const rejected = await submit({
      email: '"><script>alert(1)</script>',
      password: 'x',
      return_to: '/"><b>',
    })
    const body = await rejected.text()
    expect(body).not.toContain('<script>')
    expect(body).not.toContain('"><b>')
    const query = 'login_hint=%22%3E%3Cscript%3E&return_to=/%22%3E%3Cb%3E'
    const shown = await openLogin().request(`/login?${query}`)
    expect(await shown.text()).not.toMatch(/<script>|"><b>/)
  })
})
