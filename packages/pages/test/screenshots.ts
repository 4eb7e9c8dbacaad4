/** Pictures of the pages for the documentation, in two languages and both themes: a part of `pnpm screenshots`. */
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { HttpResponse } from '@grantkit/core'
import { openChromium } from '@grantkit/test-servers/chromium'
import { pages } from '../src/index.ts'
import { shownPages } from './shown-pages.ts'

const FOLDER = fileURLToPath(new URL('../../../docs/screenshots/pages', import.meta.url))
const PAGES = [
  ...['consent', 'consent-38-scopes', 'error', 'callback', 'device-code', 'device', 'device-answered'],
  ...['connected-apps', 'logout', 'signed-out', 'sign-in'],
]
const LONG = ['consent-38-scopes', 'connected-apps']
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0f766e"/><path d="M9 10h14M9 16h14M9 22h9" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>'
const PHONE = { width: 390, height: 844 }

const ui = pages({
  brand: { name: 'Notes', logo: LOGO, footer: [{ text: 'Imprint', href: '/imprint' }] },
  user: () => ({ name: 'Ada Lovelace', email: 'ada@example.com' }),
  links: { connectedApps: '/connected-apps', signOut: () => '/logout', home: '/' },
})

const browser = await openChromium()
const page = await browser.context.newPage()
let shown: HttpResponse
await page.route('http://notes.example/**', (route) =>
  route.fulfill({ ...shown, headers: shown.headers as Record<string, string> }),
)
await mkdir(FOLDER, { recursive: true })
for (const locale of ['en', 'de']) for (const name of PAGES) await photograph(name, locale)
await browser.close()

async function photograph(name: string, locale: string): Promise<void> {
  const show = shownPages(ui, locale)[name]
  if (show === undefined) throw new Error(`No page is named ${name}`)
  shown = await show()
  await page.setViewportSize(PHONE)
  await page.goto(`http://notes.example/${name}`)
  // As high as the page, but for the long lists: the buttons of one stay at the bottom of the window.
  const height = LONG.includes(name) ? PHONE.height : await page.evaluate('document.body.scrollHeight')
  await page.setViewportSize({ width: PHONE.width, height: Number(height) })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const path = `${FOLDER}/${name}-${locale}-${colorScheme}.webp`
    await page.screenshot({ path, type: 'webp', quality: 70 })
  }
}
