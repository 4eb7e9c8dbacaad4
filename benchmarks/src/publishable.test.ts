import { describe, expect, it } from 'vitest'
import type { Measurement } from './measurement.ts'
import { refusal, steadyPart, unsteady, verdict } from './publishable.ts'

const CALM = [100, 101, 102, 103, 104, 105, 106]
const SHAKEN = [60, 70, 80, 100, 120, 130, 140]

describe('a run', () => {
  it('is publishable when bare Fastify is steady in every workload, however slow the machine is', () => {
    expect(unsteady([pair('code', CALM), pair('refresh', slower(CALM))])).toEqual([])
    expect(verdict([pair('code', CALM)])).toMatch(/^Publishable/)
  })

  it('names the workloads in which it was not', () => {
    const measured = [pair('code', CALM), pair('refresh', SHAKEN)]
    expect(unsteady(measured).map(({ work }) => work)).toEqual(['refresh'])
    expect(verdict(measured)).toMatch(/^Not publishable: .* in refresh;/)
  })

  it('is judged over all pairs of a workload: a step between two pairs is noise too', () => {
    expect(unsteady([pair('code', CALM), pair('code', slower(CALM))])).toHaveLength(1)
  })

  it('is not judged by other frameworks', () => {
    expect(unsteady([pair('code', CALM), { ...pair('code', SHAKEN), against: 'bare-hono' }])).toEqual([])
  })

  it('keeps its steady workloads when it is measured again', () => {
    const measured = [pair('code', CALM), pair('refresh', SHAKEN)]
    expect(steadyPart(measured, unsteady(measured)).map(({ work }) => work)).toEqual(['code'])
  })
})

describe('publishing', () => {
  it.each([
    ['is refused for a run of some rows', false, CALM, /not everything/],
    ['is refused for a run on an unsteady machine', true, SHAKEN, /spread by 60 % in code/],
  ])('%s', (_, complete, rounds, why) => {
    expect(refusal({ complete, measurements: [pair('code', rounds)] })).toMatch(why)
  })

  it('is allowed for a complete run on a steady machine', () => {
    expect(refusal({ complete: true, measurements: [pair('code', CALM)] })).toBeUndefined()
  })
})

function pair(work: Measurement['work'], bareRounds: readonly number[]): Measurement {
  return { work, against: 'bare-fastify', bareRounds } as Measurement
}

function slower(rounds: readonly number[]): number[] {
  return rounds.map((rate) => rate / 10)
}
