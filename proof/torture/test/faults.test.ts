import { describe, test } from 'vitest'
import { HUNTS, huntFault } from './race-victim.ts'
import { FAULTS, type Fault } from './victim/faults.ts'

/** One of each kind: a race, a replay, a lost answer, an end, a replica. The others take longer, or are like one of these. */
const SOME: readonly Fault[] = [1, 3, 10, 16, 20]

describe('a run finds', () => {
  // They mostly wait.
  test.concurrent.for(SOME.map((fault) => [FAULTS[fault], fault] as const))(
    '%s',
    async ([, fault], { expect }) => {
      const { findings } = await huntFault(fault, { seed: 1 })
      const finding = findings.find(({ id }) => id === HUNTS[fault].check)
      expect(finding?.verdict).toMatch(/^(unsafe|lossy|noisy)$/)
      expect(finding?.counterexample?.length).toBeLessThanOrEqual(12)
      expect(finding?.rerun).toContain(`--only ${HUNTS[fault].check} --seed 1`)
    },
  )
})
