import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

/**
 * The cost of a request in bytes, which are the same on every machine, unlike microseconds. Each limit is a tenth above
 * the value measured when it was set. A change that needs fewer bytes lowers the limit; one that needs more explains
 * why. Tokens that are bound, handed on or signed made each answer look at a member or two more, and the guard is one async
 * function longer, which both kinds of guard share. One more async function per request is about 400 bytes, one more copy of a grant 2,000.
 */
const MOST_ALLOCATED = {
  register: 14_800,
  authorize: 15_600,
  authorizeByDocument: 30_400,
  code: 16_800,
  refresh: 17_500,
  introspect: 8_100,
  guard: 3_050,
}

/** A redeemed grant with one access and one refresh token, in the memory store with all its indexes; its tables double now and then, so equal runs differ by a sixth. */
const MOST_KEPT = 970

interface Measured {
  readonly allocated: Readonly<Record<string, number>>
  readonly kept: number
}

async function measure(): Promise<Measured> {
  const flags = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64']
  const program = join(import.meta.dirname, 'allocations/measure.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program])
  return JSON.parse(stdout)
}

describe('the memory of this server', () => {
  it('is used by requests and grants within the recorded limits', async () => {
    const { allocated, kept } = await measure()
    for (const [request, most] of Object.entries(MOST_ALLOCATED)) {
      const bytes = allocated[request]
      expect(bytes, `${request}: ${bytes} bytes`).toBeLessThan(most)
      // A request that no longer does anything would also need fewer bytes.
      expect(bytes, `${request}: ${bytes} bytes`).toBeGreaterThan(most / 2)
    }
    expect(kept).toBeLessThan(MOST_KEPT)
    expect(kept).toBeGreaterThan(MOST_KEPT / 2)
  }, 120_000)
})
