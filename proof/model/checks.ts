import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Fault } from './faults.ts'
import { type Finding, invariantNames, SPECIFICATION, simulate, WITNESSES } from './quint.ts'

/** Enough for each fault, with the seeds that the tests use. */
const MAX_TRACES = 4000
const STEPS = 40

/** A check of the model, without a fault: the ways to choose the next action, and what must hold on each. */
const WAYS: readonly { readonly step: string; readonly invariants?: readonly string[] }[] = [
  { step: 'step' },
  { step: 'stepSlowly' },
  // A failover that loses a rotation breaks its promise: the spent token gets a second child.
  { step: 'stepWithFailover', invariants: ['unreachedEndsNothing'] },
]

/** @param traces of each way */
export function checkModel(
  traces: number,
  seed?: string,
): { readonly step: string; readonly found: Finding }[] {
  return WAYS.map(({ step, invariants = invariantNames() }) => {
    const witnesses = step === 'step' ? WITNESSES : []
    return { step, found: simulate({ step, invariants, witnesses, traces, steps: STEPS, seed }) }
  })
}

/** Puts the fault into a copy of the specification. @throws Error if the specification has no such piece */
export function findFault({ from, to, invariant, step = 'step' }: Fault, seed?: string): Finding {
  const text = readFileSync(SPECIFICATION, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`The specification has not exactly one "${from}"`)
  const folder = mkdtempSync(join(tmpdir(), 'model-'))
  const file = join(folder, 'grant.qnt')
  writeFileSync(file, text.replace(from, to))
  try {
    return simulate({ file, step, invariants: [invariant], traces: MAX_TRACES, steps: STEPS, seed })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
