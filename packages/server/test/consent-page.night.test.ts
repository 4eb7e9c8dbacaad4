/// <reference lib="dom" />
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { violations } from '@grantkit/test-servers/screens'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/** The consent page for an app that requests few scopes, more than before, and all. */

const AREAS = ['Courses', 'Events', 'Lecturers', 'Orders', 'Pages', 'Posts', 'Students', 'Vouchers']
const VERBS = { read: 'See', write: 'Create, change and delete' } as const
type Access = keyof typeof VERBS
const SCOPES: Readonly<Record<string, { description: string; area?: string; access?: Access }>> = {
  openid: { description: 'Know who you are' },
  ...Object.fromEntries(
    AREAS.flatMap((area) =>
      (['read', 'write'] as const).map((access) => {
        const name = area.toLowerCase()
        return [`${name}:${access}`, { description: `${VERBS[access]} ${name}`, area, access }]
      }),
    ),
  ),
}

let server: RunningServer
let browser: Browser
let page: Page
beforeAll(async () => {
  server = await runServer({}, { scopes: SCOPES })
  browser = await openChromium()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})
beforeEach(async () => {
  await browser.context.clearCookies()
  page = await browser.context.newPage()
})
afterEach(() => page.close())

function requestOf(client_id: string, scope: string): string {
  const query = {
    response_type: 'code',
    client_id,
    redirect_uri: 'http://127.0.0.1:49200/callback',
    scope,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }
  return `${server.baseUrl}/oauth/authorize?${new URLSearchParams(query)}`
}

async function ask(client_id: string, scope: string): Promise<void> {
  await page.goto(requestOf(client_id, scope))
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe('an app that requests more than before', () => {
  it('has its earlier scopes marked, and the user decides on all of them', async () => {
    const { client_id } = await signedIn(server.baseUrl, 'courses:read')
    await ask(client_id, 'courses:read courses:write')
    const labels = await page.locator('label.scope').allTextContents()
    expect(labels.map((label) => label.includes('Allowed before'))).toEqual([true, false])
    const boxes = page.getByRole('checkbox')
    expect(await boxes.evaluateAll((all) => all.map((box) => (box as HTMLInputElement).checked))).toEqual([
      true,
      true,
    ])
  })
})

describe('an app that requests all scopes', () => {
  const ALL = Object.keys(SCOPES).join(' ')

  it('has a summary and folded scopes, and fits a phone', async () => {
    const { client_id } = await signedIn(server.baseUrl, 'courses:read')
    await page.setViewportSize({ width: 320, height: 640 })
    await ask(client_id, ALL)
    const writing = Object.values(SCOPES).filter((scope) => scope.access === 'write')
    expect(await page.locator('form').textContent()).toContain(
      `${Object.keys(SCOPES).length} permissions. ${writing.length} can change things. You have allowed 1 of them before.`,
    )
    const courses = page.getByRole('checkbox', { name: 'Create, change and delete courses' })
    expect(await courses.isVisible()).toBe(false)
    await page.locator('summary', { hasText: 'Courses' }).click()
    expect([await courses.isVisible(), await courses.isChecked()]).toEqual([true, true])
    expect(await page.getByRole('button', { name: 'Allow', exact: true }).isVisible()).toBe(true)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    expect(await violations(page)).toEqual([])
  })

  it('can be answered from the keyboard without passing the list', async () => {
    const { client_id } = await signedIn(server.baseUrl, 'courses:read')
    await ask(client_id, ALL)
    const keys: string[] = []
    const press = async (key: string) => {
      keys.push(key)
      await page.keyboard.press(key)
    }
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    while ((await focused()) !== 'Go to the decision') await press('Tab')
    await press('Enter')
    await press('Tab')
    expect([await focused(), keys.length]).toEqual(['Deny', 6])
  })

  it('can be allowed reading only, with one click and without a script', async () => {
    const { client_id } = await signedIn(server.baseUrl, 'courses:read')
    await ask(client_id, ALL)
    const left = page.waitForRequest((request) => request.url().startsWith('http://127.0.0.1:49200/'))
    await page.getByRole('button', { name: 'Allow reading only' }).click()
    await left
    const granted = server.events.findLast((event) => event.type === 'consent_granted')
    const reading = Object.entries(SCOPES).filter(([, scope]) => scope.access !== 'write')
    expect(granted).toMatchObject({ scopes: reading.map(([name]) => name) })
  })
})

it('an expired form is shown again, and says so', async () => {
  const { client_id } = await signedIn(server.baseUrl, 'courses:read')
  await ask(client_id, 'courses:read')
  const other = await browser.context.newPage()
  await other.goto(`${server.baseUrl}/login?prompt=login`)
  await other.getByLabel('Email').fill('demo@example.com')
  await other.getByLabel('Password').fill('demo')
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.waitForURL(({ pathname }) => pathname !== '/login')
  await other.close()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  expect(await page.getByRole('alert').textContent()).toContain('Your answer did not count')
  const left = page.waitForRequest((request) => request.url().startsWith('http://127.0.0.1:49200/'))
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  expect(new URL((await left).url()).searchParams.get('code')).toMatch(/^gkc_/)
})

it('a path that does not exist is a page for browsers', async () => {
  const answer = await page.goto(`${server.baseUrl}/nothing`)
  expect(answer?.status()).toBe(404)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('There is nothing here')
  expect(await violations(page)).toEqual([])
})

describe('the sign-in page', () => {
  it('shows the escaped name of the requesting app, focuses the input, and keeps the address after a wrong password', async () => {
    const name = 'Zap <b>'
    const { client_id } = await signedIn(server.baseUrl, 'courses:read', undefined, 'demo', name)
    await page.goto(requestOf(client_id, 'courses:read'))
    expect(await page.locator('main p').first().textContent()).toBe(
      `${name} asks you to sign in. It chose this name itself.`,
    )
    const focused = () => page.evaluate(() => document.activeElement?.id)
    // A page is loaded before it puts the cursor.
    await expect.poll(focused).toBe('email')
    await page.keyboard.type('demo@example.com')
    await page.getByLabel('Password').fill('wrong')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('alert').textContent()).toContain('do not belong together')
    await expect.poll(focused).toBe('password')
    expect(await page.getByLabel('Email').inputValue()).toBe('demo@example.com')
    expect(await page.locator('main p').first().textContent()).toBe(
      `${name} asks you to sign in. It chose this name itself.`,
    )
    expect(await violations(page)).toEqual([])
    await page.keyboard.type('demo')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
  })

  it.each([
    ['https://editor.example/client.json', 'The app of editor.example asks you to sign in.'],
    ['unknown', undefined],
    ['%00', undefined],
  ])('names %s by what is known of it', async (client_id, words) => {
    const returnTo = new URL(requestOf(client_id, 'courses:read'))
    const query = new URLSearchParams({ return_to: returnTo.pathname + returnTo.search })
    await page.goto(`${server.baseUrl}/login?${query}`)
    expect(await page.locator('main p').allTextContents()).toEqual(words === undefined ? [] : [words])
  })
})
