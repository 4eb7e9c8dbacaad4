import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest'
import { storageUnderTest } from '../new-storage.ts'
import { Bench } from './bench.ts'

/** The default storage, the one in this process and the one behind a network, because they differ most. */
const KINDS = storageUnderTest === 'sqlite' ? (['memory', 'redis'] as const) : [storageUnderTest]

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

/** The same on the memory store and on their own Redis, or on the storage that `STORAGE` names: for rows that a store decides. */
export function onBothStores(group: string, tests: Tests, environment: Record<string, string> = {}): void {
  describe.each(KINDS)(`${group}, on %s`, (kind) => rows(new Bench(kind), tests, environment))
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
