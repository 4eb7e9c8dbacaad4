/// <reference lib="dom" />
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openChromium } from '@grantkit/test-servers/chromium'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { runTestProvider } from '@grantkit/testkit/provider'
import { expect, it, onTestFinished } from 'vitest'
import { runServer } from './running-server.ts'

/** A browser keeps `SameSite=Lax` cookies from the POST of another site: 127.0.0.1 is another one than localhost. */

it.each([true, false])(
  'signs in with a provider that posts its answer; scripts: %s',
  async (javaScriptEnabled) => {
    const op = await runTestProvider({ plays: 'apple', change: { takesSecretJwt: false } })
    onTestFinished(op.close)
    const UPSTREAM_FILE = join(await temporaryFolder(), 'upstream.json')
    const providers = [{ ...op.settings, signUp: true }]
    await writeFile(UPSTREAM_FILE, JSON.stringify({ providers }))
    const server = await runServer((port) => ({ BASE_URL: `http://localhost:${port}`, UPSTREAM_FILE }))
    onTestFinished(() => server.close())
    const browser = await openChromium({ javaScriptEnabled })
    onTestFinished(() => browser.close())
    const page = await browser.context.newPage()
    await page.goto(`${server.baseUrl}/login?return_to=/account`)
    await page.getByRole('button', { name: 'Continue with Partner' }).click()
    if (!javaScriptEnabled) {
      await page.getByRole('button', { name: 'Continue at the provider' }).click()
      await page.getByRole('button', { name: 'Continue', exact: true }).click()
    }
    await page.waitForURL(`${server.baseUrl}/account`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Your account')
  },
)
