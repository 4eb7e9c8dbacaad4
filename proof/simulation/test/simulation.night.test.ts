import { describe, expect, it } from 'vitest'
import { APPS } from '../src/plan/plans.ts'
import { PLANTED } from '../src/planted/planted-faults.ts'
import { checkSeed } from '../src/run/check-seed.ts'
import { findFault, MAX_STEPS } from '../src/run/find-fault.ts'
import { failureLines } from '../src/run/report.ts'

const FIXED_SEEDS = 200

describe('core under simulated faults', () => {
  it(`has no fault with ${FIXED_SEEDS} seeds`, async () => {
    let unknown = 0
    for (let seed = 1; seed <= FIXED_SEEDS; seed++) unknown += (await faultless(seed)).unknown
    expect(unknown, 'families of which nothing can be said').toBeLessThan(FIXED_SEEDS / 50)
  })
})

async function faultless(seed: number) {
  const outcome = await checkSeed(seed, { maxApps: APPS, shrinkMs: 15_000 })
  const { failure } = outcome
  if (failure !== undefined)
    throw new Error(failureLines(failure, { commit: 'checked out', maxApps: APPS }).join('\n'))
  return outcome
}

const FAULTS = Object.entries(PLANTED).map(([number, fault]) => ({ number, ...fault }))

describe('a planted fault is found within 10,000 steps of the store:', () => {
  it.each(FAULTS)('$number, $title', async (fault) => {
    const { steps, seen } = await findFault(fault)
    expect(seen).toMatch(fault.finding)
    expect(steps).toBeLessThan(MAX_STEPS)
  })
})
