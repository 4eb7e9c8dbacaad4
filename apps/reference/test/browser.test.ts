/// <reference lib="dom" />
import { createHash, randomBytes } from 'node:crypto'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoopbackApp, openLoopbackApp } from './loopback-app.ts'
import { type RunningService, runService } from './service.ts'

/** A user with a browser. No page runs a script of ours, so none of this needs JavaScript. */

let service: RunningService
let app: LoopbackApp
let browser: Browser
beforeAll(async () => {
  service = await runService()
  app = await openLoopbackApp()
  browser = await openChromium({ javaScriptEnabled: true })
})
afterAll(async () => {
  await browser.close()
  await app.close()
  await service.close()
})

const HOSTILE_NAME = `<img src=x onerror="window.__xss=1">${'W'.repeat(120)}`

async function authorizationUrl(
  overrides: Record<string, string> = {},
  client_name = 'Course browser',
): Promise<string> {
  const redirect_uri = overrides.redirect_uri ?? `${app.origin}/callback`
  const registration = await fetch(`${service.baseUrl}/api/oauth/register`, {
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
    scope: 'openid profile email courses:read courses:write students:read',
    state: 'the state',
    code_challenge,
    code_challenge_method: 'S256',
    ...overrides,
  }
  return `${service.baseUrl}/oauth/authorize?${new URLSearchParams(query)}`
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function freshPage(): Promise<Page> {
  await browser.context.clearCookies()
  return browser.context.newPage()
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
  it('signs in, allows, and lands at the app', async () => {
    const page = await freshPage()
    const complaints = complaintsOf(page)
    await page.goto(await authorizationUrl())
    await signIn(page)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Allow access?')
    expect(await page.locator('main').textContent()).toContain(app.origin.replace('http://', ''))
    await page.getByRole('checkbox', { name: 'See the students' }).uncheck()
    const consent = page.waitForRequest((request) => request.method() === 'POST')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    expect(await (await consent).headerValue('origin')).toBe(service.baseUrl)
    await page.waitForURL(`${app.origin}/callback?**`)
    const answer = new URL(page.url()).searchParams
    expect([answer.get('state'), answer.get('iss')]).toEqual(['the state', service.baseUrl])
    expect(answer.get('code')).toMatch(/^gkc_/)
    expect(complaints, 'no policy stood in the way').toEqual([])
    const granted = service.events.findLast((event) => event.type === 'consent_granted')
    expect(granted).toMatchObject({ scopes: ['openid', 'profile', 'email', 'courses:read', 'courses:write'] })
    await page.close()
  })

  it('denies, and the app receives access_denied', async () => {
    const page = await freshPage()
    await page.goto(await authorizationUrl())
    await signIn(page)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL(`${app.origin}/callback?**`)
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
    await page.close()
  })

  it('is redirected to an IPv6 loopback address too, which a CSP cannot name', async () => {
    const page = await freshPage()
    const complaints = complaintsOf(page)
    const [, port] = app.origin.split('127.0.0.1:')
    await page.goto(await authorizationUrl({ redirect_uri: `http://[::1]:${port}/callback` }))
    await signIn(page)
    const left = page.waitForRequest((request) => request.url().startsWith('http://[::1]:'))
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await left
    expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([])
    await page.close()
  })

  it('sees that a password is wrong, and keeps the typed address', async () => {
    const page = await freshPage()
    await page.goto(await authorizationUrl())
    await page.getByLabel('Email').fill('demo@example.com')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('do not belong together')
    expect(await page.getByLabel('Email').inputValue()).toBe('demo@example.com')
    await page.getByLabel('Password').fill('demo')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Allow access?')
    await page.close()
  })

  it('can use the back button and a second tab', async () => {
    const page = await freshPage()
    const url = await authorizationUrl()
    await page.goto(url)
    await signIn(page)
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
    await page.close()
  })

  it('sees a hostile app name escaped and within the page', async () => {
    const page = await freshPage()
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(await authorizationUrl({ state: '"><script>window.__xss=1</script>' }, HOSTILE_NAME))
    await signIn(page)
    expect(await page.locator('main').textContent()).toContain('<img src=x')
    expect(await page.evaluate(() => Reflect.get(globalThis, '__xss'))).toBeUndefined()
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, 'nothing sticks out on a phone').toBeLessThanOrEqual(320)
    await page.close()
  })

  it('sees no name with combining marks that cover the text above it', async () => {
    const page = await freshPage()
    await page.goto(await authorizationUrl())
    await signIn(page)
    const heading = page.getByRole('heading', { level: 1 })
    const before = await heading.screenshot()
    await page.locator('.app-name bdi').evaluate((name) => {
      name.textContent = `a${'\u0301'.repeat(190)}`
    })
    expect((await heading.screenshot()).equals(before)).toBe(true)
    await page.close()
  })

  it('signs out', async () => {
    const page = await freshPage()
    await page.goto(`${service.baseUrl}/login`)
    await signIn(page)
    await page.goto(`${service.baseUrl}/logout`)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.goto(await authorizationUrl())
    expect(await page.getByLabel('Password').count()).toBe(1)
    await page.close()
  })
})

describe.each(['light', 'dark'] as const)('every page in %s', (colorScheme) => {
  it('passes axe', async () => {
    const page = await freshPage()
    await page.emulateMedia({ colorScheme })
    const url = await authorizationUrl()
    const visits = [
      () => page.goto(`${service.baseUrl}/`),
      () => page.goto(`${service.baseUrl}/logout`),
      () => page.goto(`${service.baseUrl}/oauth/authorize?client_id=unknown`),
      () => page.goto(url),
      () => page.getByRole('button', { name: 'Sign in' }).isVisible(),
      () => signIn(page),
    ]
    for (const visit of visits) {
      await visit()
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => `${page.url()} ${id}: ${nodes[0]?.html}`)).toEqual([])
    }
    await page.close()
  })
})
