/// <reference lib="dom" />
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openChromium } from '@grantkit/test-servers/chromium'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { runTestProvider } from '@grantkit/testkit/provider'
import { expect, it, onTestFinished } from 'vitest'
import { runServer } from './running-server.ts'

/** Tabs of one browser at a provider that redirects back. */

it('finishes both of two tabs that were at the provider at once, the second one first', async () => {
  const op = await runTestProvider()
  onTestFinished(op.close)
  const UPSTREAM_FILE = join(await temporaryFolder(), 'upstream.json')
  await writeFile(UPSTREAM_FILE, JSON.stringify({ providers: [{ ...op.settings, signUp: true }] }))
  const server = await runServer((port) => ({ BASE_URL: `http://localhost:${port}`, UPSTREAM_FILE }))
  onTestFinished(() => server.close())
  const browser = await openChromium()
  onTestFinished(() => browser.close())
  // Each tab stays at the provider until the test lets it go.
  const held: (() => void)[] = []
  const { fetch } = op
  Object.assign(op, {
    async fetch(...request: Parameters<typeof fetch>) {
      const isVisit = new URL(request[0]).pathname === '/authorize'
      if (isVisit) await new Promise<void>((release) => held.push(release))
      return fetch(...request)
    },
  })
  const tabs = []
  for (const count of [1, 2]) {
    const page = await browser.context.newPage()
    await page.goto(`${server.baseUrl}/login?return_to=/account`)
    await page.getByRole('button', { name: 'Continue with Partner' }).click({ noWaitAfter: true })
    await expect.poll(() => held.length).toBe(count)
    tabs.push(page)
  }
  for (const page of tabs.toReversed()) {
    held.pop()?.()
    await page.waitForURL(`${server.baseUrl}/account`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Your account')
  }
})
