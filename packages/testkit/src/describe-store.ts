import type { Store } from '@grantkit/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Clock, fakeClock, realClock } from './clock.ts'
import { expiryPromises } from './store/expiry.ts'
import { grantModelPromises } from './store/grant-model.ts'
import { idPromises } from './store/ids.ts'
import { listingPromises } from './store/listing.ts'
import { modelPromises } from './store/model.ts'
import { namespacePromises } from './store/namespaces.ts'
import { clockPromises } from './store/own-clock.ts'
import { racePromises } from './store/races.ts'
import { CLIENTS, GRANTS, type ListedKind, type RecordKind, TRANSIENTS } from './store/record-kind.ts'
import { recordPromises } from './store/records.ts'
import { restartPromises } from './store/restart.ts'
import { scanPromises } from './store/scan.ts'
import { secretPromises } from './store/secrets.ts'
import { skewPromises } from './store/skew.ts'
import type { Subject } from './store/subject.ts'
import { clientValuePromises, grantValuePromises, valuePromises } from './store/values.ts'

interface StoreUnderTest {
  readonly store: Store
  /** Called once, after the last test. */
  close?(): Promise<void> | void
  /** Crashes the server of the records and restarts it on its files. Needed for `survivesRestart`. */
  restart?(): Promise<void>
}

/** Makes the store to test. It may hold other records, because the suite uses its own ids and subjects. */
type CreateStore = (options: {
  /** The clock that the store must use, in epoch seconds. */
  readonly now: () => number
}) => Promise<StoreUnderTest> | StoreUnderTest

interface DescribeStoreOptions {
  /**
   * For a store that expires records by its own clock: `now` is then the real time, and the suite waits a few real
   * seconds for each expiry. Default: false.
   */
  readonly realTime?: boolean | undefined
  /** For a store that keeps acknowledged records when its server crashes. Default: false. */
  readonly survivesRestart?: boolean | undefined
  /** Whether the store also keeps transients, the optional third kind. Default false. */
  readonly transients?: boolean | undefined
  /** Whether the store also has `within`, and so several namespaces. Default false. */
  readonly namespaces?: boolean | undefined
  /**
   * The time limit of each test in milliseconds, for a slow store. Default: vitest's own, and 30 to 60 seconds for random
   * sequences of calls, which get no less in any case.
   */
  readonly testTimeout?: number | undefined
}

/**
 * Tests every promise of the `Store` port, one vitest test each. Call it at the top level of a test file.
 *
 * @param name the name of the store in reports
 */
export function describeStore(
  name: string,
  createStore: CreateStore,
  {
    realTime = false,
    survivesRestart = false,
    transients = false,
    namespaces = false,
    testTimeout,
  }: DescribeStoreOptions = {},
): void {
  describe(`store ${name}`, { ...(testTimeout === undefined ? {} : { timeout: testTimeout }) }, () => {
    const clock: Clock = realTime ? realClock : fakeClock()
    let made: StoreUnderTest | undefined
    beforeAll(async () => {
      made = await createStore({ now: clock.now })
    }, testTimeout)
    afterAll(() => made?.close?.(), testTimeout)

    const subject: Subject = {
      clock,
      realTime,
      testTimeout,
      get store() {
        if (made === undefined) throw new Error(`The store ${name} was not created`)
        return made.store
      },
      async restart() {
        if (made?.restart === undefined) throw new Error(`createStore gives no way to restart ${name}`)
        await made.restart()
      },
    }
    clockPromises(subject)
    describe('clients', () => listedKindPromises(subject, CLIENTS))
    describe('grants', () => listedKindPromises(subject, GRANTS))
    if (transients) describe('transients', () => eachKindPromises(subject, TRANSIENTS))
    else
      it('has no transients, unless the option transients is set', () =>
        expect(subject.store.transients).toBeUndefined())
    if (namespaces) describe('namespaces', () => namespacePromises(subject, { transients }))
    else
      it('has no namespaces, unless the option namespaces is set', () =>
        expect(subject.store.within).toBeUndefined())
    clientValuePromises(subject)
    grantValuePromises(subject)
    listingPromises(subject)
    secretPromises(subject)
    grantModelPromises(subject)
    skewPromises(subject)
    if (survivesRestart) {
      restartPromises(subject, CLIENTS)
      restartPromises(subject, GRANTS)
      if (transients) restartPromises(subject, TRANSIENTS)
    }
  })
}

function eachKindPromises<T>(subject: Subject, kind: RecordKind<T>): void {
  recordPromises(subject, kind)
  racePromises(subject, kind)
  expiryPromises(subject, kind)
  valuePromises(subject, kind)
  idPromises(subject, kind)
}

function listedKindPromises<T>(subject: Subject, kind: ListedKind<T>): void {
  eachKindPromises(subject, kind)
  scanPromises(subject, kind)
  modelPromises(subject, kind)
}
