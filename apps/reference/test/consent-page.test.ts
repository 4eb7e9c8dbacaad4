/// <reference lib="dom" />
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'
import { signedIn } from './tokens.ts'

/** The consent page for an app that asks for little, for more than before, and for all there is. */

let service: RunningService
let browser: Browser
let page: Page
beforeAll(async () => {
  service = await runService()
  browser = await openChromium()
})
afterAll(async () => {
  await browser.close()
  await service.close()
})
beforeEach(async () => {
  await browser.context.clearCookies()
  page = await browser.context.newPage()
})
afterEach(() => page.close())

async function ask(client_id: string, scope: string): Promise<void> {
  const query = {
    response_type: 'code',
    client_id,
    redirect_uri: 'http://127.0.0.1:49200/callback',
    scope,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }
  await page.goto(`${service.baseUrl}/oauth/authorize?${new URLSearchParams(query)}`)
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe('an app that asks for more than before', () => {
  it('has what it was allowed marked, and its user decides on everything', async () => {
    const { client_id } = await signedIn(service.baseUrl, 'courses:read')
    await ask(client_id, 'courses:read courses:write')
    const labels = await page.locator('label.scope').allTextContents()
    expect(labels.map((label) => label.includes('allowed before'))).toEqual([true, false])
    const boxes = page.getByRole('checkbox')
    expect(await boxes.evaluateAll((all) => all.map((box) => (box as HTMLInputElement).checked))).toEqual([
      true,
      true,
    ])
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
  })
})
