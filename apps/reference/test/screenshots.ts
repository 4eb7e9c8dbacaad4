/// <reference lib="dom" />
import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { openChromium } from '@grantkit/test-servers/chromium'
import type { Page } from 'playwright-core'
import { readCommandLine } from '../src/commands/command-line.ts'
import { runService } from './service.ts'
import { signedIn } from './tokens.ts'

readCommandLine(
  'pnpm --filter @grantkit/reference screenshots\n\nTakes a picture of every page of the service, as a person sees it, for the documentation.',
  {},
)

const FOLDER = fileURLToPath(new URL('../../../docs/screenshots', import.meta.url))
const SCREENS = [
  { name: 'desktop', width: 1000, height: 800 },
  { name: 'phone', width: 390, height: 844 },
] as const

/** Longer than a second: the order of the apps depends on whole seconds. */
const SECOND = 1100

const service = await runService({
  ...{ PORT: '3000', BASE_URL: 'http://127.0.0.1:3000' },
  DEVICE_GRANT: 'integrations',
})
const tool = await service.clients.add({
  clientName: 'School on the command line',
  redirectUris: [],
  tokenEndpointAuthMethod: 'none',
  grantTypes: [DEVICE_CODE_GRANT, 'refresh_token'],
})
const browser = await openChromium()
await mkdir(FOLDER, { recursive: true })
for (const { name, ...viewport } of SCREENS) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await browser.context.clearCookies()
    const page = await browser.context.newPage()
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    await photograph(page, `${name}-${colorScheme}`)
    await page.close()
  }
}
await browser.close()
await service.close()

async function photograph(page: Page, suffix: string): Promise<void> {
  const window = page.viewportSize() ?? SCREENS[0]
  // A window as high as its page.
  const shoot = async (name: string, wholePage = true) => {
    const height = wholePage ? await page.evaluate(() => document.documentElement.scrollHeight) : 0
    await page.setViewportSize({ width: window.width, height: Math.max(height, window.height) })
    await page.screenshot({ path: `${FOLDER}/${name}-${suffix}.png` })
    await page.setViewportSize(window)
  }
  await page.goto(`${service.baseUrl}/`)
  await shoot('home')
  await page.goto(`${service.baseUrl}/oauth/authorize?client_id=forgotten&redirect_uri=x`)
  await shoot('error')
  await page.goto(`${service.baseUrl}/logout`)
  await shoot('logout')
  await page.goto(await authorizationUrl())
  await shoot('login')
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
  await shoot('consent')
  await shootDevice(page, shoot)
  await page.goto(await authorizationUrl(await everyScope()))
  // Longer than anybody looks at.
  await shoot('consent-38-scopes', false)
  await shootAccount(page, shoot)
  await signInAtDocs(page)
  await shoot('docs-signed-in', false)
}

async function everyScope(): Promise<string> {
  const metadata = await fetch(`${service.baseUrl}/.well-known/oauth-authorization-server`)
  return ((await metadata.json()) as { scopes_supported: string[] }).scopes_supported.join(' ')
}

async function signInAtDocs(page: Page): Promise<void> {
  await page.goto(`${service.baseUrl}/docs`)
  await page.getByRole('button', { name: 'Authorize', exact: true }).click()
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click()
  await (await popup).getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByRole('button', { name: 'Logout' }).first().waitFor()
  await page.getByRole('button', { name: 'Close' }).first().click()
}

/** The pages for a code: to type it, to decide, and afterwards. */
async function shootDevice(page: Page, shoot: (name: string) => Promise<unknown>): Promise<void> {
  const form = { client_id: tool.clientId, scope: 'openid courses:read' }
  const answer = await fetch(`${service.baseUrl}/api/oauth/device_authorization`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  const { user_code } = (await answer.json()) as { user_code: string }
  await page.goto(`${service.baseUrl}/oauth/device`)
  await shoot('device-code')
  await page.getByRole('textbox').fill(user_code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
  await page.locator('dl dd').evaluateAll(freezeDevice)
  await shoot('device')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByRole('heading', { name: 'The device has access' }).waitFor()
  await shoot('device-answered')
  await disconnectAll(page)
}

/** The account page of a user who has allowed this app, and a tool before it. */
async function shootAccount(page: Page, shoot: (name: string) => Promise<unknown>): Promise<void> {
  for (const { name, scope } of [
    { name: 'Course browser', scope: 'openid profile courses:read courses:write orders:read' },
    { name: 'Progress reports', scope: 'students:read analytics:read' },
  ]) {
    await signedIn(service.baseUrl, scope, undefined, 'demo', name)
    await sleep(SECOND)
  }
  await page.goto(`${service.baseUrl}/account`)
  await page.locator('time').evaluateAll(freezeTimes)
  await shoot('account')
  await disconnectAll(page)
}

async function disconnectAll(page: Page): Promise<void> {
  await page.goto(`${service.baseUrl}/account`)
  const app = page.getByRole('button', { name: 'Disconnect' })
  while ((await app.count()) > 0) await app.first().click()
}

async function authorizationUrl(
  scope = 'openid profile courses:read courses:write orders:read',
): Promise<string> {
  const redirect_uri = 'http://127.0.0.1:8123/callback'
  const registration = await fetch(`${service.baseUrl}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Course browser', redirect_uris: [redirect_uri] }),
  })
  const { client_id } = (await registration.json()) as { client_id: string }
  const query = {
    response_type: 'code',
    client_id,
    redirect_uri,
    scope,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }
  return `${service.baseUrl}/oauth/authorize?${new URLSearchParams(query)}`
}

/** The same for what a page says of a device. */
function freezeDevice([code, began]: Element[]): void {
  const shown = code?.querySelector('.code')
  if (shown !== undefined && shown !== null) shown.textContent = 'WDJB-MJHT'
  if (began != null)
    began.textContent = String(began.textContent).replace(/^(now|\d+ seconds? ago)/, '20 seconds ago')
}

/** Fixes the times, so that a picture changes only when the page does. */
function freezeTimes(times: Element[]): void {
  for (const time of times) time.textContent = '21 November 2026 at 08:27 UTC'
}
