import { describe, test } from 'vitest'
import { HUNTS, huntFault, raceVictim } from './race-victim.ts'
import { FAULTS, type Fault, type VictimOptions } from './victim/faults.ts'

// All of them mostly wait.
describe.concurrent('a run finds nothing in a correct server', () => {
  const servers: readonly VictimOptions[] = [
    { variant: 'strict' },
    { variant: 'same-pair' },
    { variant: 'overlap' },
    { variant: 'none' },
  ]
  test.for(servers)('with the rotation $variant', async ({ variant = 'strict' }, { expect }) => {
    const { findings, rounds } = await raceVictim({ variant }, { declared: { rotation: variant } })
    expect(findings.filter(({ verdict }) => /unsafe|lossy|noisy|unknown/.test(verdict))).toEqual([])
    expect(rounds.ended).toBe(rounds.planned)
  })
})

describe.concurrent('a run finds', () => {
  const faults = Object.keys(FAULTS).map((each) => Number(each) as Fault)
  test.for(faults.map((fault) => [fault, FAULTS[fault]] as const))(
    'fault %i: %s',
    async ([fault], { expect }) => {
      const { findings } = await huntFault(fault)
      const finding = findings.find(({ id }) => id === HUNTS[fault].check)
      expect(finding?.verdict).toMatch(/^(unsafe|lossy|noisy)$/)
      expect(finding?.counterexample?.length).toBeLessThanOrEqual(12)
    },
  )
})
