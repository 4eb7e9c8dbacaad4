import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { findSystemPart, requireSystemPart, SYSTEM_PARTS } from './system-parts.ts'

/** Flags for a browser that only talks to the pages of a test. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export interface Browser {
  readonly context: BrowserContext
  close(): Promise<void>
}

/**
 * With `HEADLESS_SHELL` set, Chromium without all that surrounds a page, where it is installed: half the work for the same
 * page. A browser that a developer named comes first.
 */
function executable(): string {
  const named = process.env[SYSTEM_PARTS.Chromium.variable]
  const shell = process.env.HEADLESS_SHELL && !named ? findSystemPart('Chromium headless shell') : undefined
  return shell ?? requireSystemPart('Chromium')
}

/** A real Chromium with an empty profile. @throws Error that says how to install it, if it is missing */
export async function openChromium(options: BrowserContextOptions = {}): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'grantkit-chromium-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: executable(),
    headless: true,
    args: QUIET,
    ...options,
  })
  return {
    context,
    async close() {
      await context.close()
      await rm(profile, { recursive: true, force: true })
    },
  }
}
