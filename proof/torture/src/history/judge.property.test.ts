import { describe, expect, it } from 'vitest'
import { interleaved } from '../../test/interleaved.ts'
import type { Fault } from '../../test/sequential-server.ts'
import { type Declared, IDEAL } from './declared.ts'
import { familiesOf } from './family.ts'
import { type Finding, judge } from './judge.ts'
import type { Operation } from './operation.ts'
import { explain } from './search.ts'
import { subjectOf } from './subject.ts'

const STRICT: Declared = { ...IDEAL, clockSkewSeconds: 0 }
const DECLARATIONS: Readonly<Record<string, Declared>> = {
  strict: STRICT,
  'same-pair': { ...STRICT, rotation: 'same-pair', overlapSeconds: 10 },
  late: { ...STRICT, rotation: 'same-pair', overlapSeconds: 5, lateRepeatSeconds: 30 },
  replaced: { ...STRICT, rotation: 'same-pair', overlapSeconds: 5, replacedSeconds: 15 },
  overlap: { ...STRICT, rotation: 'overlap', overlapSeconds: 10 },
  none: { ...STRICT, rotation: 'none' },
  lenient: {
    ...STRICT,
    replayEndsFamily: false,
    codeReplayEndsFamily: false,
    logoutEnds: false,
    revocationEnds: 'token',
  },
}
const SEEDS = Array.from({ length: 200 }, (_, seed) => seed)

const FAULTS: [fault: Fault, verdict: string, declared?: string][] = [
  ['code-read-then-marked', 'unsafe'],
  ['refresh-read-then-rotated', 'unsafe'],
  ['refresh-read-then-rotated', 'unsafe', 'same-pair'],
  ['replay-ends-nothing', 'unsafe'],
  ['replay-ends-nothing', 'unsafe', 'same-pair'],
  ['replay-ends-nothing', 'unsafe', 'overlap'],
  ['code-replay-ends-nothing', 'unsafe'],
  ['restart-forgets-rotations', 'unsafe'],
  ['restart-forgets-tokens', 'lossy'],
  ['restart-forgets-tokens', 'lossy', 'none'],
  ['revocation-written-late', 'unsafe'],
  ['refresh-survives-revocation', 'unsafe'],
  ['spent-token-mints', 'unsafe'],
  ['spent-token-mints', 'unsafe', 'overlap'],
  ['retry-refused', 'lossy', 'same-pair'],
  ['replay-ends-nothing', 'unsafe', 'late'],
  ['replay-ends-nothing', 'unsafe', 'replaced'],
  ['used-pair-repeated', 'unsafe', 'late'],
  ['verifier-not-checked', 'unsafe'],
  ['logout-ends-nothing', 'unsafe'],
  ['logout-ends-nothing', 'unsafe', 'none'],
  ['denial-ends-nothing', 'unsafe'],
  ['exchanged-tokens-outlive', 'unsafe'],
  ['introspection-says-active', 'unsafe'],
  ['introspection-says-inactive', 'lossy'],
  ['end-comes-back', 'unsafe'],
]

describe('the checker', () => {
  it.each(Object.entries(DECLARATIONS))(
    'has no finding for a correct server, %s, whatever gets lost',
    (_, declared) => {
      const found = SEEDS.flatMap((seed) => {
        const history = interleaved({ declared, seed, lost: seed % 2 === 0 ? 0 : 0.2 })
        const { verdict, seen, counterexample } = judge('crash', history, declared)
        return verdict === 'passed' || verdict === 'declared' ? [] : [{ seed, verdict, seen, counterexample }]
      })
      expect(found).toEqual([])
    },
  )

  it.each(FAULTS)(
    'finds %s, which is %s, in a timeline of at most 12 lines',
    (fault, verdict, name = 'strict') => {
      const declared = DECLARATIONS[name] ?? STRICT
      let finding: Finding | undefined
      for (const seed of SEEDS) {
        finding = judge('crash', interleaved({ declared, fault, seed, lost: 0.1 }), declared)
        if (finding.verdict === verdict) break
      }
      expect(finding?.verdict).toBe(verdict)
      expect(finding?.counterexample?.length).toBeGreaterThan(1)
      expect(finding?.counterexample?.length).toBeLessThanOrEqual(12)
    },
  )

  it.each(Object.entries(DECLARATIONS))(
    'finds a fault without lost answers if and only if no order explains it, %s',
    (_, declared) => {
      const faults = [...new Set(FAULTS.map(([fault]) => fault))].filter(
        (fault) => fault !== 'verifier-not-checked',
      )
      const disagreements = SEEDS.flatMap((seed) => {
        const fault = faults[seed % faults.length]
        const history = interleaved({ declared, fault, seed, lost: 0 })
        const [byRules, bySearch] = [isBroken(history, declared), isContradiction(history, declared)]
        return byRules === bySearch ? [] : [{ seed, fault, byRules, bySearch }]
      })
      expect(disagreements).toEqual([])
    },
  )

  it('has no order for a pair that was used and is repeated after the window', () => {
    const declared = DECLARATIONS.late ?? STRICT
    const found = SEEDS.filter((seed) =>
      isContradiction(interleaved({ declared, fault: 'used-pair-repeated', seed, lost: 0 }), declared),
    )
    expect(found.length).toBeGreaterThan(0)
  })
})

function isBroken(history: readonly Operation[], declared: Declared): boolean {
  return ['unsafe', 'lossy'].includes(judge('crash', history, declared).verdict)
}

function isContradiction(history: readonly Operation[], declared: Declared): boolean {
  return familiesOf(history).some((family) => explain(subjectOf(family, declared)) === 'no')
}
