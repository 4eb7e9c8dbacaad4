/// <reference lib="dom" />
import { protect } from '@grantkit/adapter-hono'
import { openChromium } from '@grantkit/test-servers/chromium'
import { expectOnEveryScreen } from '@grantkit/test-servers/screens'
import { Hono } from 'hono'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { ServiceDefinition } from '../src/definition.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** The page of personal access tokens, as a user sees it. */

const scopes = {
  openid: { description: 'Know who you are' },
  'notes:read': { description: 'Read your notes', personal: true },
}
const definition: ServiceDefinition = {
  mount({ config, guard }) {
    const api = guard(config.baseUrl).allowing({ personalTokens: true })
    return [new Hono().get('/api/notes', protect(api, 'notes:read'), (c) => c.json([]))]
  },
}

let server: RunningServer
beforeAll(async () => {
  server = await runServer({ PERSONAL_TOKENS: 'on' }, { scopes }, { definition })
})
afterAll(() => server.close())

async function statusOf(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${server.baseUrl}/api/notes`, { headers })).status
}

async function openTokens(javaScriptEnabled = true): Promise<Page> {
  const browser = await openChromium({ javaScriptEnabled })
  onTestFinished(() => browser.close())
  const page = await browser.context.newPage()
  await page.goto(`${server.baseUrl}/account`)
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Personal access tokens' }).click()
  return page
}

/** Fills in the form for a token that may read notes. */
async function create(page: Page, name: string): Promise<string> {
  await page.getByLabel('Name').fill(name)
  await page.locator('input[value="notes:read"]').check()
  await page.getByLabel('Expires after').selectOption('7 days')
  await page.getByRole('button', { name: 'Create token' }).click()
  return page.getByLabel('Token', { exact: true }).inputValue()
}

it.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('a browser %s creates a token, uses it and revokes it', async (_, javaScriptEnabled) => {
  const page = await openTokens(javaScriptEnabled)
  const token = await create(page, 'Report')
  expect(await statusOf(token)).toBe(200)
  const copy = page.getByRole('button', { name: 'Copy', exact: true })
  await expect.poll(() => copy.count()).toBe(javaScriptEnabled ? 1 : 0)
  await page.goto(`${server.baseUrl}/account/tokens`)
  expect(await page.content()).not.toContain(token)
  await page.getByRole('button', { name: 'Revoke Report' }).click()
  expect(await page.getByRole('status').textContent()).toContain('The token Report is revoked.')
  expect(await statusOf(token)).toBe(401)
})

it('the page with a new token fits every screen, and its button copies the token, inside the policy of the page', async () => {
  const page = await openTokens()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  const token = await create(page, 'W'.repeat(60))
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token)
  expect(complaints).toEqual([])
  await expectOnEveryScreen(page)
})
