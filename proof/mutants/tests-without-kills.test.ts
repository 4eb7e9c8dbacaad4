import { expect, it } from 'vitest'
import { testsWithoutKills } from './tests-without-kills.ts'

const TESTS = ['one', 'two', 'three']

/** @param ids as Stryker gives them, anew in each report */
const reportOf = (ids: readonly string[], killers: readonly string[]) => ({
  files: { 'a.ts': { mutants: [...killers.map((killer) => ({ killedBy: [killer] })), {}] } },
  testFiles: { 'a.test.ts': { tests: ids.map((id, at) => ({ id, name: TESTS[at] ?? '' })) } },
})

it('a test that kills a mutant of any module is needed', () => {
  const reports = [reportOf(['0', '1', '2'], ['0']), reportOf(['2', '0', '1'], ['0'])]
  expect([...testsWithoutKills(reports)]).toEqual([['a.test.ts', ['three']]])
})
