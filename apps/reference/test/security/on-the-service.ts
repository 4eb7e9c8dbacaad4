import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest'
import { storageUnderTest } from '../new-storage.ts'
import { Bench } from './bench.ts'

type Tests = (bench: Bench) => void

/**
 * Runs the tests of a group of rows on the memory store. After each test it checks for failures and leaked secrets, and
 * resets the clock.
 *
 * @param environment further settings of the service
 */
export function onTheService(group: string, tests: Tests, environment: Record<string, string> = {}): void {
  describe(group, () => rows(new Bench('memory'), tests, environment))
}

/** For rows that a store decides: on the memory store, or on the one that `STORAGE` names, as Redis and Postgres at night. */
export function onEachStore(group: string, tests: Tests, environment: Record<string, string> = {}): void {
  const kind = process.env.STORAGE === undefined ? 'memory' : storageUnderTest
  describe(`${group}, on ${kind}`, () => rows(new Bench(kind), tests, environment))
}

function rows(bench: Bench, tests: Tests, environment: Record<string, string>): void {
  beforeAll(() => bench.start(environment))
  afterAll(() => bench.stop())
  afterEach(() => {
    bench.fault = undefined
    vi.useRealTimers()
    expect(bench.unexpectedFailures()).toEqual([])
  })
  tests(bench)
}

/** Moves the clock of the service, which is in this process. */
export function later(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
}
