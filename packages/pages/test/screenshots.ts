/**
 * Pictures of the pages for the documentation, in two languages and both themes: one each for a phone, and a sheet of all four
 * for wider windows. Run by `pnpm --filter @grantkit/pages screenshots`.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { HttpResponse } from '@grantkit/core'
import { openChromium } from '@grantkit/test-servers/chromium'
import { pages } from '../src/index.ts'
import { shownPages } from './shown-pages.ts'

const FOLDER = fileURLToPath(new URL('../../../docs/screenshots/pages', import.meta.url))
const PAGES = [
  ...[
    'consent',
    'consent-known-client',
    'consent-38-scopes',
    'error',
    'callback',
    'open-app',
    'device-code',
    'device',
    'device-answered',
    'requests',
    'request',
  ],
  ...['connected-apps', 'logout', 'signed-out', 'sign-in'],
]
const LONG = ['consent-38-scopes', 'connected-apps']
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0f766e"/><path d="M9 10h14M9 16h14M9 22h9" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>'
const PHONE = { width: 390, height: 844 }
/** Windows of a tablet and a laptop, and how wide one of the four pictures is on the sheet. */
const WIDE = [
  { width: 768, height: 768, shown: 480 },
  { width: 1280, height: 800, shown: 640 },
]
const WEBP = { type: 'webp', quality: 70 } as const

type Size = typeof PHONE

const uiWith = (imprint: string) =>
  pages({
    brand: { name: 'Notes', logo: LOGO, footer: [{ text: imprint, href: '/imprint' }] },
    user: () => ({ name: 'Ada Lovelace', email: 'ada@example.com' }),
    links: { connectedApps: '/connected-apps', signOut: () => '/logout', home: '/' },
  })
const UI = { en: uiWith('Imprint'), de: uiWith('Impressum') }
const LOCALES = ['en', 'de'] as const
type Locale = (typeof LOCALES)[number]

const browser = await openChromium()
const page = await browser.context.newPage()
const sheet = await browser.context.newPage()
let shown: HttpResponse
await page.route('http://notes.example/**', (route) =>
  route.fulfill({ ...shown, headers: shown.headers as Record<string, string> }),
)
await mkdir(FOLDER, { recursive: true })
for (const name of PAGES) {
  for (const locale of LOCALES) await photographOnPhone(name, locale)
  for (const { shown, ...size } of WIDE) await photographSheet(name, size, shown)
}
await browser.close()

async function photographOnPhone(name: string, locale: Locale): Promise<void> {
  await open(name, locale, PHONE)
  for (const [theme, picture] of await inBothThemes(WEBP))
    await writeFile(`${FOLDER}/${name}-${locale}-${theme}.webp`, picture)
}

/** English and German, each light and dark, in a row. */
async function photographSheet(name: string, size: Size, shown: number): Promise<void> {
  let height = size.height
  for (const locale of LOCALES) height = Math.max(height, await open(name, locale, size))
  const images: string[] = []
  for (const locale of LOCALES) {
    await open(name, locale, { ...size, height })
    for (const [, picture] of await inBothThemes({ type: 'png' }))
      images.push(`<img width=${shown} src="data:image/png;base64,${picture.toString('base64')}">`)
  }
  await sheet.setContent(
    `<body style="margin: 0; display: inline-flex; gap: 8px; background: gray">${images.join('')}`,
  )
  await sheet.locator('body').screenshot({ path: `${FOLDER}/${name}-${size.width}.webp`, ...WEBP })
}

async function inBothThemes(
  format: Parameters<typeof page.screenshot>[0],
): Promise<[theme: string, picture: Buffer][]> {
  const pictures: [string, Buffer][] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    pictures.push([colorScheme, await page.screenshot(format)])
  }
  return pictures
}

/** As high as the page, but for the long lists. @returns the height */
async function open(name: string, locale: Locale, size: Size): Promise<number> {
  const show = shownPages(UI[locale], locale)[name]
  if (show === undefined) throw new Error(`No page is named ${name}`)
  shown = await show()
  await page.setViewportSize(size)
  await page.goto(`http://notes.example/${name}`)
  const height = LONG.includes(name) ? size.height : Number(await page.evaluate('document.body.scrollHeight'))
  await page.setViewportSize({ width: size.width, height })
  return height
}
