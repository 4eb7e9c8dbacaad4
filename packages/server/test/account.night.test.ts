import type { Store } from '@grantkit/core'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { linkIn, runMailServer } from '@grantkit/test-servers/mail-server'
import { expectOnEveryScreen } from '@grantkit/test-servers/screens'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type RunningServer, runServer, WITH_API } from './running-server.ts'
import { type SignedIn, signedIn } from './signed-in-browser.ts'

/** The account page: a user sees the connected apps and disconnects them. */

const scopes = {
  openid: { description: 'Know who you are' },
  profile: { description: 'See your profile' },
  'notes:read': { description: 'Read your notes' },
  'notes:write': { description: 'Change your notes', access: 'write' as const },
  'orders:read': { description: 'See the orders' },
}
let server: RunningServer
beforeAll(async () => {
  server = await runServer({}, { scopes }, WITH_API)
})
afterAll(() => server.close())

async function statusOf(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${server.baseUrl}/api/notes`, { headers })).status
}

async function refreshStatus({ client_id, refresh_token }: SignedIn): Promise<number> {
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
  return (await fetch(`${server.baseUrl}/api/oauth/token`, { method: 'POST', body })).status
}

async function signIn(page: Page, password = 'demo'): Promise<void> {
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe('the account page in a browser without JavaScript', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openChromium({ javaScriptEnabled: false })
  })
  afterAll(() => browser.close())

  async function openAccount(): Promise<Page> {
    await browser.context.clearCookies()
    const page = await browser.context.newPage()
    await page.goto(`${server.baseUrl}/account`)
    await signIn(page)
    return page
  }

  it('shows each app once, and disconnects the one that the user chose', async () => {
    const [app, other] = [
      await signedIn(server.baseUrl, 'openid notes:read orders:read', undefined, 'demo', 'Reports'),
      await signedIn(server.baseUrl, 'notes:read'),
    ]
    const page = await openAccount()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Your account')
    const cards = page.locator('article', { has: page.getByRole('button', { name: 'Disconnect' }) })
    expect(await cards.count()).toBe(2)
    const card = cards.filter({ hasText: 'See the orders' })
    expect(await card.textContent()).toMatch(/127\.0\.0\.1:49200, on this device.*Last used.*First used/s)
    await card.getByRole('button', { name: 'Disconnect' }).click()
    expect(await page.getByRole('status').textContent()).toContain('is disconnected')
    expect(await cards.count()).toBe(1)
    expect([await statusOf(app.access_token), await refreshStatus(app)]).toEqual([401, 400])
    expect([await statusOf(other.access_token), await refreshStatus(other)]).toEqual([200, 200])
    expect(server.events.filter(({ type }) => type === 'grant_revoked')).toMatchObject([{ by: 'user' }])
    await page.close()
  })

  it('has one card for the installations of an app, with forms to disconnect one of them or all', async () => {
    const connect = () => signedIn(server.baseUrl, 'notes:read', undefined, 'demo', 'Editor')
    const apps = [await connect(), await connect(), await connect()]
    const page = await openAccount()
    const card = page.getByRole('article').filter({ hasText: 'Editor' })
    expect([await card.count(), await card.getByText('3 installations').count()]).toEqual([1, 1])
    expect(await card.getByRole('button', { name: 'Disconnect Editor' }).count()).toBe(0)
    await card.locator('details.installation > summary').first().click()
    await card.getByRole('button', { name: 'Disconnect Editor' }).click()
    expect(await card.getByText('2 installations').count()).toBe(1)
    const left = await Promise.all(apps.map(({ access_token }) => statusOf(access_token)))
    expect(left.sort()).toEqual([200, 200, 401])
    await card.getByRole('button', { name: 'Disconnect all 2' }).click()
    expect(await page.getByRole('status').textContent()).toContain('Editor is disconnected')
    expect(await card.count()).toBe(0)
    expect(await Promise.all(apps.map(({ access_token }) => statusOf(access_token)))).toEqual([401, 401, 401])
    await page.close()
  })

  it('shows this sign-in, and signs out', async () => {
    const page = await openAccount()
    const signIns = page.getByRole('region', { name: 'Where you are signed in' })
    expect(await signIns.getByRole('listitem').first().textContent()).toMatch(
      /UTC.*127\.0\.0\.0\/24.*this browser/,
    )
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.goto(`${server.baseUrl}/account`)
    expect(await page.getByLabel('Password').count()).toBe(1)
    await page.close()
  })
})

describe('every screen fits the page, which passes axe', () => {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    browser = await openChromium()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    await browser.context.clearCookies()
    page = await browser.context.newPage()
  })

  it('when a forgotten password is replaced, on the way to the account page', async () => {
    const mailServer = await runMailServer()
    onTestFinished(() => mailServer.close())
    const sending = await runServer(mailServer.environment)
    onTestFinished(() => sending.close())
    await page.goto(`${sending.baseUrl}/login?return_to=/account`)
    await expectOnEveryScreen(page)
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await expectOnEveryScreen(page)
    await page.getByLabel('Email').fill('demo@example.com')
    await page.getByRole('button', { name: 'Send the link' }).click()
    await expectOnEveryScreen(page)
    await expect.poll(() => mailServer.mails.length).toBe(1)
    await page.goto(linkIn(mailServer.mails[0] ?? { to: '', content: '' }))
    await expectOnEveryScreen(page)
    await page.getByLabel('New password', { exact: true }).fill('a new password')
    await page.getByLabel('New password again').fill('a new password')
    await page.getByRole('button', { name: 'Set password' }).click()
    await expectOnEveryScreen(page)
    await page.getByRole('link', { name: 'sign in with the new password' }).click()
    await signIn(page, 'a new password')
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Your account')
  })

  it('when a user disconnects an app on the account page, and opens the form for a new password', async () => {
    await signedIn(server.baseUrl, 'openid profile notes:read notes:write orders:read')
    await page.goto(`${server.baseUrl}/account`)
    await signIn(page)
    await expectOnEveryScreen(page)
    await page.getByRole('button', { name: 'Disconnect' }).first().click()
    await page.getByText('Change password').first().click()
    await expectOnEveryScreen(page)
  })
})

describe('the account page of a user with many apps', () => {
  let many: RunningServer
  let pages = { read: 0, grants: 0 }
  let visit: (path: string, form?: Record<string, string>) => Promise<Response>
  beforeAll(async () => {
    const wrapped = (store: Store): Store => ({
      ...store,
      grants: {
        ...store.grants,
        async list(owner, page) {
          const listed = await store.grants.list(owner, page)
          pages = { read: pages.read + 1, grants: pages.grants + listed.grants.length }
          return listed
        },
      },
    })
    many = await runServer({}, {}, { wrapped })
    const { store } = many
    const { client_id } = await signedIn(many.baseUrl, 'notes:read')
    const client = (await store.clients.find(client_id))?.value
    const [grant] = (await store.grants.list({ subject: 'demo-account' }, { limit: 200 })).grants
    if (client === undefined || grant === undefined) throw new Error('No user is signed in')
    const add = async (app: number) => {
      const own = { clientId: `app-${app}`, clientName: `App ${app}` }
      const [createdAt, expiresAt] = [grant.createdAt - app, grant.expiresAt - app]
      await store.clients.insert(own.clientId, { ...client, ...own }, client.expiresAt)
      for (const part of ['a', 'b']) {
        const id = `${own.clientId}-${part}` as typeof grant.id
        await store.grants.insert(
          id,
          { ...grant, id, clientId: own.clientId, createdAt, expiresAt },
          expiresAt,
        )
      }
    }
    for (let app = 2; app <= 101; app++) await add(app)
    const { cookie } = await visitor('demo', many.baseUrl)
    visit = (path, form) =>
      fetch(new URL(path, many.baseUrl), {
        headers: { cookie },
        redirect: 'manual',
        ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
      })
  })
  afterAll(() => many.close())

  const appsOn = (page: string) =>
    [...page.matchAll(/name="installation" value="([^"]+)">\s*<button class="danger"/g)].map(([, id]) => id)
  const nextOn = (page: string) => /rel="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')

  it('shows some at a time, the newest first, and leads from page to page and back to the first', async () => {
    const first = await (await visit('/account')).text()
    expect(first).not.toContain('rel="first"')
    const second = await (await visit(nextOn(first) ?? '')).text()
    const [one, two] = [appsOn(first), appsOn(second)]
    expect([one.length, two.length]).toEqual([26, 26])
    expect(new Set([...one, ...two]).size).toBe(51)
    expect([one.includes('app-2'), two.includes('app-50'), one.includes('app-50')]).toEqual([
      true,
      true,
      false,
    ])
    expect(second).toContain('rel="first" href="/account"')
  })

  it.each(['0', 'x', '1e99.x', '%00'])('shows the first page for the cursor "%s"', async (after) => {
    expect(appsOn(await (await visit(`/account?after=${after}`)).text())).toContain('app-2')
  })

  it('disconnects an app of a later page with all its grants, and stays there', async () => {
    const later = nextOn(await (await visit('/account')).text()) ?? ''
    const page = await (await visit(later)).text()
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(page) ?? []
    const answer = await visit(later, { ticket: token, installation: 'app-26' })
    expect(answer.headers.get('location')).toContain(`${later}&notice=`)
    const after = await (await visit(answer.headers.get('location') ?? '')).text()
    expect(after).toContain('App 26 is disconnected')
    const owner = { subject: 'demo-account', clientId: 'app-26' }
    const { grants } = await many.store.grants.list(owner, { limit: 9 })
    expect(grants.filter(({ clientId }) => clientId === owner.clientId)).toEqual([])
  })

  it('reads one page of grants each time, and forty visits at once delay no other request', async () => {
    const cookie = await sessionCookie(many.baseUrl, 'teacher@example.com', 'teacher')
    pages = { read: 0, grants: 0 }
    const answers = await Promise.all([
      ...Array.from({ length: 40 }, () => visit('/account')),
      fetch(`${many.baseUrl}/account`, { headers: { cookie }, redirect: 'manual' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual(Array(41).fill(200))
    expect(pages).toEqual({ read: 41, grants: 40 * 50 })
  })
})

/** A user who sends requests that no browser would send. */
async function visitor(word: 'demo' | 'teacher', baseUrl = server.baseUrl) {
  const cookie = await sessionCookie(baseUrl, `${word}@example.com`, word)
  const page = await (await fetch(`${baseUrl}/account`, { headers: { cookie } })).text()
  return { cookie, page, token: /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '' }
}

function disconnect(fields: Record<string, string>, headers: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams(fields)
  return fetch(`${server.baseUrl}/account`, { method: 'POST', redirect: 'manual', headers, body })
}

describe('the form of the account page', () => {
  it('disconnects nothing without a session', async () => {
    const app = await signedIn(server.baseUrl, 'notes:read')
    const { token } = await visitor('demo')
    const answers = [
      await fetch(`${server.baseUrl}/account`, { redirect: 'manual' }),
      await disconnect({ ticket: token, installation: app.client_id }, {}),
      await disconnect({ ticket: token, installation: app.client_id }, { cookie: 'session=forged' }),
    ]
    for (const { status, headers } of answers) {
      expect([status, headers.get('location')]).toEqual([303, '/login?return_to=%2Faccount'])
    }
    expect(await statusOf(app.access_token)).toBe(200)
  })

  it('is refused from another site, and with a token of another page, another user or another sign-in', async () => {
    const app = await signedIn(server.baseUrl, 'notes:read')
    await signedIn(server.baseUrl, 'notes:read', undefined, 'teacher')
    const [{ cookie, token }, teacher, elsewhere] = [
      await visitor('demo'),
      await visitor('teacher'),
      await visitor('demo'),
    ]
    for (const [sent, headers] of [
      [token, { 'sec-fetch-site': 'cross-site' }],
      ['', {}],
      ['a.b.c', {}],
      [teacher.token, {}],
      [elsewhere.token, {}],
    ] as const) {
      const answer = await disconnect({ ticket: sent, installation: app.client_id }, { cookie, ...headers })
      expect([answer.status, await answer.text()], sent).toEqual([
        403,
        expect.stringContaining('Nothing was changed'),
      ])
    }
    expect(teacher.token && elsewhere.token).not.toBe('')
    expect(await statusOf(app.access_token)).toBe(200)
  })

  it('escapes the name of an app', async () => {
    await signedIn(server.baseUrl, 'notes:read', undefined, 'demo', '"><script>alert(1)</script>')
    const { cookie, page } = await visitor('demo')
    expect(page).toContain('&lt;script&gt;')
    expect(page).not.toContain('<script')
    const notice = `${server.baseUrl}/account?notice=%3Cscript%3Eforged`
    expect(await (await fetch(notice, { headers: { cookie } })).text()).not.toContain('is disconnected')
  })
})
