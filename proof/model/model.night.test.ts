import { describe, expect, it } from 'vitest'
import { checkModel, findFault } from './checks.ts'
import { FAULTS } from './faults.ts'
import { WITNESSES } from './quint.ts'

/** Every run follows the same traces. `pnpm --dir proof model check` and `pnpm --dir proof model faults` follow new ones. */
const SEED = '0x5eed'
const MINUTES = 60_000

describe('the model of a grant', () => {
  it('keeps every invariant, and sees each action and each result', { timeout: 10 * MINUTES }, () => {
    const checked = checkModel(100, SEED)
    for (const { step, found } of checked) expect([step, found.violated]).toEqual([step, []])
    expect(WITNESSES.filter((_, at) => !checked[0]?.found.witnessed[at])).toEqual([])
  })

  it.each(FAULTS)('with the fault that $name breaks $invariant', { timeout: 5 * MINUTES }, (fault) => {
    expect(findFault(fault, SEED).violated).toEqual([fault.invariant])
  })
})
