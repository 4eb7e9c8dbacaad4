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

/** The one that a developer named; else Chromium without all that surrounds a page, where that is installed: half the work. */
function executable(): string {
  const named = process.env[SYSTEM_PARTS.Chromium.variable]
  const shell = named ? undefined : findSystemPart('Chromium headless shell')
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
  // The time limit of the test is the only one: a busy machine is slow, and that is no fault of a page.
  context.setDefaultTimeout(0)
  return {
    context,
    async close() {
      await context.close()
      await rm(profile, { recursive: true, force: true })
    },
  }
}
