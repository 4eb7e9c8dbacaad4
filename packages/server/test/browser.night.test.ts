/// <reference lib="dom" />
import { createHash, randomBytes } from 'node:crypto'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { type LoopbackApp, openLoopbackApp } from '@grantkit/test-servers/loopback-app'
import { violations } from '@grantkit/test-servers/screens'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'

/** A user with a browser. No page runs a script of ours, so none of this needs JavaScript. */

const scopes = {
  openid: { description: 'Know who you are' },
  profile: { description: 'See your profile' },
  email: { description: 'See your address' },
  'notes:read': { description: 'Read your notes' },
  'notes:write': { description: 'Change your notes', access: 'write' as const },
  'orders:read': { description: 'See the orders' },
}
let server: RunningServer
let app: LoopbackApp
let browser: Browser
let page: Page
beforeAll(async () => {
  server = await runServer({}, { scopes })
  app = await openLoopbackApp()
  browser = await openChromium()
})
afterAll(async () => {
  await browser.close()
  await app.close()
  await server.close()
})
beforeEach(async () => {
  await browser.context.clearCookies()
  page = await browser.context.newPage()
})
afterEach(() => page.close())

const HOSTILE_NAME = `<img src=x onerror="window.__xss=1">${'W'.repeat(120)}`

async function authorizationUrl(
  overrides: Record<string, string> = {},
  client_name = 'Notes browser',
): Promise<string> {
  const redirect_uri = overrides.redirect_uri ?? `${app.origin}/callback`
  const registration = await fetch(`${server.baseUrl}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name, redirect_uris: [redirect_uri] }),
  })
  const { client_id } = (await registration.json()) as { client_id: string }
  const code_challenge = createHash('sha256')
    .update(randomBytes(32).toString('base64url'))
    .digest('base64url')
  const query = {
    response_type: 'code',
    client_id,
    redirect_uri,
    scope: 'openid profile email notes:read notes:write orders:read',
    state: 'the state',
    code_challenge,
    code_challenge_method: 'S256',
    ...overrides,
  }
  return `${server.baseUrl}/oauth/authorize?${new URLSearchParams(query)}`
}

async function signIn(): Promise<void> {
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Chromium reports a policy violation only on its console, not to the page. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  return complaints
}

describe('a person in a browser', () => {
  it('signs in from the oldest of three tabs that opened at once, and the others go on', async () => {
    const others = [await browser.context.newPage(), await browser.context.newPage()]
    try {
      const [newer, newest] = others as [Page, Page]
      const open = async (tab: Page) => tab.goto(await authorizationUrl())
      await Promise.all([page, newer, newest].map(open))
      await signIn()
      await newer.getByLabel('Email').fill('demo@example.com')
      await newer.getByLabel('Password').fill('demo')
      await newer.getByRole('button', { name: 'Sign in' }).click()
      await newest.reload()
      for (const tab of [page, newer, newest])
        expect(await tab.getByRole('heading', { level: 1 }).textContent()).toBe('Allow access?')
    } finally {
      for (const tab of others) await tab.close()
    }
  })

  it('signs in, allows, and lands at the app', async () => {
    const complaints = complaintsOf(page)
    await page.goto(await authorizationUrl())
    await signIn()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Allow access?')
    expect(await page.locator('main').textContent()).toContain(app.origin.replace('http://', ''))
    await page.getByRole('checkbox', { name: 'See the orders' }).uncheck()
    const consent = page.waitForRequest((request) => request.method() === 'POST')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    expect(await (await consent).headerValue('origin')).toBe(server.baseUrl)
    await page.waitForURL(`${app.origin}/callback?**`)
    const answer = new URL(page.url()).searchParams
    expect([answer.get('state'), answer.get('iss')]).toEqual(['the state', server.baseUrl])
    expect(answer.get('code')).toMatch(/^gkc_/)
    expect(complaints, 'no policy stood in the way').toEqual([])
    const granted = server.events.findLast((event) => event.type === 'consent_granted')
    expect(granted).toMatchObject({ scopes: ['openid', 'profile', 'email', 'notes:read', 'notes:write'] })
  })

  it('denies, and the app receives access_denied', async () => {
    await page.goto(await authorizationUrl())
    await signIn()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL(`${app.origin}/callback?**`)
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
  })

  it('is redirected to an IPv6 loopback address too, which a CSP cannot name', async () => {
    const complaints = complaintsOf(page)
    const [, port] = app.origin.split('127.0.0.1:')
    await page.goto(await authorizationUrl({ redirect_uri: `http://[::1]:${port}/callback` }))
    await signIn()
    const left = page.waitForRequest((request) => request.url().startsWith('http://[::1]:'))
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await left
    expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([])
  })

  it('can use the back button and a second tab', async () => {
    const url = await authorizationUrl()
    await page.goto(url)
    await signIn()
    const tab = await browser.context.newPage()
    await tab.goto(await authorizationUrl())
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(`${app.origin}/callback?**`)
    await tab.getByRole('button', { name: 'Allow', exact: true }).click()
    await tab.waitForURL(`${app.origin}/callback?**`)
    await page.goBack()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(`${app.origin}/callback?**`)
    expect(new URL(page.url()).searchParams.get('state')).toBe('the state')
    await tab.close()
  })

  it('sees a hostile app name escaped and within the page', async () => {
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(await authorizationUrl({ state: '"><script>window.__xss=1</script>' }, HOSTILE_NAME))
    await signIn()
    expect(await page.locator('main').textContent()).toContain('<img src=x')
    expect(await page.evaluate(() => Reflect.get(globalThis, '__xss'))).toBeUndefined()
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, 'nothing sticks out on a phone').toBeLessThanOrEqual(320)
  })

  it('sees no name with combining marks that cover the text above it', async () => {
    await page.goto(await authorizationUrl())
    await signIn()
    const heading = page.getByRole('heading', { level: 1 })
    const before = await heading.screenshot()
    await page.locator('.app-name bdi').evaluate((name) => {
      name.textContent = `a${'\u0301'.repeat(190)}`
    })
    expect((await heading.screenshot()).equals(before)).toBe(true)
  })

  it('signs out', async () => {
    await page.goto(`${server.baseUrl}/login`)
    await signIn()
    await page.goto(`${server.baseUrl}/logout`)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.goto(await authorizationUrl())
    expect(await page.getByLabel('Password').count()).toBe(1)
  })
})

describe('the home page and the sign-out page', () => {
  it('pass axe, in light and in dark', async () => {
    // The colors of buttons change by a transition: halfway they have no contrast.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    for (const path of ['/', '/logout']) {
      await page.goto(server.baseUrl + path)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await violations(page, colorScheme), `${page.url()} in ${colorScheme}`).toEqual([])
      }
    }
  })
})
