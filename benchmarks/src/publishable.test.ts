import { describe, expect, it } from 'vitest'
import type { Measurement } from './measurement.ts'
import { isSteady, refusal, steadyPart, verdict } from './publishable.ts'

const CALM = [100, 101, 102, 103, 104, 105, 106]
const SHAKEN = [60, 70, 80, 100, 120, 130, 140]

describe('a run', () => {
  it('is publishable when bare Fastify is steady in every workload, however slow the machine is', () => {
    expect(isSteady(run(pair('code', CALM), pair('refresh', slower(CALM))))).toBe(true)
    expect(verdict([pair('code', CALM)])).toMatch(/^Publishable/)
  })

  it('names the workloads in which it was not', () => {
    const measured = [pair('code', CALM), pair('refresh', SHAKEN)]
    expect(isSteady(run(...measured))).toBe(false)
    expect(verdict(measured)).toMatch(/^Not publishable: .* by \d+ % in refresh;/)
  })

  it('is judged within its pairs: a machine that is slower in the next minute changes no ratio', () => {
    expect(isSteady(run(pair('code', CALM), pair('code', slower(CALM))))).toBe(true)
    expect(isSteady(run(pair('code', SHAKEN), pair('code', slower(SHAKEN))))).toBe(false)
  })

  it('is judged over all pairs of a workload: one that was shaken is not yet noise', () => {
    const calm = Array.from({ length: 9 }, () => pair('code', CALM))
    expect(isSteady(run(...calm, pair('code', SHAKEN)))).toBe(true)
  })

  it('is not judged by other frameworks', () => {
    expect(isSteady(run(pair('code', CALM), { ...pair('code', SHAKEN), against: 'bare-hono' }))).toBe(true)
  })

  it('keeps its steady workloads when it is measured again', () => {
    const { measurements } = steadyPart(run(pair('code', CALM), pair('refresh', SHAKEN)))
    expect(measurements.map(({ work }) => work)).toEqual(['code'])
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

function run(...measurements: Measurement[]) {
  return { measurements }
}

function pair(work: Measurement['work'], bareRounds: readonly number[]): Measurement {
  return { work, against: 'bare-fastify', bareRounds } as Measurement
}

function slower(rounds: readonly number[]): number[] {
  return rounds.map((rate) => rate / 10)
}
