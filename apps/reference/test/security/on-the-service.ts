import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { Bench } from './bench.ts'

type Tests = (bench: Bench) => void

/**
 * Runs the tests of a group of rows on the memory store. After each test it checks for failures and leaked secrets.
 *
 * @param environment further settings of the service
 */
export function onTheService(group: string, tests: Tests, environment: Record<string, string> = {}): void {
  describe(group, () => {
    const bench = new Bench('memory')
    beforeAll(() => bench.start(environment))
    afterAll(() => bench.stop())
    afterEach(() => {
      expect(bench.unexpectedFailures()).toEqual([])
    })
    tests(bench)
  })
}
