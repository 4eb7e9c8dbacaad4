/// <reference lib="dom" />
import type { HttpResponse } from '@grantkit/core'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Language, type Pages, pages } from '../src/index.ts'
import { en } from '../src/languages/index.ts'
import { shownPages } from './shown-pages.ts'

/** English texts, from right to left. */
const ar: Language = { ...en, tag: 'ar', name: 'العربية', dir: 'rtl' }

const ui = pages({
  brand: {
    name: 'Notes',
    logo: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>',
    footer: [{ text: 'Imprint', href: '/imprint' }],
  },
  user: () => ({ name: 'Ada Lovelace', email: 'ada@example.com' }),
  links: { connectedApps: '/apps', signOut: (to) => `/logout?to=${encodeURIComponent(to)}`, home: '/' },
  languages: ['en', 'de', 'fr', 'es', 'pt-BR', 'ja', ar],
})
const ORIGIN = 'http://notes.example'
const HEIGHT = 800
const LONG_NAME = 'W'.repeat(120)

let browser: Browser
let page: Page
let shown: () => HttpResponse | Promise<HttpResponse>
let complaints: string[]

beforeAll(async () => {
  // A color on its way from one theme to the other has no contrast.
  browser = await openChromium({ reducedMotion: 'reduce' })
  page = await browser.context.newPage()
  // Chromium reports a policy violation only on its console, not to the page.
  page.on('console', (message) => complaints.push(message.text()))
  await page.route(`${ORIGIN}/**`, async (route) => {
    const { headers, body } = await shown()
    // Chromium complains of the status of an error page, too.
    await route.fulfill({ status: 200, headers: headers as Record<string, string>, body })
  })
})
afterAll(() => browser.close())
beforeEach(() => {
  complaints = []
})

async function open(name: string, locale = 'en', width = 390): Promise<void> {
  shown = shownPages(ui, locale, LONG_NAME)[name] ?? unknownPage
  await page.setViewportSize({ width, height: HEIGHT })
  await page.goto(`${ORIGIN}/${name}`)
}

function unknownPage(): never {
  throw new Error('No page has this name')
}

/** What axe finds, of the page as it is now. In dark it checks the contrast, for nothing else depends on the colors. */
function violations(colorScheme: 'light' | 'dark'): Promise<string[]> {
  return page.evaluate(
    async (runOnly) => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
      const { violations } = await axe.run({ resultTypes: ['violations'], ...(runOnly && { runOnly }) })
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
    },
    colorScheme === 'dark' ? ['color-contrast'] : undefined,
  )
}

const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

describe.each(Object.keys(shownPages(ui as Pages, 'en')))('the page %s', (name) => {
  it('is accessible in both themes and at every width, inside its policy', async () => {
    await open(name)
    await page.evaluate(axe.source)
    for (const width of [320, 390, 768, 1280]) {
      await page.setViewportSize({ width, height: HEIGHT })
      expect(await overflow(), `at ${width} px`).toBeLessThanOrEqual(0)
      // The style sheet has one layout for phones and one for larger screens.
      if (width === 320 || width === 768) continue
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await violations(colorScheme), `${colorScheme} at ${width} px`).toEqual([])
      }
    }
    expect(complaints).toEqual([])
  })
})

describe('the buttons of a decision', () => {
  it.each(ui.interaction.uiLocales)('share one low row on a small phone in %s', async (locale) => {
    await open('consent-38-scopes', locale, 320)
    for (const width of [320, 360, 390]) {
      await page.setViewportSize({ width, height: HEIGHT })
      const [bar, ...buttons] = await page
        .locator('.decision, .decision button')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect))
      expect(buttons).toHaveLength(3)
      expect(new Set(buttons.map(({ y }) => y)).size, 'one row').toBe(1)
      expect(new Set(buttons.map(({ height }) => height)), 'one height').toEqual(new Set([44]))
      expect(bar?.height).toBe(44)
      expect(await overflow()).toBeLessThanOrEqual(0)
    }
  })
})

describe('the choice of an organization', () => {
  it.each(['consent-organizations', 'consent-200-organizations'])(
    'is needed to allow, and not to deny, without a script: %s',
    async (name) => {
      await open(name)
      const sent: string[] = []
      page.on('request', (request) => sent.push(request.postData() ?? ''))
      await page.click('[value=allow]')
      const invalid = await page.evaluate(() => document.querySelectorAll(':invalid:not(form)').length)
      expect(invalid).toBeGreaterThan(0)
      expect(sent).toEqual([])
      await Promise.all([page.waitForRequest(/consent/), page.click('[value=deny]')])
      expect(sent[0]).toContain('decision=deny')
      expect(sent[0]).not.toMatch(/organization=[^&]/)
      page.removeAllListeners('request')
    },
  )
})

describe('a language from right to left', () => {
  it('mirrors the page', async () => {
    await open('consent', 'ar')
    const x = async (selector: string) => (await page.locator(selector).first().boundingBox())?.x ?? 0
    expect(await x('[value=deny]')).toBeGreaterThan(await x('[value=allow]'))
    expect(await x('.scope input')).toBeGreaterThan(await x('.scope > span'))
    expect(await overflow()).toBeLessThanOrEqual(0)
  })
})

describe('a page without colors of its own', () => {
  it('keeps its main button apart from the others in forced colors', async () => {
    await open('consent')
    await page.emulateMedia({ forcedColors: 'active' })
    const border = (selector: string) =>
      page.locator(selector).evaluate((button) => getComputedStyle(button).borderTopWidth)
    expect([await border('[value=deny]'), await border('[value=allow]')]).toEqual(['1px', '3px'])
    await page.emulateMedia({ forcedColors: 'none' })
  })
})
