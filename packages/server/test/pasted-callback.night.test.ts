/// <reference lib="dom" />
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { violations } from '@grantkit/test-servers/screens'
import * as oidc from 'openid-client'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'

/** "My app runs on another machine" in Chromium, on a phone. */

const REDIRECT_URI = 'http://127.0.0.1:49251/callback'

let server: RunningServer
let browser: Browser
let page: Page
beforeAll(async () => {
  server = await runServer({ PASTED_CALLBACKS: 'on' })
  browser = await openChromium()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})
beforeEach(async () => {
  page = await browser.context.newPage()
  await page.setViewportSize({ width: 320, height: 640 })
})
afterEach(() => page.close())

it('the callback URL that a user pastes into the app signs it in, after a warning', async () => {
  const config = await oidc.dynamicClientRegistration(
    new URL(server.baseUrl),
    { client_name: 'App over SSH', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' },
    oidc.None(),
    { execute: [oidc.allowInsecureRequests] },
  )
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid notes:read',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: 'a state',
  })
  await page.goto(url.href)
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('summary', { hasText: 'My app runs on another machine' }).click()
  expect(await page.locator('details .problem').textContent()).toContain('trying to access your account')
  await page.getByRole('checkbox', { name: 'Show me the address, to paste it into my app' }).check()
  expect(await violations(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByRole('heading', { name: 'Paste this address into your app' }).waitFor()
  expect(await page.locator('main').textContent()).toContain('Do not give it to anyone')
  expect(page.url()).not.toContain('code=')
  const callback = new URL(await page.getByLabel('Address').inputValue())
  const tokens = await oidc.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier,
    expectedState: 'a state',
  })
  expect(tokens.scope).toBe('openid notes:read')
})
