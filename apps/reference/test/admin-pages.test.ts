/// <reference lib="dom" />
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'
import { signedIn } from './tokens.ts'

/** The operator's view in a browser without JavaScript, as an operator uses it. */

let service: RunningService
let browser: Browser
beforeAll(async () => {
  service = await runService()
  await service.accounts.setAdmin('demo-account', true)
  browser = await openChromium({ javaScriptEnabled: false })
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

async function openAdmin(at: Browser = browser): Promise<Page> {
  await at.context.clearCookies()
  const page = await at.context.newPage()
  await page.goto(`${service.baseUrl}/admin`)
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
  return page
}

const title = async (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

describe("the operator's view", () => {
  it('leads from a search to a user, ends a grant, disables and enables', async () => {
    const scope = 'openid courses:read'
    for (const name of ['One', 'Two']) await signedIn(service.baseUrl, scope, undefined, 'teacher', name)
    const page = await openAdmin()
    expect(await title(page)).toBe('Overview')
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByLabel('E-mail address').fill('TEACH')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'teacher@example.com' }).click()
    expect(await title(page)).toBe('teacher@example.com')
    await page.getByRole('button', { name: 'End the grant of One' }).click()
    expect(await page.getByRole('article').allTextContents()).toEqual([expect.stringContaining('Two')])
    await page.getByRole('button', { name: 'Disable' }).click()
    expect(await page.getByRole('region', { name: 'Account' }).textContent()).toContain('disabled')
    expect(await page.getByRole('article').count()).toBe(0)
    await page.getByRole('button', { name: 'Enable' }).click()
    expect(await page.getByRole('region', { name: 'Account' }).textContent()).toContain('active')
    await page.close()
  })

  it('finds a client by its id, removes it, and shows who did it', async () => {
    const { client_id } = await signedIn(service.baseUrl, 'courses:read')
    const page = await openAdmin()
    await page.getByRole('link', { name: 'Clients' }).click()
    await page.getByLabel('Client id').fill(client_id)
    await page.getByRole('button', { name: 'Show' }).click()
    expect(await title(page)).toBe('A tool')
    await page.getByRole('button', { name: 'Remove' }).click()
    expect(await title(page)).toBe('Unknown client')
    await page.getByRole('link', { name: 'All entries of this client' }).click()
    await page.getByLabel('Type').selectOption('client_removed')
    await page.getByRole('button', { name: 'Show' }).click()
    const [entry, ...others] = await page.getByRole('main').getByRole('listitem').allTextContents()
    expect([entry, others]).toEqual([expect.stringContaining('account:demo-account'), []])
    await page.close()
  })
})

describe.each(['light', 'dark'] as const)('every page of it in %s', (colorScheme) => {
  it('passes axe, and fits a phone', async () => {
    const app = await signedIn(
      service.baseUrl,
      'openid profile courses:read orders:read',
      undefined,
      'teacher',
    )
    await service.clients.add({ clientName: 'Zap', redirectUris: ['https://zap.example/a/long/callback'] })
    const withScripts = await openChromium()
    const page = await openAdmin(withScripts)
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width: 320, height: 640 })
    for (const path of [
      '',
      '/users',
      '/user?id=teacher-account',
      '/user?id=nobody',
      '/clients',
      `/client?id=${app.client_id}`,
      '/client?id=nobody',
      '/trail',
      '/trail?type=left_out',
    ]) {
      await page.goto(`${service.baseUrl}/admin${path}`)
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => `${path} ${id}: ${nodes[0]?.html}`)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(320)
    }
    await withScripts.close()
  })
})
