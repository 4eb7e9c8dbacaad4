import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

/**
 * The cost of a request in bytes, which unlike microseconds is the same on every computer. Each limit is 3 % above the
 * value measured when it was set; runs differ by less than a thousandth. A change that needs fewer bytes lowers the limit;
 * one that needs more explains why. One more async function per request is about 400 bytes, one more copy of a grant 2,000.
 */
const MAX_ALLOCATED = {
  // Metadata is read from a copy without its empty members: 450 bytes. It counts for each network of the caller: 800 bytes.
  register: 15_130,
  // Pages get their request, a language and texts in it: 600 bytes. The policy checks the redirect URI: 900 bytes.
  // An answer is a record of its own until its mode sends it. Modes, terms and requests in one parameter cost who has none nothing.
  authorize: 17_000,
  authorizeByDocument: 32_530,
  code: 15_880,
  // A process that stood still counts it as older: 170 bytes.
  refresh: 16_680,
  introspect: 7_700,
  // A token tells when and in which class its user signed in: 40 bytes.
  guard: 3_010,
  // A JWT of 550 characters, verified before: its hash and the key of its header. Reading its claims again would be 3,600 bytes.
  signedGuard: 5_320,
}

/**
 * A grant in the memory store with all its indexes: with one access and one refresh token, and refreshed once with its
 * scopes and resource named each time, which must not be kept again. Runs differ by 7 %, so each limit is 10 % above.
 */
const MAX_KEPT = {
  // The reference of a sign-in attempt, the session and the authority each have a slot, used or not.
  redeemed: 1_170,
  refreshed: 1_575,
  // A flood of refused requests fills it up to its bound of 4 MiB.
  recorder: 4 * 1024 * 1024,
}

interface Measured {
  readonly allocated: Readonly<Record<string, number>>
  readonly kept: Readonly<Record<string, number>>
}

async function measure(): Promise<Measured> {
  // Compiled on another thread, a function is replaced later on a busy computer, and allocates more until then.
  const compilation = '--no-concurrent-recompilation'
  const flags = [compilation, '--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64']
  const program = join(import.meta.dirname, 'allocations/measure.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program])
  return JSON.parse(stdout)
}

describe('the memory of this server', () => {
  it('stays within the recorded limits for requests and grants', async () => {
    const { allocated, kept } = await measure()
    const measured = { ...allocated, ...kept }
    for (const [name, most] of Object.entries({ ...MAX_ALLOCATED, ...MAX_KEPT })) {
      const bytes = measured[name]
      expect(bytes, `${name}: ${bytes} bytes`).toBeLessThan(most)
      // A request that no longer does anything would also need fewer bytes.
      expect(bytes, `${name}: ${bytes} bytes`).toBeGreaterThan(most / 2)
    }
    // It only ends what hangs.
  }, 600_000)
})
