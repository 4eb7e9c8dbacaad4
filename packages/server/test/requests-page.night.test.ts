/// <reference lib="dom" />
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { openAgent } from './backchannel-agent.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** The page of requests in Chromium, on a phone: the user comes by a link, without having begun anything. */

const scopes = {
  openid: { description: 'Know who you are' },
  'notes:read': { description: 'Read your notes', access: 'read' as const },
  'notes:write': { description: 'Change your notes', access: 'write' as const },
}
let server: RunningServer
let browser: Browser
let page: Page
beforeAll(async () => {
  server = await runServer({ BACKCHANNEL_AUTHENTICATION: 'on' }, { scopes })
  browser = await openChromium()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})
beforeEach(async () => {
  await browser.context.clearCookies()
  page = await browser.context.newPage()
  await page.setViewportSize({ width: 320, height: 640 })
})
afterEach(() => page.close())

async function openOrderingAgent() {
  const { ask, poll } = await openAgent(server)
  const scope = 'openid notes:read notes:write'
  return {
    poll,
    ask: (binding_message = 'Order 17: a desk for 249 EUR') =>
      ask('demo@example.com', { scope, binding_message }),
  }
}

async function signInAt(path: string): Promise<void> {
  await page.goto(server.baseUrl + path)
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.keyboard.press('Enter')
}

const sizes = () =>
  page.locator('.decision button').evaluateAll((all) =>
    all.map((one) => {
      const { width, height, top } = one.getBoundingClientRect()
      return {
        value: (one as HTMLButtonElement).value,
        width: Math.round(width),
        height: Math.round(height),
        top,
      }
    }),
  )

it('a user signs in, reads who asks for what, and allows it', async () => {
  const { ask, poll } = await openOrderingAgent()
  const asked = await ask()
  await signInAt('/oauth/requests')
  await page.getByRole('link', { name: 'View the request' }).click()
  await page.getByRole('heading', { name: 'An app asks for your approval' }).waitFor()
  const text = await page.locator('main').textContent()
  for (const shown of [
    'Deny if you do not expect this.',
    'Night agent',
    '“Order 17: a desk for 249 EUR”',
    'Dana Moore',
  ])
    expect(text).toContain(shown)
  const buttons = await sizes()
  expect(buttons.map(({ value }) => value)).toEqual(['deny', 'allow_reading', 'allow'])
  expect(
    new Set(buttons.map(({ width, height, top }) => `${width} ${height} ${top}`)).size,
    'of one size',
  ).toBe(1)
  for (const { height } of buttons) expect(height).toBeGreaterThanOrEqual(44)
  expect(await page.evaluate(() => document.documentElement.scrollWidth), 'nothing to scroll sideways').toBe(
    320,
  )
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByRole('heading', { name: 'The app has access' }).waitFor()
  expect(await poll(asked)).toMatchObject({ scope: 'openid notes:read notes:write' })
})

it('a user denies for good, and takes that back on the list', async () => {
  const { ask, poll } = await openOrderingAgent()
  const asked = await ask('x'.repeat(60))
  await signInAt('/account')
  await page.getByRole('link', { name: 'Requests' }).click()
  await page.getByRole('link', { name: 'View the request' }).click()
  await page.getByLabel('If I deny: this app may not ask me again').check()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByRole('heading', { name: 'Nothing got access' }).waitFor()
  expect(await poll(asked)).toMatchObject({ error: 'access_denied' })
  expect(await ask()).toMatchObject({ error: 'access_denied' })
  await page.getByRole('link', { name: 'Requests' }).click()
  await page.getByRole('button', { name: 'Let it ask again Night agent' }).click()
  await page.getByText('Nothing waits for you.').waitFor()
  expect(await page.getByRole('button', { name: 'Let it ask again Night agent' }).count()).toBe(0)
  expect(await ask()).toMatchObject({ interval: 5 })
})
