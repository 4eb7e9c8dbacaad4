/// <reference lib="dom" />
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'

/** The pages of the device grant in Chromium, without a mouse and on a phone. */

const scopes = {
  openid: { description: 'Know who you are' },
  'notes:read': { description: 'Read your notes', access: 'read' as const },
}
let server: RunningServer
let clientId: string
let browser: Browser
let page: Page
beforeAll(async () => {
  server = await runServer({ DEVICE_GRANT: 'integrations' }, { scopes })
  const client = await server.clients.add({
    clientName: 'Notes on the command line',
    redirectUris: [],
    tokenEndpointAuthMethod: 'none',
    grantTypes: [DEVICE_CODE_GRANT, 'refresh_token'],
  })
  clientId = client.clientId
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

async function post(path: string, form: Record<string, string>) {
  const body = new URLSearchParams({ client_id: clientId, ...form })
  return (await fetch(server.baseUrl + path, { method: 'POST', body })).json()
}

const start = (scope: string) =>
  post('/api/oauth/device_authorization', { scope }) as Promise<Record<string, string>>
const poll = (device_code = '') =>
  post('/api/oauth/token', { grant_type: DEVICE_CODE_GRANT, device_code }) as Promise<Record<string, unknown>>

async function signInAt(address = ''): Promise<void> {
  await page.goto(address)
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Connect a device' }).waitFor()
}

const labelInFocus = () =>
  page.evaluate(() => {
    const focused = document.activeElement
    return focused instanceof HTMLInputElement ? focused.name : focused?.textContent
  })

describe('the page for the code of a device', () => {
  it('takes the code and the answer from the keyboard alone, with Deny before Allow', async () => {
    const started = await start('openid notes:read')
    await signInAt(started.verification_uri)
    await expect.poll(labelInFocus).toBe('user_code')
    await page.keyboard.type(String(started.user_code).toLowerCase().replace('-', ' '))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Give another device access?' }).waitFor()
    const text = await page.locator('main').textContent()
    for (const shown of [
      'If someone sent you this code, deny.',
      'Notes on the command line',
      'Set up by Notes.',
      String(started.user_code),
      'from the network you are on',
      'Read your notes',
      'Dana Moore',
    ])
      expect(text).toContain(shown)
    const seen: unknown[] = []
    while (!seen.includes('Allow') && seen.length < 20) {
      await page.keyboard.press('Tab')
      seen.push(await labelInFocus())
    }
    expect(seen.indexOf('Deny')).toBeGreaterThan(seen.indexOf('scope'))
    expect(seen.indexOf('Allow')).toBe(seen.indexOf('Deny') + 1)
    const [deny, allow] = await Promise.all(
      ['Deny', 'Allow'].map((name) => page.getByRole('button', { name, exact: true }).boundingBox()),
    )
    expect(Number(deny?.width) * Number(deny?.height)).toBeGreaterThanOrEqual(
      0.95 * Number(allow?.width) * Number(allow?.height),
    )
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'The device has access' }).waitFor()
    expect(await poll(started.device_code)).toMatchObject({ scope: 'openid notes:read' })

    await page.goto(`${server.baseUrl}/account`)
    expect(await page.locator('article dl').first().textContent()).toMatch(
      /Runs on\s*another device, which asked from 127\.0\.0\.0\/24/,
    )
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('status').waitFor()
    expect(await poll(started.device_code)).toMatchObject({ error: 'invalid_grant' })
  })

  it('shows only that a code is not valid, and accepts a denial', async () => {
    const started = await start('notes:read')
    await signInAt(started.verification_uri)
    await page.getByLabel('Code').fill('WDJB-MJHT')
    await page.getByRole('button', { name: 'Continue' }).click()
    expect(await page.getByRole('alert').textContent()).toMatch(/^This code is wrong or has expired/)
    await page.getByLabel('Code').fill(String(started.user_code))
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Nothing got access' }).waitFor()
    expect(await poll(started.device_code)).toMatchObject({ error: 'access_denied' })
  })
})
