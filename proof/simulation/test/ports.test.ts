import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** A request that waits or draws by a global is different each time, and no simulation reaches it. */

const ROOT = join(import.meta.dirname, '../../..')
const PACKAGES = '{core,explain,known-clients,notifications,store-memory,store-sqlite,safe-fetch}'
const GLOBALS =
  /\b(?:setTimeout|setInterval)\(|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|'(?:node:)?timers(?:\/promises)?'/g

/** Files that may use them, with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  'packages/core/src/kernel/time.ts': 'the ports themselves: the timers and the clock of the runtime',
  'packages/store-sqlite/src/records.ts': 'a scan lets requests run between two pages; no request scans',
}

function globalsIn(path: string): string[] {
  const code = readFileSync(join(ROOT, path), 'utf8').replaceAll(/\/\*(?:.|\n)*?\*\/|\/\/.*/g, '')
  return [...code.matchAll(GLOBALS)].map(([text]) => text)
}

const sources = globSync(
  [
    `packages/${PACKAGES}/src/**/*.ts`,
    'packages/pages/src/connected-apps/*.ts',
    'packages/server/src/limits/{counters,rate-limiter}.ts',
  ],
  { cwd: ROOT },
).filter((path) => !path.endsWith('.test.ts'))

describe('waits, clocks and randomness', () => {
  it('are ports in core and what was part of it, its local stores and safe-fetch', () => {
    expect(sources.length).toBeGreaterThan(150)
    const found = sources.flatMap((path) => globalsIn(path).map((text) => `${path}: ${text}`))
    expect(found.filter((line) => EXEMPT[line.split(':')[0] ?? ''] === undefined)).toEqual([])
  })

  it.each(Object.entries(EXEMPT))('are exempt in %s, which uses one: %s', (path) => {
    expect(globalsIn(path)).not.toEqual([])
  })
})
