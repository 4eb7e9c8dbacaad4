/// <reference lib="dom" />
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openChromium } from '@grantkit/test-servers/chromium'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { runTestProvider } from '@grantkit/testkit/provider'
import { expect, it, onTestFinished } from 'vitest'
import { runServer } from './running-server.ts'

/** A browser keeps `SameSite=Lax` cookies from the POST of another site: 127.0.0.1 is another one than localhost. */

async function open(javaScriptEnabled: boolean) {
  const op = await runTestProvider({ plays: 'apple', change: { takesSecretJwt: false } })
  onTestFinished(op.close)
  const UPSTREAM_FILE = join(await temporaryFolder(), 'upstream.json')
  const providers = [{ ...op.settings, signUp: true }]
  await writeFile(UPSTREAM_FILE, JSON.stringify({ providers }))
  const server = await runServer((port) => ({ BASE_URL: `http://localhost:${port}`, UPSTREAM_FILE }))
  onTestFinished(() => server.close())
  const browser = await openChromium({ javaScriptEnabled })
  onTestFinished(() => browser.close())
  const account = `${server.baseUrl}/account`
  const tab = async () => {
    const page = await browser.context.newPage()
    await page.goto(`${server.baseUrl}/login?return_to=/account`)
    return page
  }
  return { account, tab }
}

const toProvider = { name: 'Continue with Partner' }
const atProvider = { name: 'Continue at the provider' }
const backHere = { name: 'Continue', exact: true }

it.each([true, false])(
  'signs in with a provider that posts its answer; scripts: %s',
  async (javaScriptEnabled) => {
    const { account, tab } = await open(javaScriptEnabled)
    const page = await tab()
    await page.getByRole('button', toProvider).click()
    if (!javaScriptEnabled) {
      await page.getByRole('button', atProvider).click()
      await page.getByRole('button', backHere).click()
    }
    await page.waitForURL(account)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Your account')
  },
)

it('finishes both of two tabs that were at the provider at once, the second one first', async () => {
  // Without scripts a tab stays at the provider until its button is pressed.
  const { account, tab } = await open(false)
  const tabs = [await tab(), await tab()]
  for (const page of tabs) {
    await page.getByRole('button', toProvider).click()
    await page.getByRole('button', atProvider).waitFor()
  }
  for (const page of tabs.toReversed()) {
    await page.getByRole('button', atProvider).click()
    await page.getByRole('button', backHere).click()
    await page.waitForURL(account)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Your account')
  }
})
