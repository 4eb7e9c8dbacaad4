/// <reference lib="dom" />
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** The smallest width of WCAG 2.2 (1.4.10), a phone, a tablet and a laptop. */
const WIDTHS = [320, 390, 768, 1280]

/** Fails unless the loaded page passes axe and has no horizontal scrolling, on every screen, in light and in dark. */
export async function expectOnEveryScreen(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // The colors of buttons change by a transition.
    await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)))
    for (const width of WIDTHS) {
      const where = `${page.url()} at ${width} px in ${colorScheme}`
      await page.setViewportSize({ width, height: 640 })
      const { violations } = await axe(page, colorScheme).analyze()
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
      expect(found, where).toEqual([])
      const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(scrollWidth, where).toBeLessThanOrEqual(width)
    }
  }
}

/** Nothing but the contrast depends on the colors. The other mode of axe opens a page to collect results of frames. */
function axe(page: Page, colorScheme: 'light' | 'dark'): AxeBuilder {
  const builder = new AxeBuilder({ page }).setLegacyMode()
  return colorScheme === 'light' ? builder : builder.withRules('color-contrast')
}
