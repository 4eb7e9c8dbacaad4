/// <reference lib="dom" />
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** The smallest width of WCAG 2.2 (1.4.10), a phone, a tablet and a laptop. */
const WIDTHS = [320, 390, 768, 1280]

/** Of each layout in the style sheets, the smallest of these widths. */
const LAYOUTS = [320, 768, 1280]

const at = (page: Page, width: number) => page.setViewportSize({ width, height: 640 })

/** Fails unless the loaded page passes axe and has no horizontal scrolling, on every screen, in light and in dark. */
export async function expectOnEveryScreen(page: Page): Promise<void> {
  await expectToFit(page)
  // The colors of buttons change by a transition: halfway they have no contrast.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const width of LAYOUTS) {
    await at(page, width)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const where = `${page.url()} at ${width} px in ${colorScheme}`
      expect(await violations(page, colorScheme), where).toEqual([])
    }
  }
}

/** Fails if the loaded page has horizontal scrolling. */
export async function expectToFit(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await at(page, width)
    const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(scrollWidth, `${page.url()} at ${width} px`).toBeLessThanOrEqual(width)
  }
}

/** What axe finds in a page. In dark it checks the contrast, for nothing else depends on the colors. */
export async function violations(page: Page, colorScheme: 'light' | 'dark' = 'light'): Promise<string[]> {
  // AxeBuilder loads axe for each run, which takes longer than a run, and leaves it in the page.
  if (!(await page.evaluate(() => 'axe' in globalThis)))
    await new AxeBuilder({ page }).setLegacyMode().withRules('document-title').analyze()
  return page.evaluate(
    async (runOnly) => {
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }
      const found = await axe.run({ resultTypes: ['violations'], ...(runOnly && { runOnly }) })
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
    },
    colorScheme === 'dark' ? ['color-contrast'] : undefined,
  )
}

type AxeResults = Awaited<ReturnType<AxeBuilder['analyze']>>
