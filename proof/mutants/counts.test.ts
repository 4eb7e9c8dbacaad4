import { expect, it } from 'vitest'
import { countsOf } from './counts.ts'

const reportOf = (counts: Readonly<Record<string, number>>) => {
  const mutants = Object.entries(counts).flatMap(([status, count]) => Array(count).fill({ status }))
  return { files: { 'a.ts': { mutants } } }
}

it('a mutant that no test reaches counts as a survivor', () => {
  expect(countsOf(reportOf({ Killed: 9, NoCoverage: 1 }))).toMatchObject({
    mutants: 10,
    survived: 1,
    score: 90,
  })
})

it('exempt mutants are no part of the score', () => {
  expect(countsOf(reportOf({ Killed: 9, Survived: 1, Ignored: 90 }))).toMatchObject({ exempt: 90, score: 90 })
})

it('a constant is exempt, also if a test imports its module anew', () => {
  const mutants = [
    { status: 'Killed' },
    { status: 'Survived', static: true },
    { status: 'Killed', static: true },
  ]
  expect(countsOf({ files: { 'a.ts': { mutants } } })).toMatchObject({ mutants: 1, exempt: 2, score: 100 })
})

it('mutants that never end count as killed up to 2 %, and as survivors beyond', () => {
  expect(countsOf(reportOf({ Killed: 98, Timeout: 2 })).score).toBe(100)
  expect(countsOf(reportOf({ Killed: 90, Timeout: 10 })).score).toBe(92)
})

it('a score is rounded down', () => {
  expect(countsOf(reportOf({ Killed: 1999, Survived: 1 })).score).toBe(99)
})
