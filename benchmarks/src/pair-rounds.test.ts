import { describe, expect, it } from 'vitest'
import { calmest, type PairRound } from './pair-rounds.ts'

describe('a pair of rounds', () => {
  it('is measured once where the host took nothing', async () => {
    const { run, left } = rounds(lost(0, 0), lost(0, 0))
    await calmest(run)
    expect(left()).toBe(1)
  })

  it('is measured again when either half lost time to the host', async () => {
    const { run } = rounds(lost(0.2, 0), lost(0, 0.3), lost(0, 0))
    expect(await calmest(run)).toEqual(lost(0, 0))
  })

  it('counts as it was calmest when the host never rests', async () => {
    const { run, left } = rounds(lost(0.4, 0), lost(0.1, 0.2), lost(0.5, 0), lost(0.3, 0), lost(0, 0))
    expect(await calmest(run)).toEqual(lost(0.1, 0.2))
    expect(left()).toBe(1)
  })
})

function lost(target: number, bare: number): PairRound {
  return { target: { stolen: target }, bare: { stolen: bare } } as PairRound
}

function rounds(...given: PairRound[]) {
  const run = async () => given.shift() ?? Promise.reject(new Error('One round too many'))
  return { run, left: () => given.length }
}
